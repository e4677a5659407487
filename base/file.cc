#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cmc {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

Error system_error(const char* action, const std::string& path, int code) {
  return Error{fmt::format("cannot {} '{}': {}", action, path, std::strerror(code))};
}

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

// 0, or the error code.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// The permissions that a new file gets from open().
mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return system_error("read", path, errno);
  std::string content;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("read", path, errno);
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
}

FileInPieces::FileInPieces(std::string path) : path_(std::move(path)), target_(path_), mode_(new_file_mode()) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0) fail(errno);
      return;
    }
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(path_, ignored);  // a symbolic link stays one
    if (!ignored) target_ = real.string();
    mode_ = status.st_mode & 07777;
  }
  temporary_ = target_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ >= 0) return;
  temporary_.clear();
  fail(errno);
}

FileInPieces::~FileInPieces() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileInPieces::append(std::string_view piece) {
  buffer_ += piece;
  if (buffer_.size() >= kBufferBytes) flush();
}

Status FileInPieces::finish() {
  flush();
  if (status_.ok() && !temporary_.empty() && ::fchmod(descriptor_, mode_) != 0) fail(errno);
  if (status_.ok() && !temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  if (descriptor_ >= 0 && ::close(descriptor_) != 0 && status_.ok()) fail(errno);
  descriptor_ = -1;
  if (!status_.ok() || temporary_.empty()) return status_;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  if (status_.ok()) temporary_.clear();
  return status_;
}

void FileInPieces::flush() {
  if (status_.ok()) {
    if (const int code = write_all(descriptor_, buffer_); code != 0) fail(code);
  }
  buffer_.clear();
}

void FileInPieces::fail(int code) { status_ = system_error("write", path_, code); }

Status write_file_atomically(const std::string& path, std::string_view content) {
  FileInPieces file(path);
  file.append(content);
  return file.finish();
}

}  // namespace cmc
