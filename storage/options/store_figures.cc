#include "storage/options/store_figures.h"

#include <algorithm>

namespace cmc {

namespace {

using Field = uint64_t StoreFigures::*;

constexpr Field kSums[] = {
    &StoreFigures::bloom_bits,        &StoreFigures::bloom_partial_collisions,
    &StoreFigures::bloom_bits_set,    &StoreFigures::bloom_entries,
    &StoreFigures::bloom_queries,     &StoreFigures::bloom_resolved,
    &StoreFigures::lossy_capacity,    &StoreFigures::lossy_elements,
    &StoreFigures::lossy_left,        &StoreFigures::reclaimed,
    &StoreFigures::reclaimed_bytes,   &StoreFigures::reclaim_runs,
    &StoreFigures::replacements,      &StoreFigures::disk_bytes_peak,
    &StoreFigures::lossy_queries,     &StoreFigures::lossy_resolved,
    &StoreFigures::cache_failures,    &StoreFigures::duplicate_candidates,
    &StoreFigures::reopened,          &StoreFigures::explicit_lookups,
    &StoreFigures::lookups,           &StoreFigures::revisits,
    &StoreFigures::pages_written,     &StoreFigures::pages_read,
    &StoreFigures::bytes_written,     &StoreFigures::bytes_read,
    &StoreFigures::disk_bytes,        &StoreFigures::stored_states,
    &StoreFigures::bloom_freed_bytes, &StoreFigures::turns,
    &StoreFigures::seen_in_memory,    &StoreFigures::ruled_out,
};
constexpr Field kMaxima[] = {&StoreFigures::bloom_rebuilds, &StoreFigures::max_lookup, &StoreFigures::page_bytes,
                             &StoreFigures::lookup_buffer};

}  // namespace

StoreFigures& StoreFigures::operator+=(const StoreFigures& other) {
  for (const Field field : kSums) this->*field += other.*field;
  for (const Field field : kMaxima) this->*field = std::max(this->*field, other.*field);
  bloom_hashes = std::max(bloom_hashes, other.bloom_hashes);
  partitions += other.partitions;
  return *this;
}
// None is forgotten.
static_assert(sizeof(StoreFigures) == (std::size(kSums) + std::size(kMaxima) + 2) * sizeof(uint64_t));

}  // namespace cmc
