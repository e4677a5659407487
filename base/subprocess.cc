#include "base/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

extern char** environ;

namespace cmc {

namespace {

constexpr char kParent[] = "CMC_PARENT";  // in the environment: the process that waits for this one

// What posix_spawn is given, freed at the end of the scope.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void open(int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&files_, descriptor, path.c_str(), flags, 0666);
  }
  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&files_, from, to); }
  void close_others() { posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1); }
  // What this process ignores would be ignored by the other one as well.
  void reset_signals(bool own_group) {
    sigset_t all;
    sigemptyset(&all);
    posix_spawnattr_setsigmask(&attributes_, &all);
    sigaddset(&all, SIGPIPE);
    sigaddset(&all, SIGXFSZ);
    sigaddset(&all, SIGCHLD);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// Of this process, with `changes`, each "NAME=value".
std::vector<const char*> environment_with(const std::vector<std::string>& changes) {
  std::vector<const char*> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const auto replaces = [&](const std::string& change) { return !name.empty() && change.starts_with(name); };
    if (std::none_of(changes.begin(), changes.end(), replaces)) result.push_back(*entry);
  }
  for (const std::string& change : changes) result.push_back(change.c_str());
  result.push_back(nullptr);
  return result;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Whether the process waits for wait4().
bool has_ended(pid_t process) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == process;
}

}  // namespace

Result<Subprocess> Subprocess::start(const Command& command, int* code) {
  CHECK(!command.arguments.empty());
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  SpawnSettings settings;
  constexpr int kReplace = O_WRONLY | O_CREAT | O_TRUNC;
  if (command.standard_files >= 0) {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      settings.duplicate(command.standard_files, number);
    }
    settings.close_others();
  } else {
    settings.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    settings.open(STDOUT_FILENO, command.output, kReplace);
    if (command.error == command.output) {
      settings.duplicate(STDOUT_FILENO, STDERR_FILENO);
    } else {
      settings.open(STDERR_FILENO, command.error, kReplace);
    }
  }
  settings.reset_signals(command.own_group);

  pid_t process = 0;
  std::vector<std::string> changes = command.environment;
  changes.push_back(fmt::format("{}={}", kParent, getpid()));
  const std::vector<const char*> environment = environment_with(changes);
  const int failed = posix_spawnp(&process, arguments[0], settings.files(), settings.attributes(), arguments.data(),
                                  const_cast<char* const*>(environment.data()));
  if (code != nullptr) *code = failed;
  if (failed != 0) return Error{fmt::format("cannot start '{}': {}", command.arguments[0], std::strerror(failed))};
  return Subprocess(process, command.own_group);
}

// A descriptor for the process becomes readable when it ends; without one (an old kernel) wait() looks now and then.
Subprocess::Subprocess(pid_t process, bool own_group) : process_(process), own_group_(own_group) {
#ifdef SYS_pidfd_open
  handle_ = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
#endif
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      own_group_(other.own_group_),
      handle_(std::exchange(other.handle_, -1)),
      end_(other.end_) {}

Subprocess::~Subprocess() {
  if (process_ > 0) {
    send_signal(SIGKILL);
    while (process_ > 0) static_cast<void>(wait(1));
  }
  if (handle_ >= 0) close(handle_);
}

bool Subprocess::wait(double seconds) {
  if (process_ == 0) return true;
  if (handle_ >= 0) {
    pollfd ended{handle_, POLLIN, 0};
    const int timeout_ms = static_cast<int>(std::clamp(std::ceil(seconds * 1000), 0.0, 1e9));
    if (poll(&ended, 1, timeout_ms) <= 0) return false;
  } else {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(seconds, 0.0, 0.02)));
  }
  if (own_group_ && has_ended(process_)) kill(-process_, SIGKILL);  // nobody else can have the group's number yet
  int status = 0;
  rusage usage{};
  const pid_t found = wait4(process_, &status, WNOHANG, &usage);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  process_ = 0;
  if (found < 0) {
    end_.exit_code = kUnknownExitCode;
    return true;
  }
  if (WIFSIGNALED(status)) {
    end_.signal = WTERMSIG(status);
  } else {
    end_.exit_code = WEXITSTATUS(status);
  }
  end_.peak_resident_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  end_.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return true;
}

void Subprocess::send_signal(int number) const {
  if (process_ > 0) kill(own_group_ ? -process_ : process_, number);
}

void end_with_parent() {
  const char* const text = std::getenv(kParent);
  if (text == nullptr) return;
  const std::optional<pid_t> parent = parse_number<pid_t>(text);
  unsetenv(kParent);  // what this program starts has another one
  if (parent && *parent == getppid()) prctl(PR_SET_PDEATHSIG, SIGTERM);
}

bool program_exists(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  folders += ':';
  for (size_t begin = 0; begin < folders.size();) {
    const size_t end = folders.find(':', begin);
    const std::string folder = folders.substr(begin, end - begin);
    if (access(((folder.empty() ? "." : folder) + '/' + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::string signal_text(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{} ({})", name, sigdescr_np(number));
}

}  // namespace cmc
