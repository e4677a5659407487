#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checker/ranks/content_hashes.h"
#include "checker/ranks/ranks.h"
#include "checker/search/engine/context.h"

namespace cmc {

// The successors of one worker, in one layout, that belong to other ranks, until they are a batch.
template <unsigned W>
class RankOutbox {
 public:
  explicit RankOutbox(SearchContext& context)
      : ranks_(context.options.ranks), space_(*context.space), hashes_(*context.space) {
    if (ranks_ == nullptr) return;
    candidates_.resize(ranks_->count());
    most_ = ranks_->settings().batch_candidates;
    if (const uint64_t limit = context.options.memory_limit_bytes; limit > 0) {
      const uint64_t share = limit / kMemoryShare / context.workers / ranks_->count() / sizeof(Candidate<W>);
      most_ = std::min<size_t>(most_, std::max<size_t>(share, kLeast));
    }
  }

  // Later states are successors of this one.
  void set_parent(const Key<W>& parent) {
    parent_ = parent;
    hash_ = hashes_.of_key(parent);
  }
  [[nodiscard]] uint32_t owner(const Key<W>& state) { return ranks_->owner(hashes_.along(hash_, parent_, state)); }
  // True: there are so many for that rank that they are a batch.
  [[nodiscard]] bool add(uint32_t to, const Key<W>& state, const Origin& origin) {
    candidates_[to].push_back({state, origin});
    return candidates_[to].size() >= most_;
  }
  // Returns how many were there twice.
  uint64_t send(uint32_t to) {
    const size_t before = candidates_[to].size();
    return before == 0 ? 0 : before - ranks_->send(to, space_, candidates_[to]);
  }
  uint64_t send_all() {
    uint64_t twice = 0;
    for (uint32_t to = 0; to < candidates_.size(); ++to) twice += send(to);
    return twice;
  }

 private:
  static constexpr uint64_t kMemoryShare = 20;  // one part in so many of the limit is for all workers' candidates
  static constexpr size_t kLeast = 1024;        // smaller batches cost more than they are worth

  Ranks* const ranks_;  // null: there are no others
  const KeySpace& space_;
  ContentHashes hashes_;
  size_t most_ = 0;  // candidates for a rank
  Key<W> parent_{};
  uint64_t hash_ = 0;                                  // of parent_
  std::vector<std::vector<Candidate<W>>> candidates_;  // by rank
};

}  // namespace cmc
