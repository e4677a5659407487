#pragma once

#include <cstdint>
#include <string>

#include "checker/base/bytes.h"
#include "checker/base/result.h"

namespace cmc {

// How states are written on pages (FORMAT.md).
enum class PageCodec : uint8_t {
  kKeys,  // keys, sorted, their differences: about 3 bytes a state
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
  unsigned bloom_hashes = 3;                    // 1..8
  uint64_t lossy_capacity = uint64_t{1} << 20;  // states
  uint64_t reclaim_ahead = 1;                   // states evicted at a time; 1: a neighbour of the new one
  Evaluator evaluator = Evaluator::kAge;
  uint64_t lookup_buffer = 4096;  // states that wait for one partition until it is checked
  uint32_t partitions = 128;
  uint64_t page_bytes = uint64_t{16} << 10;  // before compression, at least 512; a longer state has a page of its own
  uint64_t write_buffer_bytes = uint64_t{8} << 20;  // states that wait, in RAM, all partitions
  PageCodec codec = PageCodec::kKeys;
  int zlib_level = 6;       // 1..9
  unsigned sha1_bits = 40;  // 16..64
  FileAccess io = FileAccess::kBuffered;
  uint32_t layout = 0;      // number of the layout of the keys; another one after a re-layout
  bool keep_files = false;  // otherwise the store removes its files when it goes
};

// Says what is wrong with the options.
[[nodiscard]] Status check_options(const StoreOptions& options);

// A division of `memory_bytes`, at least 4 MB per stripe, between the parts, for keys of `key_words` words of which
// `key_bits` are used in all: 20 % Bloom filter, 58 % lossy cache, 6 % for what is checked at once, 10 % for what
// waits, 6 % for the fences of pages and the buffers of merges. What is checked at once: with room for a twelfth of
// the states (bench_store 5 5 order=bfs hashes=1) 15, 5 and 2 percent make 7.0, 4.7 and 2.6 million candidates
// of 22.0 million offers, because fewer states wait and so the cache sees them again sooner; but pages are read more
// often, 153, 172 and 185 ns per offer. In Peterson 5 under 36 MB 15, 5 and 8 percent took 51, 45 and 49 CPU seconds.
// One run each, on a loaded machine.
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
