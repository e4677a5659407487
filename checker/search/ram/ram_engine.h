#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/keyspace/converter.h"
#include "checker/search/engine/engines.h"
#include "checker/search/engine/scout.h"
#include "checker/search/ram/ram_worker.h"

namespace cmc {

// The common base of the two engines in RAM (ram_depth.h, ram_levels.h): one layout's set, its workers, and the
// migration to another layout. SharedOf<W> is a RamShared, WorkerOf<W> a RamWorker.
template <unsigned W, template <unsigned> class SharedOf, template <unsigned> class WorkerOf>
class RamEngine : public AnyEngine<EngineTotals> {
 public:
  using Shared = SharedOf<W>;
  using Worker = WorkerOf<W>;

  explicit RamEngine(SearchContext& context) : context_(context), shared_(context) {
    for (uint32_t i = 0; i < context.workers; ++i) workers_.push_back(std::make_unique<Worker>(shared_, i));
  }

  void start() {
    const Key<W> initial{};
    static_cast<void>(shared_.set.insert(initial));
    workers_.front()->start(initial);
  }

  // Whether the memory limit leaves room for taking over everything from `from`. If not, the search has been told.
  template <unsigned V>
  [[nodiscard]] bool has_room_for(const RamEngine<V, SharedOf, WorkerOf>& from) {
    const uint64_t states = from.shared_.set.size();
    // A set that doubles has its last size when half of the other one is still there.
    const uint64_t freed = reserves_for(from.shared_.set) ? 0 : from.shared_.set.memory_bytes() / 2;
    const uint64_t added = shared_.set.expected_bytes(states);
    SearchControl::Usage usage = from.workers_.front()->usage();
    usage.reserve_bytes = added > freed ? added - freed : 0;
    if (W > V) usage.reserve_bytes += context_.sum(&SearchContext::Counts::open_bytes) / V * (W - V);
    if (!context_.control.has_room(usage)) return false;
    usage.reserve_bytes += from.shared_.memo.memory_bytes() / V * std::max(V, W);
    remembers_ = context_.control.fits(usage);
    return true;
  }
  // Takes everything from another layout's engine, which is unusable afterwards. REQUIRES: its run is over.
  template <unsigned V>
  void take_over(RamEngine<V, SharedOf, WorkerOf>& from, const Layout& old_layout) {
    const Converter<V, W> convert(old_layout, context_.space->layout());
    shared_.template take_over<V>(from.shared_, convert);
    const uint64_t states = from.shared_.set.size();
    if (reserves_for(from.shared_.set)) shared_.set.reserve(states);
    std::atomic<size_t> next_partition{0};
    const auto take_share = [&](size_t number) {
      workers_[number]->template assign<V>(*from.workers_[number], convert);
      workers_[number]->take_over_habits(*from.workers_[number]);
      if (number == 0 && remembers_) shared_.memo.take_over(from.shared_.memo, convert);
      for (;;) {
        const size_t partition = next_partition.fetch_add(1, std::memory_order_relaxed);
        if (partition >= KeySet<V>::kPartitions) return;
        take_over_keys<V>(from.shared_.set, partition, convert);
      }
    };
    if (states >= kStatesPerThread * context_.workers) {
      shared_.crew.run(context_.workers, take_share);
    } else {
      shared_.crew.gate().reset(1);
      for (size_t number = 0; number < workers_.size(); ++number) take_share(number);
    }
    DCHECK(shared_.set.size() == states);
  }

  [[nodiscard]] bool ready_for_relayout() {
    for (const auto& worker : workers_) {
      const auto next = worker->next_state();
      if (next) scout(context_, next->data(), shared_.set.size());
      if (next) break;
    }
    if (shared_.wants_condensing()) context_.space->condense(shared_.set.sample(kSample), shared_.set.size());
    return true;
  }
  void layout_changed() {}
  [[nodiscard]] bool may_divide() const { return true; }
  [[nodiscard]] uint64_t states() const { return shared_.set.size(); }
  [[nodiscard]] Remainder left() const {
    Remainder left;
    for (const auto& worker : workers_) left.open_states += worker->left();
    left.open_states += shared_.left();
    return left;
  }
  [[nodiscard]] EngineTotals totals() final {
    return {shared_.set.size(), shared_.set.memory_bytes(), shared_.memo.memory_bytes(), shared_.set.key_bits()};
  }

 protected:
  static constexpr uint64_t kStatesPerThread = 1024;  // starting threads for fewer does not pay

  void explore(uint32_t threads) {
    shared_.crew.explore(
        threads, [&](uint32_t number) { workers_[number]->run(); }, [&] { return shared_.set.size(); });
    for (auto& worker : workers_) worker->settle();
  }

  SearchContext& context_;
  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;

 private:
  template <unsigned, template <unsigned> class, template <unsigned> class>
  friend class RamEngine;

  // A large set grows as it is filled, while the old one shrinks.
  template <unsigned V>
  [[nodiscard]] bool reserves_for(const KeySet<V>& from) const {
    const uint64_t limit = context_.options.memory_limit_bytes;
    return from.memory_bytes() <= (limit == 0 ? kReserveBytes : std::min(kReserveBytes, limit / 32));
  }

  // Takes one partition of `from`; other workers of the gate may take others at the same time.
  template <unsigned V>
  void take_over_keys(KeySet<V>& from, size_t partition, const Converter<V, W>& convert) {
    KeySet<W>& set = shared_.set;
    std::array<Key<W>, kInsertBatch> keys;
    std::array<typename KeySet<W>::Probe, kInsertBatch> probes;
    std::array<uint64_t, kInsertBatch> values;
    size_t count = 0;
    typename KeySet<W>::Tally tally;
    const auto insert_all = [&] {
      for (size_t i = 0; i < count; ++i) set.insert_new(keys[i], probes[i], tally, values[i]);
      count = 0;
      if (set.needs_growth()) shared_.grow_set();
      shared_.crew.gate().check(Gate::Where::kAnywhere);
    };
    from.drain_partition(partition, [&](const Key<V>& key, uint64_t value) {
      keys[count] = convert(key);
      values[count] = value;
      probes[count] = set.prefetch(keys[count]);
      if (++count == kInsertBatch) insert_all();
    });
    insert_all();
    set.settle(tally);
  }

  bool remembers_ = true;  // takes over the steps that the other engine remembers: a copy, beside theirs

  static constexpr uint64_t kSample = 16384;  // keys
  static constexpr uint64_t kReserveBytes = uint64_t{16} << 20;
  static constexpr size_t kInsertBatch = 64;
};

}  // namespace cmc
