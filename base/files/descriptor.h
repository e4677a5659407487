#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace cmc {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // False: what was written may be lost; errno says why.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

// A path to what was opened, whatever has its name now.
[[nodiscard]] inline std::string path_of_descriptor(const Descriptor& opened) {
  return "/proc/self/fd/" + std::to_string(opened.number());
}

// 0, or the error code.
[[nodiscard]] inline int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace cmc
