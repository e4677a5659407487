#pragma once

#include <cstdint>

#include "storage/sets/key.h"

namespace cmc {

// A state of a search beyond memory that has been found to be new, and is not expanded yet.
template <unsigned W>
struct OpenState {
  Key<W> key{};
  uint64_t number = 0;  // in the trail log
  uint32_t depth = 0;   // steps from the initial state, along the path of the trail log
  uint32_t asleep = 0;  // SleepMask
};

}  // namespace cmc
