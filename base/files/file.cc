#include "base/files/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/descriptor.h"
#include "base/text.h"

namespace cmc {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr const char* kDescriptors = "/proc/self/fd";

bool is_of_descriptors(const fs::path& path) {
  return path.parent_path() == kDescriptors || path.parent_path() == "/dev/fd";
}

// Where a symbolic link leads, also if nothing is there; otherwise the path itself. A descriptor leads nowhere.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (is_of_descriptors(path)) break;
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
}

// Calls `use` with names for a file beside `target` until one is free. 0, or the error code.
template <class Function>
int with_free_name(const fs::path& target, std::string& name, const Function& use) {
  for (int number = 0;; ++number) {
    name = (target.parent_path() / fmt::format(".cmc-{}-{}", ::getpid(), number)).string();
    if (use(name.c_str())) return 0;
    if (errno != EEXIST) return errno;
  }
}

}  // namespace

Error system_error(const char* action, const std::string& path, int code) {
  return Error{fmt::format("cannot {} '{}': {}", action, path, std::strerror(code))};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{fmt::format("cannot make the folder '{}': {}", path, error.message())};
  return Success{};
}

std::optional<int> descriptor_named(const std::string& path) {
  std::error_code error;
  const fs::path last = followed(fs::absolute(path, error)).lexically_normal();
  return is_of_descriptors(last) ? parse_number<int>(last.filename().string()) : std::nullopt;
}

Result<std::string> read_file(const std::string& path, size_t most_bytes) {
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
    if (content.size() > most_bytes) return Error{fmt::format("'{}' is larger than {} MiB", path, most_bytes >> 20)};
  }
}

FileInPieces::FileInPieces(std::string path) : path_(std::move(path)) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) {
    fail(errno);
    return;
  }
  if (const std::optional<int> own = descriptor_named(path_)) {
    descriptor_ = ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
  } else if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    target_ = followed(path_).string();
    replaces_ = exists;
    mode_ = exists ? status.st_mode & 07777 : 0666;
    open_replacement();
  }
  if (descriptor_ < 0) fail(errno);
}

FileInPieces::~FileInPieces() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

// Without a name, so that nothing is left of it if the process is killed, unless the file system wants one.
void FileInPieces::open_replacement() {
  const mode_t first_mode = replaces_ ? 0600 : mode_;
  if (::access(kDescriptors, X_OK) == 0) {  // a name is given there
    const fs::path target = target_;
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode);
    if (descriptor_ >= 0) return;
  }
  const int code = with_free_name(target_, name_, [&](const char* name) {
    descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode);
    return descriptor_ >= 0;
  });
  if (code == 0) return;
  name_.clear();
  errno = code;
}

// 0, or the error code.
int FileInPieces::give_name() {
  const std::string own = fmt::format("{}/{}", kDescriptors, descriptor_);
  std::string name;
  const int code = with_free_name(target_, name, [&](const char* free) {
    return ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, free, AT_SYMLINK_FOLLOW) == 0;
  });
  if (code == 0) name_ = name;
  return code;
}

void FileInPieces::append(std::string_view piece) {
  buffer_ += piece;
  if (buffer_.size() >= kBufferBytes) flush();
}

Status FileInPieces::finish() {
  flush();
  if (!target_.empty()) {
    if (status_.ok() && replaces_ && ::fchmod(descriptor_, mode_) != 0) fail(errno);
    if (status_.ok() && ::fsync(descriptor_) != 0) fail(errno);
    if (status_.ok() && name_.empty()) {
      if (const int code = give_name(); code != 0) fail(code);
    }
  }
  if (descriptor_ >= 0 && ::close(descriptor_) != 0 && status_.ok()) fail(errno);
  descriptor_ = -1;
  if (!status_.ok() || target_.empty()) return status_;
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail(errno);
  if (status_.ok()) name_.clear();
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
