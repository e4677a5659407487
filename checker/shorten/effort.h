#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "checker/result/options.h"

namespace cmc {

// How long, and with how much memory, something may go on that the verdict does not need.
class Effort {
 public:
  // Of the options count the memory limit, the interrupt flag and the clock. `on_wait` may be empty; else it is
  // called once, when kPatience is over and there is time left.
  Effort(const SearchOptions& options, double seconds, std::function<void()> on_wait);

  // Asked now and then by what goes on, with the bytes that its data take. False: it has to end.
  [[nodiscard]] bool may_go_on(uint64_t memory_bytes);
  // After an end for lack of time or memory: there are so many seconds for something else, whose data replace those.
  void go_on_for(double seconds);

  [[nodiscard]] const std::string& cut() const { return cut_; }  // "time", "memory", "interrupt"; empty: may go on
  [[nodiscard]] double spent_seconds() const { return clock_.wall_seconds() - begin_; }

 private:
  static constexpr double kPatience = 0.05;  // seconds: nobody who waits for them notices it

  const SearchOptions& options_;
  SystemClock system_clock_;
  const Clock& clock_;
  const double begin_;
  double end_;
  const uint64_t other_bytes_;  // of the process, beside the data in question
  std::string cut_;
  std::function<void()> on_wait_;
};

}  // namespace cmc
