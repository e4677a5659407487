#include "storage/rounds/round_plan.h"

#include <algorithm>

#include "storage/pages/origin.h"

namespace cmc {

RoundPlan plan_rounds(const StoreOptions& options, uint64_t memory_bytes, uint32_t workers, unsigned key_words,
                      uint32_t partitions) {
  // Of memory, for each partition: more of them make turns shorter as long as they are few.
  constexpr uint64_t kPartitionBytes = uint64_t{1} << 20;
  constexpr uint64_t kFewPartitions = 64;
  constexpr uint64_t kPartitionBytesOfFew = uint64_t{256} << 10;
  constexpr uint64_t kLeastPartitions = 8;  // for each worker, so that they do not wait for each other
  constexpr uint64_t kMostPartitions = 4096;
  constexpr uint64_t kLeastChunkBytes = uint64_t{1} << 10;
  constexpr uint64_t kMostChunkBytes = uint64_t{64} << 10;
  const uint64_t key_bytes = key_words * sizeof(uint64_t);
  const uint64_t record_bytes = key_bytes + sizeof(Origin);
  const auto share = [&](uint64_t percent) { return memory_bytes / 100 * percent; };

  RoundPlan plan;
  plan.store = options;
  const uint64_t few = std::min(memory_bytes / kPartitionBytesOfFew, kFewPartitions);
  const uint64_t worth = std::clamp<uint64_t>(std::max(memory_bytes / kPartitionBytes, few),
                                              std::min(kLeastPartitions * workers, kMostPartitions), kMostPartitions);
  plan.store.partitions = partitions > 0 ? partitions : static_cast<uint32_t>(worth);
  plan.chunk_bytes = std::clamp(share(25) / plan.store.partitions, kLeastChunkBytes, kMostChunkBytes);
  plan.side_bytes = share(30);
  plan.filter_bytes = share(30);  // few candidates take little of their part
  plan.turn_records =
      std::max<uint64_t>(64, share(17) / workers / (2 * record_bytes));  // they are sorted into others
  plan.outbox_records =
      static_cast<uint32_t>(std::clamp<uint64_t>(share(10) / workers / plan.store.partitions / record_bytes, 1, 64));
  plan.store.page_bytes = std::clamp<uint64_t>(std::bit_floor(memory_bytes >> 9), 512, uint64_t{16} << 10);
  plan.store.write_buffer_bytes = share(10) / workers;  // a chunk of a run is a part of it (RunContext)
  return plan;
}

}  // namespace cmc
