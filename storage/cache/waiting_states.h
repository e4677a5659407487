#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/pages/origin.h"
#include "storage/pages/page.h"
#include "storage/pages/partition_queues.h"
#include "storage/sets/key.h"

namespace cmc {

// Per partition of a stripe, a queue of states that are still to be dealt with: candidates, and visited states that
// are on their way to a page. 8 W + 16 bytes a state. Not thread-safe; after an error it is not usable any more.
template <unsigned W>
class WaitingStates {
 public:
  static constexpr Origin kVisited{~uint64_t{0}, 0, 0};
  struct Record {
    Key<W> key{};   // not permuted
    Origin origin;  // of a candidate; or kVisited
    [[nodiscard]] bool visited() const { return origin.parent == kVisited.parent; }
    [[nodiscard]] SortKey<W> entry() const { return {0, key}; }  // for the codec kKeys
  };

  // chunk_bytes: of each partition in RAM.
  WaitingStates(FileSystem& files, std::string path, uint32_t partitions, uint64_t chunk_bytes)
      : queues_(files, std::move(path), partitions, chunk_bytes), candidates_(partitions) {}

  [[nodiscard]] Status add(uint32_t partition, const Record& record) {
    Status status = queues_.add(partition, record);
    if (status.ok() && !record.visited()) ++candidates_[partition];
    return status;
  }
  // Removes the oldest: PartitionQueues::take().
  template <class Visit>
  [[nodiscard]] Status take(uint32_t partition, uint64_t most, Visit&& visit) {
    return queues_.take(partition, most, [&](const Record& record) {
      DCHECK(record.visited() || candidates_[partition] > 0);
      candidates_[partition] -= record.visited() ? 0 : 1;
      visit(record);
    });
  }

  // visit(record) for each, the oldest first; they stay.
  template <class Visit>
  [[nodiscard]] Status visit(uint32_t partition, Visit&& visit) {
    return queues_.visit(partition, visit);
  }

  // Whether all are in RAM.
  [[nodiscard]] bool in_memory(uint32_t partition) const { return queues_.in_memory(partition); }
  [[nodiscard]] uint64_t size(uint32_t partition) const { return queues_.size(partition); }
  [[nodiscard]] uint64_t candidates(uint32_t partition) const { return candidates_[partition]; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return queues_.memory_bytes() + candidates_.capacity() * sizeof(uint64_t);
  }
  // REQUIRES: no error.
  void check_invariants() const {
    queues_.check_invariants();
    for (uint32_t i = 0; i < candidates_.size(); ++i) CHECK(candidates_[i] <= queues_.size(i));
  }

 private:
  PartitionQueues<Record> queues_;
  std::vector<uint64_t> candidates_;  // by partition
};

}  // namespace cmc
