#include "checker/report/store_fields.h"

namespace cmc {

std::span<const StoreField> store_fields() {
  using S = StoreFigures;
  static constexpr StoreField kFields[] = {
      {"exact_queries", "exact set: queries", false, &S::exact_queries},
      {"exact_new", "exact set: new states", false, &S::exact_new},
      {"bloom_hashes", "Bloom filter: k", false, &S::bloom_hashes},
      {"bloom_bits", "Bloom filter: bits", false, &S::bloom_bits},
      {"bloom_partial_collisions", "Bloom filter: partial collisions", false, &S::bloom_partial_collisions},
      {"bloom_bits_set", "Bloom filter: bits set", false, &S::bloom_bits_set},
      {"bloom_entries", "Bloom filter: entries", false, &S::bloom_entries},
      {"bloom_queries", "Bloom filter: queries", false, &S::bloom_queries},
      {"bloom_resolved", "Bloom filter: certainly new", false, &S::bloom_resolved},
      {"lossy_capacity", "lossy table: capacity", false, &S::lossy_capacity},
      {"lossy_elements", "lossy table: states ever inserted", false, &S::lossy_elements},
      {"lossy_left", "lossy table: states at the end", false, &S::lossy_left},
      {"reclaimed", "lossy table: states reclaimed", false, &S::reclaimed},
      {"reclaimed_bytes", "lossy table: bytes reclaimed", true, &S::reclaimed_bytes},
      {"reclaim_runs", "lossy table: reclaim runs", false, &S::reclaim_runs},
      {"lossy_queries", "lossy table: queries", false, &S::lossy_queries},
      {"lossy_resolved", "lossy table: certainly visited", false, &S::lossy_resolved},
      {"cache_failures", "cache failures", false, &S::cache_failures},
      {"duplicate_candidates", "candidates: duplicates", false, &S::duplicate_candidates},
      {"reopened", "candidates: new after all", false, &S::reopened},
      {"explicit_lookups", "disk: explicit lookups", false, &S::explicit_lookups},
      {"lookups", "disk: lookups", false, &S::lookups},
      {"max_lookup", "disk: largest lookup", false, &S::max_lookup},
      {"revisits", "disk: revisits detected", false, &S::revisits},
      {"pages_written", "disk: pages written", false, &S::pages_written},
      {"pages_read", "disk: pages read", false, &S::pages_read},
      {"bytes_written", "disk: bytes written", true, &S::bytes_written},
      {"bytes_read", "disk: bytes read", true, &S::bytes_read},
      {"disk_bytes", "disk: bytes of all pages", true, &S::disk_bytes},
      {"stored_states", "disk: states on pages", false, &S::stored_states},
      {"page_bytes", "disk: page size", true, &S::page_bytes},
      {"partitions", "disk: partitions", false, &S::partitions},
      {"lookup_buffer", "disk: lookup buffer", false, &S::lookup_buffer},
  };
  return kFields;
}

}  // namespace cmc
