#include "tests/random/child.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cmc::random {

ChildEnd run_in_child(unsigned cpu_seconds, void* message, size_t bytes, const std::function<void()>& work,
                      std::string& how) {
  int ends[2];
  if (pipe(ends) != 0) {
    how = "no pipe";
    return ChildEnd::kCrashed;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{cpu_seconds, cpu_seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    work();
    const ssize_t written = write(ends[1], message, bytes);
    _exit(written == static_cast<ssize_t>(bytes) ? 0 : 1);
  }
  close(ends[1]);
  size_t received = 0;
  while (received < bytes) {
    const ssize_t count = read(ends[0], static_cast<char*>(message) + received, bytes - received);
    if (count <= 0) break;
    received += static_cast<size_t>(count);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (received == bytes) return ChildEnd::kAnswered;
  how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit";
  const bool time = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  return time ? ChildEnd::kTooLate : ChildEnd::kCrashed;
}

}  // namespace cmc::random
