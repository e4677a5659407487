#include "storage/options/store_options.h"

#include <fmt/format.h>

#include "storage/sets/bloom_filter.h"

namespace cmc {

namespace {

struct Limit {
  const char* name;
  uint64_t value;
  uint64_t least;
  uint64_t most;
};

}  // namespace

Status check_options(const StoreOptions& options) {
  constexpr uint64_t kNoLimit = ~uint64_t{0};
  const Limit limits[] = {
      {"the Bloom filter's size in bits", options.bloom_bits, 1, uint64_t{1} << 50},
      {"the number of hash functions", options.bloom_hashes, 1, BloomFilter::kMostHashes},
      {"the capacity of the lossy cache", options.lossy_capacity, 1, uint64_t{1} << 40},
      {"the number of states reclaimed at a time", options.reclaim_ahead, 1, kNoLimit},
      {"the number of candidates of a partition", options.lookup_buffer, 1, uint64_t{1} << 30},
      {"the number of partitions", options.partitions, 1, 4096},
      {"the page size", options.page_bytes, 512, uint64_t{1} << 28},
      {"the compression level", static_cast<uint64_t>(options.zlib_level), 1, 9},
      {"the number of bits of the SHA-1", options.sha1_bits, 16, 160},
  };
  for (const Limit& limit : limits) {
    if (limit.value >= limit.least && limit.value <= limit.most) continue;
    return Error{
        fmt::format("{} is {}; it has to be between {} and {}", limit.name, limit.value, limit.least, limit.most)};
  }
  if (options.directory.empty()) return Error{"the store needs a directory"};
  return Success{};
}

}  // namespace cmc
