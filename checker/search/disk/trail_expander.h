#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "checker/search/engine/stage.h"
#include "storage/pages/trail_log.h"

namespace cmc {

// A stage whose states are reached along paths of a log of trails.
template <unsigned W>
class TrailExpander : public BatchExpander<W> {
 public:
  using typename BatchExpander<W>::State;

 protected:
  TrailExpander(SearchContext& context, StepMemo<W>& memo, uint32_t number, TrailLog& trail, std::mutex& trail_mutex)
      : BatchExpander<W>(context, memo, number), trail_(trail), trail_mutex_(trail_mutex) {}

  // From the initial state, whose key is 0 in every layout, to the state of that number in the log. Empty: it cannot
  // be read, which lost_path() tells.
  [[nodiscard]] std::vector<State> path_to(const State& key, uint64_t number) {
    std::unique_lock lock(trail_mutex_);
    const Result<std::vector<uint64_t>> indices = trail_.path_to(number);
    lock.unlock();
    if (!indices.ok()) {
      lost_path_ = Error{indices.error()};
      this->context_.control.path_is_lost(indices.error());
      return {};
    }
    std::vector<State> path{State{}};
    KeyBuffer<W> successors;
    for (const uint64_t index : indices.value()) {
      this->expand_whole(path.back(), successors);
      if (index >= successors.size()) break;
      path.push_back(successors[index]);
    }
    // The log has checksums, so a wrong path is a mistake of CMC, not of the disk.
    CHECK(path.back() == key);
    return path;
  }
  // Once.
  [[nodiscard]] Status lost_path() { return std::exchange(lost_path_, Success{}); }

 private:
  TrailLog& trail_;
  std::mutex& trail_mutex_;
  Status lost_path_ = Success{};
};

}  // namespace cmc
