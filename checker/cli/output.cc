#include "checker/cli/output.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cmc {

void reserve_standard_files() {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) != -1) continue;
    // The lowest free number is this one; the wrong direction makes each use an error.
    const int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", mode) != number) return;
  }
}

void Output::print(std::string_view text) {
  if (captured_ != nullptr) captured_->append(text);
  if (captured_ != nullptr || broken_ || text.empty()) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail(errno);
}

void Output::flush() {
  errno = 0;
  if (captured_ == nullptr && !broken_ && std::fflush(stdout) != 0) fail(errno);
}

Status Output::finish() {
  flush();
  if (!error_.empty()) return Error{error_};
  return Success{};
}

void Output::fail(int error_number) {
  broken_ = true;
  if (error_number != EPIPE) error_ = fmt::format("cannot write to standard output: {}", std::strerror(error_number));
}

void print_to_stderr(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  std::fflush(stderr);
}

void complain(std::string_view message) {
  std::fflush(stdout);
  print_to_stderr(fmt::format("cmc: {}\n", message));
}

int refuse(std::string_view message) {
  complain(message);
  return kExitUsage;
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool wants_color(When when, std::FILE* stream) {
  if (when != When::kAuto) return when == When::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return is_terminal(stream) && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

size_t terminal_columns() {
  winsize size{};
  if (ioctl(fileno(stderr), TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

Status check_writable(const std::string& path) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool created = file < 0 && errno == ENOENT;
  if (created) file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  close(file);
  std::error_code ignored;
  if (created) std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
  return Success{};
}

}  // namespace cmc
