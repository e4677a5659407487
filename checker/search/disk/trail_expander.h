#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "checker/search/disk/store_plan.h"
#include "checker/search/engine/carrying.h"
#include "checker/search/engine/stage.h"
#include "checker/search/engine/successors.h"
#include "storage/pages/trail_log.h"

namespace cmc {

// A stage whose states are reached along paths of a log of trails, and have masks of sleeping processes.
template <unsigned W>
class TrailExpander : public BatchExpander<W> {
 public:
  using typename BatchExpander<W>::State;

  // All successors of a state, in the order of the log. False: keys are too narrow.
  [[nodiscard]] bool successors_of(const State& state, KeyBuffer<W>& successors) {
    make_room_in_memo();
    return this->try_to_expand_whole(state, successors);
  }

 protected:
  // Where more than a quarter of the steps asked for since the memo forgot all had to be computed, it gets a larger
  // part of the memory: they cost more than states that are looked up on disk (msi with 9 caches under 14M: 20 CPU s
  // for a third of the states, 2.5 for all of them with a memo of twice the size).
  void make_room_in_memo() {
    if (!this->memo_.crowded()) return;
    const MemoFigures now = this->generator_.figures();
    const bool forgot = this->memo_.clears() > 0;
    const bool thrashes = forgot && 4 * (now.misses - forgotten_.misses) > now.lookups - forgotten_.lookups;
    const uint64_t clears = this->memo_.clears();
    this->memo_.make_room(~uint64_t{0}, thrashes ? most_memo_bytes() : 0);
    if (this->memo_.clears() != clears) forgotten_ = now;
  }

  TrailExpander(SearchContext& context, StepMemo<W>& memo, Carriers<W>& carriers, uint32_t number,
                const StorePlan& plan, std::mutex& trail_mutex)
      : BatchExpander<W>(context, memo, number),
        masks_(carriers, memo, this->generator_, this->counts_, this->kBatch, unjudged_states(context)),
        plan_(plan),
        trail_mutex_(trail_mutex) {}

  // By a worker. In what a depth-first search in RAM has left open few processes sleep, whatever comes behind:
  // in readers_writers under 23M 8 %, 30 % in the next 80,000 states, then 50 %. A search that begins again
  // with the disk concludes as late, which costs little.
  [[nodiscard]] static uint64_t unjudged_states(const SearchContext& context) {
    return context.control.result().states_before_store / context.workers;
  }

  // Expands `batch`, of open states with `key` and `asleep`, into fresh_: BatchExpander::expand().
  template <class Open, class AfterEach>
  typename BatchExpander<W>::Expansion expand_open(std::span<const Open> batch, AfterEach&& after_each) {
    const auto key_of = [](const Open& open) -> const State& { return open.key; };
    if (!masks_.on()) return this->expand(batch, key_of, fresh_, after_each);
    masks_.begin(
        batch.size(), [&](size_t number) -> const State& { return batch[number].key; },
        [&](size_t number) { return static_cast<SleepMask>(batch[number].asleep); });
    return this->expand(batch, key_of, fresh_, after_each, masks_);
  }
  // Who sleeps in each of fresh_, the successors of `batch`.
  template <class Open>
  [[nodiscard]] const std::vector<SleepMask>& find_sleepers(std::span<const Open> batch) {
    asleep_.clear();
    const auto using_memo = this->generator_.use_memo();
    for (size_t i = 0; i < fresh_.size(); ++i) {
      const size_t parent = fresh_.parent(i);
      asleep_.push_back(masks_.after(parent, fresh_.process(i), batch[parent].key ^ fresh_[i]));
    }
    return asleep_;
  }

  // From the initial state, whose key is 0 in every layout, to the state of that number in the log. Empty: there is
  // none, or it cannot be read, which lost_path() tells.
  [[nodiscard]] std::vector<State> path_to(const State& key, uint64_t number) {
    if (plan_.trail == nullptr) {
      this->context_.control.path_is_lost({});
      return {};
    }
    std::unique_lock lock(trail_mutex_);
    const Result<TrailLog::Path> path_there = plan_.trail->path_to(number);
    lock.unlock();
    if (!path_there.ok()) {
      lost_path_ = Error{path_there.error()};
      this->context_.control.path_is_lost(path_there.error());
      return {};
    }
    std::vector<State> path{State{}};
    KeyBuffer<W> successors;
    for (const uint64_t index : path_there.value().indices) {
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

  MasksOfBatch<W> masks_;
  FreshSuccessors<W, true> fresh_;

 private:
  [[nodiscard]] uint64_t most_memo_bytes() const {
    SearchControl::Usage usage;
    usage.grace_bytes = this->context_.grace_bytes();
    const uint64_t spare = this->context_.control.spare_bytes(usage);  // a table and its larger successor take it
    return std::min(this->context_.most_memo_bytes, this->memo_.budget_bytes() + spare / 2);
  }

  std::vector<SleepMask> asleep_;
  MemoFigures forgotten_;  // when the memo forgot all
  const StorePlan& plan_;
  std::mutex& trail_mutex_;
  Status lost_path_ = Success{};
};

}  // namespace cmc
