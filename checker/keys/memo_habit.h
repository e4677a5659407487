#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ir/model.h"

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

// How well it pays for a process to look its steps up edge by edge. One edge alone costs more to compute than it does
// among all, so where more than a third of them have to be, steps are computed as wholes for some time, each time for
// twice as long.
class EdgeTrial {
 public:
  // To be asked first, once for each computation.
  [[nodiscard]] bool rests() { return resting_ > 0 && --resting_ > 0; }
  // To be called at once where an edge says nothing by itself.
  void rest() { resting_ = kRest << std::min(failures_++, kMostDoublings); }
  // Nothing could be said about single edges.
  void note_failure() { note(1, 1); }
  void note(uint64_t edges, uint64_t computed) {
    edges_ += edges;
    computed_ += computed;
    if (++computations_ < kWindow) return;
    if (3 * computed_ > edges_) {
      rest();
    } else {
      failures_ = 0;
    }
    edges_ = computed_ = computations_ = 0;
  }

 private:
  static constexpr uint64_t kWindow = 8192;  // computations
  static constexpr uint64_t kRest = uint64_t{1} << 15;
  static constexpr uint32_t kMostDoublings = 8;
  uint64_t edges_ = 0;
  uint64_t computed_ = 0;
  uint64_t computations_ = 0;
  uint64_t resting_ = 0;  // computations that are left
  uint32_t failures_ = 0;
};

// How well it pays to remember what an edge does.
struct EdgeHabit {
  MemoHabit memo;
  uint64_t asked = 0;
};

struct EdgeHabits {
  std::vector<EdgeHabit> edges;
  std::array<EdgeTrial, kMaxProcesses> trials;  // by pid
};

}  // namespace cmc
