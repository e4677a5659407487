#include "solver-bridge/pool/worker_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "solver-bridge/pool/pool_options.h"

namespace cmc::solver {

namespace {

constexpr const char* kInstalledFolder = "../libexec/cmc/";  // from that of the program
constexpr size_t kOutputBytes = 1000;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// 0, or the error code.
int spawn(const std::string& path, std::vector<std::string> arguments, std::vector<std::string> environment,
          int standard_files, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  for (int number = 0; number < 3; ++number) posix_spawn_file_actions_adddup2(&files, standard_files, number);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  arguments.insert(arguments.begin(), path);
  const int code =
      ::posix_spawn(pid, path.c_str(), &files, &attributes, pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

bool is_for_good(int code) { return code == ENOENT || code == EACCES || code == ENOEXEC || code == ENOTDIR; }

}  // namespace

std::string ProcessEnd::text() const {
  return by_signal ? fmt::format("was ended by signal {} ({})", number, ::strsignal(number))
                   : fmt::format("ended with exit code {}", number);
}

std::unique_ptr<WorkerProcess> WorkerProcess::start(const std::string& path,
                                                    const std::vector<std::string>& arguments,
                                                    const std::vector<std::string>& more_environment,
                                                    StartError* error) {
  const auto fail = [&](int code) {
    *error = {fmt::format("cannot start the solver worker '{}': {}", path, std::strerror(code)), is_for_good(code)};
    return nullptr;
  };
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return fail(errno);
  std::unique_ptr<WorkerProcess> process(new WorkerProcess);
  process->output_ = ends[0];
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  environment.insert(environment.end(), more_environment.begin(), more_environment.end());
  const int code = spawn(path, arguments, std::move(environment), ends[1], &process->pid_);
  ::close(ends[1]);
  if (code != 0) {
    process->pid_ = -1;
    return fail(code);
  }
  // As a system call: the header of glibc 2.36 cannot be used from C++.
  process->end_descriptor_ = static_cast<int>(::syscall(SYS_pidfd_open, process->pid_, 0));
  if (process->end_descriptor_ < 0) return fail(errno);  // the destructor kills it
  return process;
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill();
    reap();
  }
  if (end_descriptor_ >= 0) ::close(end_descriptor_);
  if (output_ >= 0) ::close(output_);
}

void WorkerProcess::kill() {
  // Only before it was waited for: until then no other process can have this number.
  if (!reaped_ && ::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
}

ProcessEnd WorkerProcess::reap() {
  if (reaped_) return end_;
  siginfo_t info{};
  int code = 0;
  while ((code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT)) != 0 && errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);  // what it may have started itself
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  reaped_ = true;
  end_ = {.by_signal = info.si_code != CLD_EXITED, .number = info.si_status};
  return end_;
}

void WorkerProcess::read_output() {
  std::array<char, 512> buffer;
  while (output_ >= 0) {
    const ssize_t got = ::read(output_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      ::close(output_);
      output_ = -1;
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
