#pragma once

#include <algorithm>
#include <cstdint>

#include "base/quick_random.h"
#include "checker/result/profile.h"

namespace cmc {

// Keeps what a worker spends on a profile to a small share of its time: it says which computations are observed, and
// how far apart samples are of steps that nobody has observed. Times are in nanoseconds. Both shares are measured, so
// that they hold whatever a computation or an observation costs. With ProfileOptions::every, all is observed.
class ProfilePace {
 public:
  explicit ProfilePace(const ProfileOptions& options);

  // Asked before each computation: whether it is observed, and what it finds counted exactly.
  [[nodiscard]] bool observes() {
    if (++asked_ % kEachQuestion == 0) [[unlikely]]
      decide();
    return observes_;
  }
  void note_observation(int64_t nanoseconds) { observing_ += limited(nanoseconds); }
  // From now on nothing is observed but samples.
  void observe_no_more() { may_observe_ = observes_ = every_; }

  // After a sample that cost so much and stands for `weight` steps: how many steps it is to the next one.
  [[nodiscard]] uint32_t next_distance(uint64_t weight, int64_t nanoseconds);

 private:
  static constexpr uint32_t kEachQuestion = 16;  // computations
  static constexpr int64_t kMostCost = 200'000;

  // The system may have interrupted the thread meanwhile.
  static int64_t limited(int64_t nanoseconds) { return std::min(nanoseconds, kMostCost); }
  [[nodiscard]] int64_t elapsed() const;
  void decide();

  const bool every_;
  const int64_t free_;
  const int64_t begin_;
  bool may_observe_ = true;
  bool observes_ = true;
  uint32_t asked_ = 0;
  int64_t observing_ = 0;
  int64_t sampling_ = 0;
  uint64_t samples_ = 0;
  uint64_t steps_ = 0;  // that they stand for
  double mean_distance_ = 1;
  QuickRandom random_;
};

}  // namespace cmc
