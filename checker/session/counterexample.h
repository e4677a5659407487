#pragma once

#include <string>
#include <vector>

#include "base/files/run_directory.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "checker/check/request.h"

namespace cmc::session {

struct CounterexampleRequest {
  std::string program;               // cmc
  std::string model;                 // a path
  std::vector<std::string> reading;  // how it is read: "-DN=3", "-J", "--ltl=[] p"
  std::string property;              // empty: all of them
  std::string formula;               // one more; empty: none
  double seconds = 60;               // that the search may take
};

// How a model is read, as a command line has it.
[[nodiscard]] std::vector<std::string> reading_arguments(const ModelRequest& request);

// A check in a process of its own, for the trail of the first property that is violated. The process ends with this
// object.
class CounterexampleSearch {
 public:
  // Error: the program cannot be started.
  [[nodiscard]] static Result<CounterexampleSearch> start(const CounterexampleRequest& request);

  // Waits at most that long. True: the search has ended, or has taken much longer than it may.
  [[nodiscard]] bool wait(double seconds);
  // Error: there is no counterexample, and why. REQUIRES: wait() has said true.
  [[nodiscard]] Result<std::string> trail() const;

 private:
  CounterexampleSearch(RunDirectory folder, Subprocess process, double end)
      : folder_(std::move(folder)), process_(std::move(process)), end_(end) {}
  [[nodiscard]] std::string printed(const char* name) const;

  RunDirectory folder_;
  Subprocess process_;
  double end_;
  bool has_ended_ = false;
};

}  // namespace cmc::session
