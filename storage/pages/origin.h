#pragma once

#include <cstdint>

namespace cmc {

// How an offered state was reached; the store only keeps it with a candidate. Whoever is taken for new is that
// candidate with all that is here, for who sleeps depends on the parent and the step.
struct Origin {
  static constexpr uint64_t kMostParent = (uint64_t{1} << 48) - 1;  // a log of so many states would take 280 TB

  constexpr Origin() = default;
  constexpr Origin(uint64_t parent_, uint32_t index_, uint32_t depth_, uint16_t asleep_ = 0)
      : parent(parent_ & kMostParent), asleep(asleep_), index(index_), depth(depth_) {}

  uint64_t parent : 48 = 0;  // number of the parent; not kMostParent
  uint64_t asleep : 16 = 0;  // which processes need not be looked at in the state (checker/keys/carried_steps.h)
  uint32_t index = 0;        // which successor of its parent it is
  uint32_t depth = 0;        // steps from the initial state
};
static_assert(sizeof(Origin) == 16);

}  // namespace cmc
