#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/search/disk/disk_checkpoint.h"
#include "checker/search/disk/disk_engine.h"
#include "checker/search/disk/frontier.h"
#include "checker/search/disk/store_plan.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/engines.h"
#include "checker/search/engine/parked.h"
#include "storage/cache/cached_store.h"

// The engine with the disk store: visited states in a CachedStore, open ones in a Frontier, and how each was reached
// in a log, from which the path to an error is rebuilt.

namespace cmc {

// One layout's search. Whether a state is new is often known late: it is a candidate until its partition is looked
// up.
//
//   depth first    Last in, first out. Successors that are known to be new are pushed when their parent is
//                  expanded; candidates that prove to be new are pushed when they are looked up. Partitions are
//                  looked up when the stack is empty, or when too many candidates wait for one of them.
//
//   oldest first   First in, first out; partitions likewise. (Used by kAuto: a stack, whose order the candidates
//                  disturb anyway, makes half as many candidates again: bench_store 5 5 makes 7.0 million with a
//                  queue, 10.5 million with a stack.)
//
//   breadth first  Level by level. The candidates of a level are resolved at its end, so the path to the first
//                  error is shortest.
//
// It begins with the initial state, even if a search in RAM has found a part before. What a stack leaves open is
// everywhere, so its successors lead to states that the cache gave up long ago; and to hand over states takes about
// as long as to find them again. CPU seconds (million look-ups) with states handed over -> found again, oldest first:
//
//     memory, of what is needed       a tenth                        a half          85 %
//     leader 9                        14.3 (24.8) -> 12.2 (15.7)     12.3 -> 12.8    14.0 -> 15.6
//     Peterson 5                      20.8 (59.4) -> 19.5 (54.1)     17.0 -> 16.7    16.1 -> 17.4
//     philosophers 11                 22.5 (64.7) -> 16.2 (35.8)     13.9 -> 11.0    14.9 -> 10.9
//     bakery, 3 processes, 4 rounds   36.8 -> 34.0 (48.9)            33.4 -> 30.7
//
// Locks: `mutex_` and the stripes' are taken before the gate's, and never two of them at once.
template <unsigned W>
class DiskCache : public DiskEngine<W> {
 public:
  explicit DiskCache(SearchContext& context);
  ~DiskCache() override;

  // The interface of relayout.h.
  void start();
  template <unsigned V>
  [[nodiscard]] bool has_room_for(const DiskCache<V>&, const Layout&) const {
    return true;
  }
  template <unsigned V>
  void take_over(DiskCache<V>& from, const Layout& old_layout);
  void save(CheckpointWriter& writer) override;
  // From a checkpoint of this engine, or of a search in RAM, whose states have no paths in a log.
  [[nodiscard]] bool load(const Manifest& manifest);
  End run();
  // Decides every candidate, and writes what waits for that, so that nothing depends on the old keys.
  [[nodiscard]] bool ready_for_relayout();
  void layout_changed();
  [[nodiscard]] bool may_divide() const { return false; }
  [[nodiscard]] uint64_t states();
  [[nodiscard]] Remainder left() const { return left_; }
  [[nodiscard]] DiskTotals totals() override;

 private:
  template <unsigned V>
  friend class DiskCache;

  using DiskEngine<W>::context_;
  using DiskEngine<W>::plan_;
  using DiskEngine<W>::crew_;
  using DiskEngine<W>::hasher_;
  using DiskEngine<W>::memo_;
  using DiskEngine<W>::carriers_;
  using DiskEngine<W>::word_bits_;
  using DiskEngine<W>::final_totals_;
  using DiskEngine<W>::lasting_files_;
  using DiskEngine<W>::check;
  using DiskEngine<W>::check_limits;

  using Open = typename Frontier<W>::Open;
  // A state that has just been found to be new.
  struct Found {
    Key<W> key{};
    Origin origin;
  };
  struct Stripe {
    std::mutex mutex;
    std::unique_ptr<CachedStore<W>> store;
    uint32_t first_partition = 0;
    uint32_t end_partition = 0;
  };
  class Worker;

  [[nodiscard]] Stripe& stripe_of(const HashedKey<W>& key) const {
    return stripes_.size() == 1 ? *stripes_.front() : *by_partition_[hasher_.partition(key.order)];
  }
  std::unique_ptr<CachedStore<W>> make_store(uint32_t number);
  template <unsigned V, class Convert>
  Status take_over_states(DiskCache<V>& from, Convert&& convert);
  void open_stores();
  void open_workers();

  // --- checkpoints
  void begin_with(const Manifest& manifest);
  [[nodiscard]] Status load_parts(const Manifest& manifest);
  [[nodiscard]] Status load_open(InStream& from, const Manifest& manifest);
  [[nodiscard]] Status offer_again(const Key<W>& key, const Origin& origin);

  // --- open states
  void put(std::span<const Found> found);
  void put_again(std::span<const Open> states);
  void take_open(std::vector<Open>& batch);
  // The next states to be expanded, for a worker that has none. The last one that finds nothing sees to the
  // candidates. False: it is the end.
  bool take(std::vector<Open>& batch);
  enum class Rested : uint8_t { kWoken, kAlone };
  Rested rest();
  void see_to_candidates();
  void wait_for_parked();

  // --- candidates
  enum class Resolved : uint8_t { kNone, kSome, kStopped };
  Resolved resolve_all();
  // Those of the partition that has most of them: more come together for the others meanwhile.
  Resolved resolve_most();
  Resolved resolve_one(Stripe& stripe, uint32_t partition);
  bool resolve_partition(Stripe& stripe, uint32_t partition, std::vector<Found>& found);

  // Whether the search is to be saved before its store becomes the hull's.
  [[nodiscard]] bool saves_before_hull() {
    return context_.find_cycles && context_.options.checkpoints != nullptr && !std::exchange(saved_explored_, true);
  }
  static constexpr uint64_t kLeastHullBytes = uint64_t{1} << 20;
  [[nodiscard]] uint64_t memory_for_hull();
  // True: there is no accepting cycle. Otherwise one was reported, or the search has been stopped.
  [[nodiscard]] bool shows_absence();
  // Whether workers have to stop while they compute steps, in the search or in the hull made of its store.
  [[nodiscard]] bool stops_batch();
  [[nodiscard]] bool stops_hull();
  void note_left();
  [[nodiscard]] SearchControl::Usage usage(const char* phase) override;
  template <class Visit>
  void for_each_store(Visit&& visit) {
    for (const std::unique_ptr<Stripe>& stripe : stripes_) {
      const std::lock_guard lock(stripe->mutex);
      visit(*stripe->store);
    }
  }

  std::vector<std::unique_ptr<Stripe>> stripes_;
  Remainder left_;               // once everything was explored
  bool saved_explored_ = false;  // all that can be reached
  uint64_t hull_bytes_ = 0;      // that a search for cycles took when it last asked
  std::vector<Stripe*> by_partition_;

  std::mutex mutex_;  // of the frontier and the trail log
  Frontier<W> frontier_;
  ParkedStates<Open> parked_;    // breadth first: of the level
  uint32_t waiting_ = 0;         // workers in rest(); under the gate's lock
  std::vector<Found> resolved_;  // of the worker that is resolving
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cmc
