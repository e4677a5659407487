#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "base/subprocess.h"

namespace cmc::solver {

// A child process in a process group of its own (Ctrl-C at the terminal does not reach it), watched by a pidfd. Its
// standard input, output and error are one end of a socket pair: what it writes there are its last words, and the end
// of file that it reads there tells it that we have gone. It has no other open file of ours. The destructor kills the
// whole group and waits for it.
class WorkerProcess {
 public:
  struct StartError {
    std::string message;
    bool for_good = false;  // it would fail again: no such file, not executable
  };
  // Null: *error says why.
  [[nodiscard]] static std::unique_ptr<WorkerProcess> start(const std::string& path,
                                                            const std::vector<std::string>& arguments,
                                                            const std::vector<std::string>& environment,
                                                            StartError* error);

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] int end_descriptor() const { return process_.end_descriptor(); }  // readable when it has ended
  [[nodiscard]] int output_descriptor() const { return output_.number(); }        // -1: closed at its other end

  void read_output();  // what there is, without waiting
  // The first line, if it is complete and was not taken yet; without its end.
  [[nodiscard]] bool take_first_line(std::string* line);
  [[nodiscard]] const std::string& output() const { return text_; }  // the end of what it wrote, 1000 bytes at most

  // Waits for a process that has ended or was killed.
  const Subprocess::End& reap();

 private:
  WorkerProcess(Subprocess process, Descriptor output) : process_(std::move(process)), output_(std::move(output)) {}

  Subprocess process_;
  Descriptor output_;
  std::string text_;
  bool first_line_taken_ = false;
};

[[nodiscard]] std::string text_of(const Subprocess::End& end);

// Can so many descriptors be opened now? libzmq ends the process in some places where it gets none.
[[nodiscard]] bool descriptors_are_free(unsigned number);

}  // namespace cmc::solver
