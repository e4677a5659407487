#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"

namespace cmc {

// What a loop over states may use: memory and time, until somebody interrupts it. The searches have the same limits
// and more to do with them (checker/result/control.h); whoever else goes through states asks one of these for each.
class Limits {
 public:
  struct Bounds {
    uint64_t memory_bytes = 0;  // of the whole process; 0: no limit
    double seconds = 0;         // from the construction on; 0: no limit
    const std::atomic<bool>* interrupt = nullptr;
  };
  // No limits, unless some are given. `clock`, if given, outlives this object.
  Limits() : Limits(Bounds()) {}
  explicit Limits(const Bounds& bounds, const Clock* clock = nullptr);

  // Whether it is time to stop; once it is, it stays so. `growth_bytes`: what may be taken at once before the next
  // question, such as the copy of an array that grows. Cheap: memory is looked at from time to time, and before a
  // large growth.
  [[nodiscard]] bool reached(uint64_t growth_bytes = 0);
  // Why, as part of a sentence: "the time limit of 2 seconds was reached". Empty: it is not yet time.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] double elapsed_seconds() const { return clock_.wall_seconds() - start_; }

 private:
  static constexpr uint64_t kQuestionsPerLook = 64;              // at the memory, which takes a microsecond or two
  static constexpr uint64_t kLargeGrowth = uint64_t{256} << 10;  // bytes

  const Bounds bounds_;
  const SystemClock system_clock_;
  const Clock& clock_;
  const double start_;
  uint64_t questions_ = 0;
  bool interrupted_ = false;
  std::string reason_;
};

}  // namespace cmc
