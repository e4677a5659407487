#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace cmc {

// Another program that runs beside this one. Passive: it acts only inside its functions, and its owner waits
// for it. Its standard input is empty. It is in the process group of this process, so that Ctrl-C reaches both,
// unless its owner wants otherwise. If it is CMC, it ends when this process is killed (end_with_parent()).
//
// Not thread-safe.
class Subprocess {
 public:
  struct Command {
    std::vector<std::string> arguments;         // the program first; searched for in PATH unless it has a slash
    std::string output = "/dev/null";           // file for standard output, replaced
    std::string error = "/dev/null";            // the same for standard error; may be the same file
    std::vector<std::string> environment = {};  // "NAME=value", instead of what this process has under these names
    // In a process group of its own, all of which is killed when the program ends: also what it has started itself.
    // Ctrl-C does not reach it.
    bool own_group = false;
    // An open file that is its standard input, output and error instead of the files above; it has no other of ours.
    int standard_files = -1;
  };
  // Where SIGCHLD is ignored (an embedding program may do that) the system tells no ends.
  static constexpr int kUnknownExitCode = -1;
  struct End {
    int exit_code = 0;  // if signal == 0; kUnknownExitCode: nobody knows how it ended
    int signal = 0;     // that ended it
    uint64_t peak_resident_bytes = 0;
    double cpu_seconds = 0;
  };

  // Error: there is no such program, or a file cannot be opened; `code`, if given, has its number.
  [[nodiscard]] static Result<Subprocess> start(const Command& command, int* code = nullptr);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&&) = delete;
  ~Subprocess();  // kills it if it still runs

  // Waits for at most that time. True: it has ended, end() says how. Returns early, with false, if a signal arrives
  // here.
  [[nodiscard]] bool wait(double seconds);
  [[nodiscard]] const End& end() const { return end_; }
  void send_signal(int number) const;
  [[nodiscard]] pid_t pid() const { return process_; }
  [[nodiscard]] int end_descriptor() const { return handle_; }  // readable when it has ended; -1: there is none

 private:
  Subprocess(pid_t process, bool own_group);

  pid_t process_;  // 0: has ended
  bool own_group_;
  int handle_ = -1;  // to wait for
  End end_;
};

// If a Subprocess of another program began this one: ends it by SIGTERM when the thread that did so is no more.
void end_with_parent();

// Whether `program` is an executable file in PATH.
[[nodiscard]] bool program_exists(const std::string& program);

// "SIGSEGV (Segmentation fault)".
[[nodiscard]] std::string signal_text(int number);

}  // namespace cmc
