#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/search/key_expander.h"
#include "checker/search/parked_states.h"
#include "checker/search/store_plan.h"
#include "storage/cached_store.h"

// The fast engine beyond memory: visited states in a CachedStore, open ones in a queue that goes to a file, and
// how each was reached in a log, from which the path to an error is rebuilt.

namespace cmc {

// The state vectors that belong to keys of the layout of the moment.
class KeySpaceVectors final : public StateVectors {
 public:
  explicit KeySpaceVectors(const KeySpace& space) : space_(space) {}
  void unpack(const uint64_t* words, Bytes& state) const override { space_.unpack(words, state); }
  [[nodiscard]] uint64_t state_bytes(const uint64_t* words) const override { return space_.state_bytes(words); }

 private:
  const KeySpace& space_;
};

// One layout's search. Breadth-first goes level by level, the candidates of a level being resolved at its end, so the
// path to the first error is shortest. A depth-first search expands the oldest open states first, too, and looks up
// partitions one by one when there are none: a stack, which candidates scatter anyway, made half as many candidates
// again (bench_store 5 5, 7.0 million with a queue, 10.5 with a stack).
//
// It begins with the initial state, even if a search in RAM has found a part before. What a stack leaves open is
// everywhere, so its successors lead to states that the cache gave up long ago; and to hand over states takes about
// as long as to find them again. CPU seconds (million look-ups) with states handed over -> found again:
//
//     memory, of what is needed       a tenth                        a half          85 %
//     leader 9                        14.3 (24.8) -> 12.2 (15.7)     12.3 -> 12.8    14.0 -> 15.6
//     Peterson 5                      20.8 (59.4) -> 19.5 (54.1)     17.0 -> 16.7    16.1 -> 17.4
//     philosophers 11                 22.5 (64.7) -> 16.2 (35.8)     13.9 -> 11.0    14.9 -> 10.9
//     bakery, 3 processes, 4 rounds   36.8 -> 34.0 (48.9)            33.4 -> 30.7
template <unsigned W>
class StoreSearch {
 public:
  StoreSearch(KeySearchContext& context, StorePlan& plan);
  ~StoreSearch();

  void start();
  template <unsigned V>
  void take_over(StoreSearch<V>& from, const Layout& old_layout);

  // Returns when all is done, when the search has been stopped, or when a re-layout is needed (true).
  bool run();
  // Decides what is undecided; false: the search has been stopped.
  bool prepare_relayout();

  [[nodiscard]] uint64_t visited() {
    uint64_t total = 0;
    for_each_store([&](CachedStore<W>& store) { total += store.figures().lossy_elements; });
    return total;
  }
  [[nodiscard]] StoreFigures figures();
  [[nodiscard]] uint64_t candidates() {
    uint64_t total = 0;
    for_each_store([&](CachedStore<W>& store) { total += store.candidates(); });
    return total;
  }

 private:
  template <unsigned V>
  friend class StoreSearch;

  // A state that waits to be expanded; `number` is that in the trail log.
  struct Open {
    Key<W> key{};
    uint64_t number = 0;
  };
  // One that has just been found to be new.
  struct Found {
    Key<W> key{};
    uint64_t parent = 0;
    uint64_t index = 0;  // among the parent's successors
  };
  static constexpr unsigned kIndexBits = 20;
  static uint64_t tag_of(uint64_t parent, uint64_t index) { return parent << kIndexBits | index; }

  struct Stripe {
    std::mutex mutex;
    std::unique_ptr<CachedStore<W>> store;
    uint32_t first_partition = 0;
    uint32_t end_partition = 0;
  };
  class Worker;

  [[nodiscard]] std::string path_of(const char* name) const {
    return fmt::format("{}/{}.{}", plan_.directory->path(), name, plan_.options.layout);
  }
  [[nodiscard]] bool breadth_first() const { return context_.options.order == SearchOptions::Order::kBreadthFirst; }
  [[nodiscard]] Stripe& stripe_of(const HashedKey<W>& key) const {
    return stripes_.size() == 1 ? *stripes_.front() : *by_partition_[hasher_.partition(key.order)];
  }
  std::unique_ptr<CachedStore<W>> make_store(uint32_t number);
  template <unsigned V, class Convert>
  Status take_over_states(StoreSearch<V>& from, Convert&& convert);
  void open_stores();
  void open_workers();

  // The open states, under mutex_.
  void put(std::span<const Found> found);
  bool push(const Open& open);
  bool push_again(const Open& open);  // one that was popped
  bool pop(Open& open);
  void park(const Open& open, uint32_t question) { parked_.park(question, open, 2 * sizeof(Open)); }
  void wait_for_parked(std::unique_lock<std::mutex>& lock);
  bool next_level();
  bool take(std::vector<Open>& batch);

  enum class Resolved : uint8_t { kNone, kSome, kStopped };
  // Looks up all candidates.
  Resolved resolve_all();
  // Those of the partition that has most of them: more come together for the others meanwhile.
  Resolved resolve_most();
  Resolved resolve_one(Stripe& stripe, uint32_t partition);
  bool resolve_partition(Stripe& stripe, uint32_t partition, std::vector<Found>& found);
  void halt() {
    const std::lock_guard lock(mutex_);
    halted_ = true;
    changed_.notify_all();
  }
  // The first error of the store ends the search.
  template <class T>
  bool check(const Result<T>& result) {
    if (result.ok()) return true;
    context_.control.stop("store", result.error());
    halted_ = true;
    return false;
  }
  void check_limits(const char* phase);
  template <class Visit>
  void for_each_store(Visit&& visit) {
    for (const std::unique_ptr<Stripe>& stripe : stripes_) {
      const std::lock_guard lock(stripe->mutex);
      visit(*stripe->store);
    }
  }

  KeySearchContext& context_;
  StorePlan& plan_;
  const KeySpaceVectors vectors_;
  const std::array<unsigned, W> word_bits_;
  const StateHasher<W> hasher_;
  StepMemo<W> memo_;
  std::vector<std::unique_ptr<Stripe>> stripes_;
  std::vector<Stripe*> by_partition_;

  std::mutex mutex_;  // of all below, and of the trail log
  std::condition_variable changed_;
  std::unique_ptr<SpillQueue<Open>> open_;   // not breadth-first
  std::unique_ptr<SpillQueue<Open>> level_;  // breadth-first
  std::unique_ptr<SpillQueue<Open>> next_level_;
  ParkedStates<Open> parked_;  // breadth-first: of the level
  uint32_t waiting_ = 0;
  bool resolving_ = false;
  std::vector<Found> resolved_;  // of whoever is resolving
  std::atomic<bool> halted_{false};
  bool relayout_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

struct StoreTotals {
  uint64_t states = 0;
  StoreFigures figures;
  bool undecided = false;  // candidates are left: the search has been stopped
  bool too_wide = false;
};
// Runs until all is done, with wider keys after re-layouts. REQUIRES: open states.
template <unsigned W>
StoreTotals run_store_search(KeySearchContext& context, StorePlan& plan, std::unique_ptr<StoreSearch<W>> search);

}  // namespace cmc
