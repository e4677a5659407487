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

Status write_directly(const std::string& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return system_error("write", path, errno);
  if (const int code = write_all(file.number(), content); code != 0) return system_error("write", path, code);
  if (!file.close()) return system_error("write", path, errno);
  return Success{};
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

Status write_file_atomically(const std::string& path, std::string_view content) {
  std::string target = path;
  mode_t mode = new_file_mode();
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return write_directly(path, content);
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(path, ignored);  // a symbolic link stays one
    if (!ignored) target = real.string();
    mode = status.st_mode & 07777;
  }
  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return system_error("write", path, errno);
  int code = write_all(file.number(), content);
  if (code == 0 && ::fchmod(file.number(), mode) != 0) code = errno;
  if (code == 0 && ::fsync(file.number()) != 0) code = errno;
  if (!file.close() && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return system_error("write", path, code);
  }
  return Success{};
}

}  // namespace cmc
