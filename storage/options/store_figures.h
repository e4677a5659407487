#pragma once

#include <cstdint>
#include <string>

namespace cmc {

// What the stores of a search in limited memory counted (cached_store.h). The terms are those of CMC's log of 2006.
// What holds:
//
//   bloom_queries = successors created + 1 (the initial state)
//   bloom_entries = lossy_elements = states visited
//   lossy_queries = bloom_queries - bloom_resolved
//   cache_failures = lossy_queries - lossy_resolved = lookups
//   reopened = visited - bloom_resolved
//   duplicate_candidates = lookups - revisits - reopened
//   created - (visited - 1) = lossy_resolved + revisits + duplicate_candidates
//   visited = lossy_left + reclaimed
//   if reclaim_runs = 0: reclaimed <= replacements + reopened
//   if bloom_hashes = 1 and bloom_rebuilds = 0: bloom_resolved = bloom_bits_set
//
// Sorted rounds (round_store.h, turns > 0) have no caches; their figures are 0, but for
//
//   lossy_resolved: successors that were left out because they had been met lately
//   lossy_left: states that are in RAM now, in front of the pages
//   lookups = cache_failures: candidates that turns have taken
//   created + 1 = lossy_resolved + lookups + candidates that are left
//   lookups = duplicate_candidates + revisits + reopened
//   visited = reopened = lossy_left + stored_states
//   ruled_out <= reopened
struct StoreFigures {
  uint32_t bloom_hashes = 0;              // k
  uint64_t bloom_bits = 0;                // size
  uint64_t bloom_partial_collisions = 0;  // inserted states with some but not all of their bits set already
  uint64_t bloom_bits_set = 0;
  uint64_t bloom_entries = 0;  // states inserted
  uint64_t bloom_queries = 0;
  uint64_t bloom_resolved = 0;  // answered "certainly new"
  uint64_t bloom_rebuilds =
      0;  // for wider keys, or a larger one: bits set and partial collisions are of the last filter

  uint64_t lossy_capacity = 0;
  uint64_t lossy_elements = 0;   // states ever inserted
  uint64_t lossy_left = 0;       // in the cache now
  uint64_t reclaimed = 0;        // states evicted, which is when they go to a page
  uint64_t reclaimed_bytes = 0;  // sum of the sizes of their state vectors
  uint64_t reclaim_runs = 0;     // sweeps of the hand, each of reclaim_ahead entries
  uint64_t replacements = 0;     // entries that had to go for one new one, a neighbour: below an eighth of the table
  uint64_t lossy_queries = 0;
  uint64_t lossy_resolved = 0;  // answered "certainly visited"

  uint64_t cache_failures = 0;        // offers that neither cache decided
  uint64_t duplicate_candidates = 0;  // of them: already a candidate
  uint64_t reopened = 0;              // candidates that turned out to be new
  uint64_t explicit_lookups = 0;      // rounds of look-ups because nothing else was open; the caller counts them

  uint64_t lookups = 0;     // = cache_failures
  uint64_t max_lookup = 0;  // most candidates resolved in one check of a partition
  uint64_t revisits = 0;    // candidates found on pages
  uint64_t pages_written = 0;
  uint64_t pages_read = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_read = 0;
  uint64_t disk_bytes = 0;       // of all pages there are now
  uint64_t disk_bytes_peak = 0;  // the most there were; of several stripes the sum of theirs
  uint64_t stored_states = 0;    // on those pages
  uint64_t page_bytes = 0;       // --page-size
  uint32_t partitions = 0;
  uint64_t lookup_buffer = 0;      // candidates that one partition collects
  uint64_t bloom_freed_bytes = 0;  // given back by filters that had stopped deciding anything

  uint64_t turns = 0;           // of sorted rounds; 0: there were caches
  uint64_t seen_in_memory = 0;  // of revisits: found in front of the pages
  uint64_t ruled_out = 0;       // of reopened: certainly not on the pages, of which therefore none was read

  [[nodiscard]] uint64_t seen_on_pages() const { return revisits > seen_in_memory ? revisits - seen_in_memory : 0; }

  // Those of another stripe of the same store: sums; the greatest where a sum means nothing.
  StoreFigures& operator+=(const StoreFigures& other);
};

}  // namespace cmc
