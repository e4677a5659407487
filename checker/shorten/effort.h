#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "checker/result/options.h"

namespace cmc {

// How much may be done that the verdict does not need: for `seconds`, and longer until so much work is done, but not
// longer than `most_seconds`, or than so much CPU time. So what little work finds depends neither on the clock nor on
// what else the machine does. A unit of work is a successor that is computed, or what takes as long.
struct Budget {
  double seconds = 0;
  uint64_t least_work = 0;
  double most_cpu_seconds = 0;
  double most_seconds = 0;

  [[nodiscard]] Budget part(double share) const {
    return {seconds * share, static_cast<uint64_t>(static_cast<double>(least_work) * share), most_cpu_seconds * share,
            most_seconds * share};
  }
};

// What is left of a budget, and of the memory.
class Effort {
 public:
  // Of the options count the memory limit, the interrupt flag and the clock. `on_wait` may be empty; else it is
  // called once, when kPatience is over and there is time left.
  Effort(const SearchOptions& options, const Budget& budget, std::function<void()> on_wait);

  // Asked now and then by what goes on, with the bytes that its data take. False: it has to end.
  [[nodiscard]] bool may_go_on(uint64_t memory_bytes);
  void spend(uint64_t work) { work_ += work; }
  // After an end for lack of time or memory: there is that much for something else, whose data replace those.
  void go_on_for(const Budget& budget);

  [[nodiscard]] const std::string& cut() const { return cut_; }  // "time", "memory", "interrupt"; empty: may go on
  [[nodiscard]] double spent_seconds() const { return clock_.wall_seconds() - begin_; }

 private:
  [[nodiscard]] bool is_used_up(double now) const;

  static constexpr double kPatience = 0.05;  // seconds: nobody who waits for them notices it

  const SearchOptions& options_;
  SystemClock system_clock_;
  const Clock& clock_;
  const double begin_;
  Budget budget_;
  double budget_begin_;
  double cpu_begin_;
  uint64_t work_ = 0;
  const uint64_t other_bytes_;  // of the process, beside the data in question
  std::string cut_;
  std::function<void()> on_wait_;
};

}  // namespace cmc
