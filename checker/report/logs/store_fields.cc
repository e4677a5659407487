#include "checker/report/logs/store_fields.h"

namespace cmc {

std::span<const StoreField> store_fields() {
  using S = StoreFigures;
  static constexpr StoreField kFields[] = {
      {"bloom_hashes", "Bloom filter: k", false, true, &S::bloom_hashes},
      {"bloom_bits", "Bloom filter: bits", false, true, &S::bloom_bits},
      {"bloom_partial_collisions", "Bloom filter: partial collisions", false, true, &S::bloom_partial_collisions},
      {"bloom_bits_set", "Bloom filter: bits set", false, true, &S::bloom_bits_set},
      {"bloom_entries", "Bloom filter: entries", false, true, &S::bloom_entries},
      {"bloom_queries", "Bloom filter: queries", false, true, &S::bloom_queries},
      {"bloom_resolved", "Bloom filter: certainly new", false, true, &S::bloom_resolved},
      {"bloom_rebuilds", "Bloom filter: rebuilt, wider keys or larger", false, false, &S::bloom_rebuilds},
      {"bloom_freed_bytes", "Bloom filter: given back when full", true, false, &S::bloom_freed_bytes},
      {"lossy_capacity", "lossy table: capacity", false, false, &S::lossy_capacity},
      {"lossy_elements", "lossy table: states ever inserted", false, true, &S::lossy_elements},
      {"lossy_left", "lossy table: states at the end", false, true, &S::lossy_left},
      {"reclaimed", "lossy table: states reclaimed", false, true, &S::reclaimed},
      {"reclaimed_bytes", "lossy table: bytes reclaimed", true, true, &S::reclaimed_bytes},
      {"reclaim_runs", "lossy table: reclaim runs, sweeps", false, true, &S::reclaim_runs},
      {"replacements", "lossy table: single replacements", false, true, &S::replacements, true},
      {"lossy_queries", "lossy table: queries", false, true, &S::lossy_queries},
      {"lossy_resolved", "lossy table: certainly visited", false, true, &S::lossy_resolved},
      {"cache_failures", "cache failures", false, true, &S::cache_failures},
      {"duplicate_candidates", "candidates: duplicates", false, true, &S::duplicate_candidates},
      {"reopened", "candidates: new after all", false, true, &S::reopened},
      {"explicit_lookups", "disk: explicit lookups, rounds", false, true, &S::explicit_lookups},
      {"lookups", "disk: lookups", false, true, &S::lookups},
      {"max_lookup", "disk: largest lookup", false, true, &S::max_lookup},
      {"revisits", "disk: revisits detected", false, true, &S::revisits},
      {"pages_written", "disk: pages written", false, true, &S::pages_written},
      {"pages_read", "disk: pages read", false, true, &S::pages_read},
      {"bytes_written", "disk: bytes written", true, false, &S::bytes_written},
      {"bytes_read", "disk: bytes read", true, false, &S::bytes_read},
      {"disk_bytes", "disk: bytes of all pages", true, false, &S::disk_bytes},
      {"disk_bytes_peak", "disk: bytes of all pages, at most", true, false, &S::disk_bytes_peak, true},
      {"stored_states", "disk: states on pages", false, false, &S::stored_states},
      {"page_bytes", "disk: page size", true, true, &S::page_bytes},
      {"partitions", "disk: partitions", false, true, &S::partitions},
      {"lookup_buffer", "disk: lookup buffer", false, true, &S::lookup_buffer},
      {"turns", "sorted rounds: turns", false, true, &S::turns, true},
      {"seen_in_memory", "sorted rounds: seen in memory", false, true, &S::seen_in_memory, true},
      {"ruled_out", "sorted rounds: certainly not on pages", false, false, &S::ruled_out, true},
  };
  return kFields;
}

}  // namespace cmc
