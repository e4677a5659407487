#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "storage/files/file_system.h"
#include "storage/options/store_options.h"
#include "storage/pages/key_partitions.h"
#include "storage/pages/partition_queues.h"
#include "storage/pages/radix_sort.h"
#include "storage/pages/valued_keys.h"

namespace cmc {

struct DiskNodesOptions {
  StoreOptions store;            // directory, io and layout count
  uint32_t first_partition = 0;  // in names of files: behind those of the store of visited nodes
  uint64_t memory_bytes = uint64_t{64} << 20;
  uint64_t nodes = 0;  // at most, as far as is known
};

// How the memory is divided: 35 % for what is looked up at once, 20 % for what waits, 30 % for the owner, 5 % for
// buffers of files; the rest is for what grows with the number of pages, 0.005 bytes a node.
struct DiskNodesPlan {
  StoreOptions store;
  uint32_t partitions = 1;  // so many that all nodes of one can be sorted at once, if memory suffices for that
  uint64_t batch = 0;       // keys
  uint64_t chunk_bytes = 0;
  uint64_t owner_bytes = 0;
};
[[nodiscard]] DiskNodesPlan plan_disk_nodes(const DiskNodesOptions& options, unsigned key_words);

// A set of nodes on disk, each with a value of one byte, in limited memory. The targets of edges are sent to it, in
// any order; later those of a partition are sorted and looked up together, and change the values of the nodes that
// are in the set (delayed duplicate detection: waiting, storage/pages/partition_queues.h; Barnat, Brim, Šimeček, "I/O
// efficient accepting cycle detection", 2007).
//
// Functions return false if the files have failed, and from then on; then status() is the first error. Those that
// they call may send(), and return false to end everything.
template <unsigned W>
class DiskNodes {
 public:
  using Node = Key<W>;

  DiskNodes(const DiskNodesOptions& options, const std::array<unsigned, W>& word_bits, FileSystem& files)
      : plan_(plan_disk_nodes(options, W)),
        partition_of_(word_bits[0], plan_.partitions,
                      KeyPartitions::kFarBits + static_cast<unsigned>(std::bit_width(plan_.partitions / 32))),
        nodes_(plan_.store, options.first_partition, plan_.partitions, files),
        queues_(files, fmt::format("{}/targets.{}", plan_.store.directory, options.first_partition), plan_.partitions,
                plan_.chunk_bytes) {}

  // The nodes of the set, each once; then finish().
  [[nodiscard]] bool add(const Node& node) { return send(node); }
  [[nodiscard]] bool finish() {
    for (uint32_t partition = 0; partition < partitions(); ++partition) {
      while (queues_.size(partition) > 0) {
        if (!take(partition) || !check(nodes_.add(partition, batch_))) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool send(const Node& target) {
    return check(queues_.add(partition_of_.of_order(partition_of_.order(target[0])), target));
  }
  // Looks up what waits for a partition, at most a batch: apply(node, how often it was sent, value&) for each node of
  // the set among it.
  template <class Apply>
  [[nodiscard]] bool resolve(uint32_t partition, Apply&& apply) {
    bool more = true;
    return take(partition) &&
           check(nodes_.look_up(partition, batch_,
                                [&](const Node& node, ptrdiff_t times, uint8_t& value) {
                                  return more = apply(node, times, value);
                                })) &&
           more;
  }
  // All that waits for a partition when it is called, and perhaps some of what is sent meanwhile.
  template <class Apply>
  [[nodiscard]] bool resolve_present(uint32_t partition, Apply&& apply) {
    for (uint64_t left = queues_.size(partition); left > 0;) {
      if (!resolve(partition, apply)) return false;
      left -= std::min<uint64_t>(left, taken_);
    }
    return true;
  }
  // For partitions for which a batch or more waits.
  template <class Apply>
  [[nodiscard]] bool resolve_full(Apply&& apply) {
    for (uint32_t partition = 0; partition < partitions(); ++partition) {
      while (queues_.size(partition) >= plan_.batch) {
        if (!resolve(partition, apply)) return false;
      }
    }
    return true;
  }
  // Until nothing waits. The partition with most of it first: more comes together for the others meanwhile.
  template <class Apply>
  [[nodiscard]] bool resolve_all(Apply&& apply) {
    for (;;) {
      uint32_t most = 0;
      for (uint32_t partition = 1; partition < partitions(); ++partition) {
        if (queues_.size(partition) > queues_.size(most)) most = partition;
      }
      if (queues_.size(most) == 0) return true;
      if (!resolve(most, apply)) return false;
    }
  }

  // visit(node, value&) for each node of a partition.
  template <class Visit>
  [[nodiscard]] bool visit(uint32_t partition, Visit&& visit_one) {
    bool more = true;
    return check(nodes_.visit(partition,
                              [&](const Node& node, uint8_t& value) { return more = visit_one(node, value); })) &&
           more;
  }
  // Removes the nodes of which keep(value) does not hold. The values of the others are ValuedKeys::kFirst again.
  template <class Keep>
  [[nodiscard]] bool filter(Keep&& keep) {
    for (uint32_t partition = 0; partition < partitions(); ++partition) {
      if (!check(nodes_.filter(partition, keep))) return false;
    }
    return true;
  }
  void forget_values() { nodes_.forget_values(); }

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] uint32_t partitions() const { return plan_.partitions; }
  [[nodiscard]] uint64_t size() const { return nodes_.size(); }
  [[nodiscard]] const DiskNodesPlan& plan() const { return plan_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return nodes_.memory_bytes() + queues_.memory_bytes() + batch_.capacity() * sizeof(Node);
  }
  [[nodiscard]] uint64_t bytes_on_disk() const { return nodes_.bytes_on_disk(); }

 private:
  [[nodiscard]] bool check(const Status& status) {
    if (!status.ok() && status_.ok()) status_ = status;
    return status_.ok();
  }
  // Into batch_, sorted.
  [[nodiscard]] bool take(uint32_t partition) {
    batch_.clear();
    batch_.reserve(std::min(plan_.batch, queues_.size(partition)));
    if (!check(queues_.take(partition, plan_.batch, [&](const Node& node) { batch_.push_back(node); }))) return false;
    taken_ = batch_.size();
    radix_sort<W>(batch_.data(), batch_.data() + batch_.size(),
                  [](const Node& node, unsigned word) { return node[word]; });
    return true;
  }

  const DiskNodesPlan plan_;
  const KeyPartitions partition_of_;
  ValuedKeys<W> nodes_;
  PartitionQueues<Node> queues_;
  std::vector<Node> batch_;
  uint64_t taken_ = 0;
  Status status_ = Success{};
};

}  // namespace cmc
