#pragma once

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
    if (ranks_ != nullptr) candidates_.resize(ranks_->count());
  }

  // Later states are successors of this one.
  void set_parent(const Key<W>& parent) {
    parent_ = parent;
    hash_ = hashes_.of_key(parent);
  }
  [[nodiscard]] uint32_t owner(const Key<W>& state) {
    return ranks_->owner(hashes_.along(hash_, parent_, state));
  }
  // True: there are so many for that rank that they are a batch.
  [[nodiscard]] bool add(uint32_t to, const Key<W>& state, const Origin& origin) {
    candidates_[to].push_back({state, origin});
    return candidates_[to].size() >= ranks_->settings().batch_candidates;
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
  Ranks* const ranks_;  // null: there are no others
  const KeySpace& space_;
  ContentHashes hashes_;
  Key<W> parent_{};
  uint64_t hash_ = 0;                            // of parent_
  std::vector<std::vector<Candidate<W>>> candidates_;  // by rank
};

}  // namespace cmc
