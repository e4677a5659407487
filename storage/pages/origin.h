#pragma once

#include <cstdint>

namespace cmc {

// How an offered state was reached; the store only keeps it with a candidate. 16 bytes.
struct Origin {
  uint64_t parent = 0;  // number of the parent; not ~0
  uint32_t index = 0;   // which successor of its parent it is
  uint32_t depth = 0;   // steps from the initial state
};

}  // namespace cmc
