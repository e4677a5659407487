#pragma once

#include <cstdint>

#include "storage/options/store_options.h"

namespace cmc {

// How the memory of a RoundStore is divided.
struct RoundPlan {
  StoreOptions store;           // of the pages; the RoundStore has as many partitions
  uint64_t chunk_bytes = 0;     // of a partition's candidates in RAM
  uint64_t side_bytes = 0;      // of the states in RAM, of all partitions together
  uint64_t filter_bytes = 0;    // of filters in front of pages, while there are few candidates
  uint64_t turn_records = 0;    // candidates that one turn takes
  uint32_t outbox_records = 0;  // that a worker keeps for a partition before it hands them over
};
// `options`: what memory does not decide. `partitions` 0: as many as are worth it.
[[nodiscard]] RoundPlan plan_rounds(const StoreOptions& options, uint64_t memory_bytes, uint32_t workers,
                                    unsigned key_words, uint32_t partitions);

}  // namespace cmc
