#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace cmc {

// Counts explicit look-ups: those on disk for which the search waits, because no other state is open. CMC of 2006
// went over all partitions then, and counted that once. Today the partition with the most candidates is looked up,
// and the search goes on with what that finds. So a round here is a sequence of look-ups of different partitions; the
// next one begins when it is the turn of a partition for the second time. Not thread-safe.
class LookupRounds {
 public:
  // The next look-up is the first one of a round.
  void begin_round() { ended_ = true; }
  void note(uint32_t partition) {
    if (partition >= round_of_.size()) round_of_.resize(partition + 1, 0);
    if (std::exchange(ended_, false) || round_of_[partition] == rounds_) ++rounds_;
    round_of_[partition] = rounds_;
    ++partitions_;
  }
  [[nodiscard]] uint64_t rounds() const { return rounds_; }
  [[nodiscard]] uint64_t partitions() const { return partitions_; }  // looked up in all rounds

 private:
  std::vector<uint64_t> round_of_;  // by partition: the last one that it was looked up in, from 1
  uint64_t rounds_ = 0;
  uint64_t partitions_ = 0;
  bool ended_ = true;
};

}  // namespace cmc
