#include "checker/search/disk/disk_nodes.h"

namespace cmc {

DiskNodesPlan plan_disk_nodes(const DiskNodesOptions& options, unsigned key_words) {
  const uint64_t least_chunk_bytes = std::clamp<uint64_t>(options.memory_bytes >> 12, 64, uint64_t{4} << 10);
  constexpr uint64_t kMostChunkBytes = uint64_t{256} << 10;
  const auto share = [&](uint64_t percent) { return options.memory_bytes / 100 * percent; };
  const uint64_t key_bytes = key_words * sizeof(uint64_t);

  DiskNodesPlan plan;
  plan.store = options.store;
  plan.store.codec = PageCodec::kKeys;
  plan.store.page_bytes = std::clamp<uint64_t>(std::bit_floor(options.memory_bytes >> 9), 512, uint64_t{16} << 10);
  plan.store.write_buffer_bytes = share(50);  // a chunk of a run is a part of it: RunContext::chunk_bytes_for()
  plan.batch = std::max<uint64_t>(16, share(35) / key_bytes);
  // Partitions are not all of one size.
  const uint64_t wanted = options.nodes / 4 * 5 / plan.batch + 1;
  const uint64_t most = std::max<uint64_t>(1, share(20) / least_chunk_bytes);
  plan.partitions = static_cast<uint32_t>(std::min({wanted, most, uint64_t{1} << 16}));
  plan.chunk_bytes = std::min(kMostChunkBytes, share(20) / plan.partitions);
  plan.owner_bytes = share(30);
  return plan;
}

}  // namespace cmc
