
#include <algorithm>
#include <bit>

#include "storage/cache/lossy_cache.h"
#include "storage/cache/waiting_states.h"
#include "storage/pages/partition_store.h"

namespace cmc {

namespace {

constexpr uint64_t kWritePercent = 10;
constexpr uint64_t kCandidatePercent = 6;
// With 128 more candidates wait, and the cache loses states before they come again: Peterson 5 under 34 MB, 101
// million look-ups; 32: 78 million; 16: 72 million, but each goes through twice as many entries.
constexpr uint32_t kPartitions = 32;
constexpr uint64_t kLeastChunkBytes = uint64_t{8} << 10;
constexpr uint64_t kIndexPercent = 6;                      // fences of pages, buffers of a merge (RunContext)
constexpr uint64_t kMostLookupBuffer = uint64_t{1} << 30;  // check_options()
constexpr uint64_t kBloomPercent = 20;
constexpr uint64_t kBloomBitsPerState = 8;
constexpr uint64_t kSmallParts = uint64_t{32} << 10;  // of a stripe: what is rounded up to whole pages of memory

uint64_t lossy_capacity_for(uint64_t bytes, unsigned key_words, unsigned key_bits) {
  const unsigned hash_bits = std::clamp(key_bits, 16u, 62u);
  const unsigned more_bits = key_bits > 62 ? key_bits - 62 : 0;
  switch (key_words) {
    case 1: return LossyCache<1>::capacity_for(bytes, hash_bits, more_bits);
    case 2: return LossyCache<2>::capacity_for(bytes, hash_bits, more_bits);
    case 4: return LossyCache<4>::capacity_for(bytes, hash_bits, more_bits);
    case 8: return LossyCache<8>::capacity_for(bytes, hash_bits, more_bits);
    default: return LossyCache<16>::capacity_for(bytes, hash_bits, more_bits);
  }
}

}  // namespace

StoreOptions divide_memory(uint64_t memory_bytes, unsigned key_words, unsigned key_bits, uint64_t expected_states,
                           uint32_t stripes, uint64_t bloom_bits) {
  StoreOptions options;
  const auto share = [&](uint64_t percent) { return memory_bytes / 100 * percent; };

  options.write_buffer_bytes = share(kWritePercent);
  // A partition's part of the write buffer is a chunk in a file.
  options.partitions = static_cast<uint32_t>(std::clamp<uint64_t>(
      options.write_buffer_bytes / kLeastChunkBytes, std::max(stripes, 4u), std::max(stripes, kPartitions)));
  options.page_bytes = std::clamp<uint64_t>(std::bit_floor(memory_bytes >> 9), 512, 16 << 10);
  // In a check a state has its key and its origin; twice: as a candidate, and if it is new.
  const uint64_t waiting_bytes = 2 * (8 * uint64_t{key_words} + sizeof(Origin));
  options.lookup_buffer =
      std::clamp<uint64_t>(share(kCandidatePercent) / stripes / waiting_bytes, 4, kMostLookupBuffer);

  uint64_t bloom_bytes = bloom_bits > 0 ? bloom_bits / 8 : share(kBloomPercent);
  if (expected_states > 0 && bloom_bits == 0)
    bloom_bytes = std::clamp(expected_states * kBloomBitsPerState / 8, share(5), share(50));
  options.bloom_bits = 8 * bloom_bytes;
  const uint64_t merge_bytes =
      stripes * PartitionStore<1>::work_bytes(options.write_buffer_bytes / stripes, options.page_bytes);
  const uint64_t index_bytes = std::max(share(kIndexPercent), merge_bytes + share(3) + stripes * kSmallParts);
  // Very little memory does not suffice for the fixed parts: the cache gets something all the same.
  const uint64_t rest = share(100 - kWritePercent - kCandidatePercent);
  const uint64_t lossy_bytes =
      std::max(rest > bloom_bytes + index_bytes ? rest - bloom_bytes - index_bytes : 0, share(5));
  options.lossy_capacity = lossy_capacity_for(lossy_bytes, key_words, key_bits);
  return options;
}

}  // namespace cmc
