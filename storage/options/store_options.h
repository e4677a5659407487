#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "storage/files/file_system.h"
#include "storage/options/evaluator.h"
#include "storage/options/page_codec.h"

namespace cmc {

// Of all stripes together: each takes its share.
struct StoreOptions {
  std::string directory;  // exists; file names are p<partition>.<number>
  uint64_t bloom_bits = uint64_t{1} << 27;
  bool bloom_grows = false;   // the filter begins small and grows with the number of states, up to bloom_bits
  unsigned bloom_hashes = 3;  // 1..8
  uint64_t lossy_capacity = uint64_t{1} << 20;  // states
  bool lossy_grows = false;                     // likewise
  bool lossy_inherits = false;                  // the cache gets the memory of a Bloom filter that is full
  uint64_t reclaim_ahead = 1;                   // states evicted at a time; 1: a neighbour of the new one
  Evaluator evaluator = Evaluator::kAge;
  uint64_t lookup_buffer = 4096;  // states that wait for one partition until it is checked
  uint32_t partitions = 128;
  uint64_t page_bytes = uint64_t{16} << 10;  // before compression, at least 512; a longer state has a page of its own
  uint64_t write_buffer_bytes = uint64_t{8} << 20;  // states that wait, in RAM, all partitions
  PageCodec codec = PageCodec::kKeys;
  int zlib_level = 6;       // 1..9
  unsigned sha1_bits = 40;  // 16..160
  FileAccess io = FileAccess::kBuffered;
  uint32_t layout = 0;      // number of the layout of the keys; another one after a re-layout
  bool keep_files = false;  // otherwise the store removes its files when it goes
  bool keep_open = true;    // files that are read often; not if each has a buffer (AsyncFiles)
};

// Says what is wrong with the options.
[[nodiscard]] Status check_options(const StoreOptions& options);

}  // namespace cmc
