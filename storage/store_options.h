#pragma once

#include <cstdint>
#include <string>

#include "checker/base/bytes.h"
#include "checker/base/result.h"

namespace cmc {

// How states are written on pages (FORMAT.md).
enum class PageCodec : uint8_t {
  kKeys,  // keys, sorted, their differences, DEFLATE: about 2 bytes for a key of 46 bits
  kRaw,   // state vectors
  kZlib,  // state vectors, DEFLATE
  kSha1,  // the first `sha1_bits` bits of the state vector's SHA-1: may confuse states
};

// Which states a full lossy cache gives up first (lossy_cache.h).
enum class Evaluator : uint8_t { kAge, kIncoming, kOutgoing, kCombined };

enum class FileAccess : uint8_t { kBuffered, kDirect };

// Of all stripes together: each takes its share.
struct StoreOptions {
  std::string directory;  // exists; file names are p<partition>.<number>
  uint64_t bloom_bits = uint64_t{1} << 27;
  unsigned bloom_hashes = 3;                      // 1..8
  uint64_t lossy_capacity = uint64_t{1} << 20;    // states
  uint64_t reclaim_ahead = 1;                     // states evicted at a time; 1: a neighbour of the new one
  Evaluator evaluator = Evaluator::kAge;
  uint64_t lookup_buffer = 4096;                  // candidates that one partition collects
  uint32_t partitions = 128;
  uint64_t page_bytes = uint64_t{16} << 10;  // before compression, at least 512; a longer state has a page of its own
  uint64_t write_buffer_bytes = uint64_t{8} << 20;  // states on their way to the disk, all partitions
  PageCodec codec = PageCodec::kKeys;
  int zlib_level = 6;      // 1..9
  unsigned sha1_bits = 40;  // 16..64
  FileAccess io = FileAccess::kBuffered;
  uint32_t layout = 0;      // number of the layout of the keys; another one after a re-layout
  bool keep_files = false;  // otherwise the store removes its files when it goes
};

// Says what is wrong with the options.
[[nodiscard]] Status check_options(const StoreOptions& options);

// A division of `memory_bytes`, at least 4 MB per stripe, between the parts, for keys of `key_words` words of which
// `key_bits` are used in all: 20 % Bloom filter, 44 % lossy cache, 20 % candidates, 10 % write buffers, 6 % for the
// fences of pages and the buffers of merges. With room for a sixth of the states (bench_store 5 16, depth-first, runs
// of 16 KB) CPU seconds for filter/cache/candidates: 15/45/20 12.2, 15/35/30 12.4, 25/35/20 13.1, 25/50/10 14.4,
// 35/40/10 15.6, 15/55/10 17.4: a candidate more saves more reading than a state more in the cache. As it is now, with
// runs of 64 KB: 9.5. One run each, on a loaded machine.
//
// expected_states, if it is not 0, decides about the Bloom filter instead: 8 bits for each, 5 to 50 %. `stripes`: how
// many stores share it.
//
// Fences grow with the disk, 0.5 % of it: they exceed their share when the disk has ten times as much as memory.
[[nodiscard]] StoreOptions divide_memory(uint64_t memory_bytes, unsigned key_words, unsigned key_bits,
                                         uint64_t expected_states = 0, uint32_t stripes = 1);

// What the store asks about a state; thread-safe.
class StateVectors {
 public:
  virtual ~StateVectors() = default;
  // Writes the state vector of a key.
  virtual void unpack(const uint64_t* words, Bytes& state) const = 0;
  // Its length.
  [[nodiscard]] virtual uint64_t state_bytes(const uint64_t* words) const = 0;
};

}  // namespace cmc
