#include "checker/search/breadth_first.h"

#include <algorithm>

namespace cmc {

void BreadthFirst::explore() {
  parents_.push_back(0);
  uint64_t level_end = set().size();
  for (; current_ < set().size() && may_continue(); ++current_) {
    if (current_ == level_end) {
      note_depth(++depth_);
      level_end = set().size();
    }
    for (const Successor& successor : expand(static_cast<Id>(current_))) {
      if (successor.is_new) parents_.push_back(static_cast<Id>(current_));
    }
  }
}

std::vector<BreadthFirst::Id> BreadthFirst::ancestry() const {
  std::vector<Id> ids{static_cast<Id>(current_)};
  while (ids.back() != 0) ids.push_back(parents_[ids.back()]);
  std::reverse(ids.begin(), ids.end());
  return ids;
}

}  // namespace cmc
