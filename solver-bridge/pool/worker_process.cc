#include "solver-bridge/pool/worker_process.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "solver-bridge/pool/pool_options.h"

namespace cmc::solver {

namespace {

constexpr const char* kInstalledFolder = "../libexec/cmc/";  // from that of the program
constexpr size_t kOutputBytes = 1000;

bool is_for_good(int code) { return code == ENOENT || code == EACCES || code == ENOEXEC || code == ENOTDIR; }

}  // namespace

std::string text_of(const Subprocess::End& end) {
  return end.signal != 0 ? fmt::format("was ended by signal {} ({})", end.signal, ::strsignal(end.signal))
                         : fmt::format("ended with exit code {}", end.exit_code);
}

std::unique_ptr<WorkerProcess> WorkerProcess::start(const std::string& path,
                                                    const std::vector<std::string>& arguments,
                                                    const std::vector<std::string>& environment, StartError* error) {
  const auto fail = [&](int code) {
    *error = {fmt::format("cannot start the solver worker '{}': {}", path, std::strerror(code)), is_for_good(code)};
    return nullptr;
  };
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return fail(errno);
  Descriptor output(ends[0]);
  const Descriptor other_end(ends[1]);
  ::fcntl(output.number(), F_SETFL, O_NONBLOCK);
  Subprocess::Command command{.arguments = arguments, .environment = environment, .own_group = true};
  command.arguments.insert(command.arguments.begin(), path);
  command.standard_files = other_end.number();
  int code = 0;
  Result<Subprocess> started = Subprocess::start(command, &code);
  if (!started.ok()) return fail(code);
  std::unique_ptr<WorkerProcess> process(new WorkerProcess(std::move(started).value(), std::move(output)));
  if (process->end_descriptor() < 0) {
    *error = {fmt::format("cannot watch the solver worker '{}': the system has no descriptor for it", path), false};
    return nullptr;
  }
  return process;
}

const Subprocess::End& WorkerProcess::reap() {
  constexpr double kLongSeconds = 60;
  while (!process_.wait(kLongSeconds)) {
  }
  return process_.end();
}

void WorkerProcess::read_output() {
  std::array<char, 512> buffer;
  while (output_.valid()) {
    const ssize_t got = ::read(output_.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      output_.close();
      return;
    }
    text_.append(buffer.data(), static_cast<size_t>(got));
    if (text_.size() > kOutputBytes) text_.erase(0, text_.size() - kOutputBytes);
  }
}

bool WorkerProcess::take_first_line(std::string* line) {
  const size_t end = text_.find('\n');
  if (first_line_taken_ || end == std::string::npos) return false;
  *line = text_.substr(0, end);
  text_.erase(0, end + 1);
  first_line_taken_ = true;
  return true;
}

bool descriptors_are_free(unsigned number) {
  std::vector<int> opened;
  while (opened.size() < number) {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) break;
    opened.push_back(descriptor);
  }
  for (const int descriptor : opened) ::close(descriptor);
  return opened.size() == number;
}

std::string beside_program(const std::string& name) {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string program(path.data(), size > 0 ? static_cast<size_t>(size) : 0);
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  const std::string installed = folder + kInstalledFolder + name;
  const bool is_beside = ::access((folder + name).c_str(), F_OK) == 0 || ::access(installed.c_str(), F_OK) != 0;
  return is_beside ? folder + name : installed;
}

}  // namespace cmc::solver
