#include "storage/store_figures.h"

#include <algorithm>
#include <fmt/format.h>

namespace cmc {

namespace {

using Field = uint64_t StoreFigures::*;

constexpr Field kSums[] = {
    &StoreFigures::exact_queries,    &StoreFigures::exact_new,       &StoreFigures::bloom_bits,
    &StoreFigures::bloom_partial_collisions, &StoreFigures::bloom_bits_set, &StoreFigures::bloom_entries,
    &StoreFigures::bloom_queries,    &StoreFigures::bloom_resolved,  &StoreFigures::lossy_capacity,
    &StoreFigures::lossy_elements,   &StoreFigures::lossy_left,      &StoreFigures::reclaimed,
    &StoreFigures::reclaimed_bytes,  &StoreFigures::reclaim_runs,    &StoreFigures::lossy_queries,
    &StoreFigures::lossy_resolved,   &StoreFigures::cache_failures,  &StoreFigures::duplicate_candidates,
    &StoreFigures::reopened,         &StoreFigures::explicit_lookups, &StoreFigures::lookups,
    &StoreFigures::revisits,         &StoreFigures::pages_written,   &StoreFigures::pages_read,
    &StoreFigures::bytes_written,    &StoreFigures::bytes_read,      &StoreFigures::disk_bytes,
    &StoreFigures::stored_states,
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

std::string check_identities(const StoreFigures& f, uint64_t visited, uint64_t created) {
  struct Identity {
    const char* text;
    uint64_t left;
    uint64_t right;
    bool applies = true;
  };
  const Identity identities[] = {
      {"Bloom queries + exact queries = created + 1", f.bloom_queries + f.exact_queries, created + 1},
      {"Bloom entries = visited", f.bloom_entries, visited},
      {"lossy elements = visited", f.lossy_elements, visited},
      {"lossy queries = Bloom queries - Bloom resolved", f.lossy_queries, f.bloom_queries - f.bloom_resolved},
      {"cache failures = lossy queries - lossy resolved", f.cache_failures, f.lossy_queries - f.lossy_resolved},
      {"cache failures = lookups", f.cache_failures, f.lookups},
      {"reopened = visited - Bloom resolved - exact new", f.reopened, visited - f.bloom_resolved - f.exact_new},
      {"duplicate candidates = lookups - revisits - reopened", f.duplicate_candidates,
       f.lookups - f.revisits - f.reopened},
      {"created - (visited - 1) = lossy resolved + revisits + duplicate candidates + exact queries - exact new",
       created - (visited - 1),
       f.lossy_resolved + f.revisits + f.duplicate_candidates + f.exact_queries - f.exact_new},
      {"visited = lossy left + reclaimed", visited, f.lossy_left + f.reclaimed},
      {"k = 1: Bloom resolved = bits set", f.bloom_resolved, f.bloom_bits_set,
       f.bloom_hashes == 1 && f.exact_queries == 0 && f.bloom_rebuilds == 0},
  };
  for (const Identity& identity : identities) {
    if (!identity.applies || identity.left == identity.right) continue;
    return fmt::format("{}: {} is not {}", identity.text, identity.left, identity.right);
  }
  return {};
}

}  // namespace cmc
