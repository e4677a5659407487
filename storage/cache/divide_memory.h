#pragma once

#include <cstdint>

#include "storage/cache/divide_memory.h"
#include "storage/options/store_options.h"

namespace cmc {

// A division of `memory_bytes`, at least 4 MB per stripe, between the parts, for keys of `key_words` words of which
// `key_bits` are used in all: 20 % Bloom filter, 58 % lossy cache, 6 % for what is checked at once, 10 % for what
// waits, 6 % for the fences of pages and the buffers of merges. What is checked at once: with room for a twelfth of
// the states (bench_store 5 5 order=bfs hashes=1) 15, 5 and 2 percent make 7.0, 4.7 and 2.6 million candidates
// of 22.0 million offers, because fewer states wait and so the cache sees them again sooner; but pages are read more
// often, 153, 172 and 185 ns per offer. In Peterson 5 under 36 MB 15, 5 and 8 percent took 51, 45 and 49 CPU seconds.
// One run each, on a loaded machine.
//
// expected_states, if it is not 0, decides about the Bloom filter instead: 8 bits for each, 5 to 50 %. `stripes`: how
// many stores share it. bloom_bits: of a filter of a given size, 0 if there is none; the cache gets the rest.
//
// Fences grow with the disk, 0.5 % of it: they exceed their share when the disk has ten times as much as memory.
[[nodiscard]] StoreOptions divide_memory(uint64_t memory_bytes, unsigned key_words, unsigned key_bits,
                                         uint64_t expected_states = 0, uint32_t stripes = 1, uint64_t bloom_bits = 0);

}  // namespace cmc
