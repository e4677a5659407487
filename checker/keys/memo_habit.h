#pragma once

#include <algorithm>
#include <cstdint>

namespace cmc {

// How well remembering pays for a process. Where less than half of the look-ups find anything, the next steps are
// computed without noting what they touch, which is cheaper, and without remembering them; nor are they looked up
// where next to nothing was found. Then it is tried again, after twice as many each time, since each attempt leaves
// steps in the memo.
class MemoHabit {
 public:
  // Steps are to be computed at once for now, not looked up.
  [[nodiscard]] bool skips_lookup() const { return skips_lookup_; }

  // To be called before each computation. Returns whether its steps are to be memoised. `expansions`: of states so
  // far. `may_skip`: of look-ups.
  [[nodiscard]] bool note_miss(uint64_t expansions, bool may_skip) {
    if (unremembered_ > 0) {
      if (--unremembered_ == 0) {
        window_begin_ = expansions;
        skips_lookup_ = false;
      }
      return false;
    }
    if (++window_misses_ == kWindowMisses) {
      const uint64_t asked = expansions - window_begin_;
      if (asked < 2 * kWindowMisses) {
        unremembered_ = kUnremembered << std::min(failures_++, kMostDoublings);
      } else {
        failures_ = 0;
      }
      skips_lookup_ = may_skip && asked < kWindowMisses + kFewFound;
      window_begin_ = expansions;
      window_misses_ = 0;
    }
    return true;
  }

  // The same, for a generator that has expanded nothing yet.
  [[nodiscard]] MemoHabit restarted() const {
    MemoHabit habit = *this;
    habit.window_begin_ = 0;
    habit.window_misses_ = 0;
    return habit;
  }

 private:
  static constexpr uint32_t kWindowMisses = 4096;
  static constexpr uint32_t kUnremembered = 1 << 17;
  static constexpr uint32_t kFewFound = kWindowMisses / 20;
  static constexpr uint32_t kMostDoublings = 8;

  uint64_t window_begin_ = 0;  // in expansions
  uint32_t window_misses_ = 0;
  uint32_t unremembered_ = 0;  // still to be computed so
  bool skips_lookup_ = false;  // meanwhile
  uint32_t failures_ = 0;      // attempts one after the other that did not pay
};

}  // namespace cmc
