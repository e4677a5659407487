#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/keyspace/converter.h"
#include "checker/search/engine/checkpoint.h"
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
  [[nodiscard]] bool has_room_for(const RamEngine<V, SharedOf, WorkerOf>& from, const Layout& old_layout) {
    const uint64_t states = from.shared_.set.size();
    const uint64_t whole = whole_keys_of(from.shared_.set, {old_layout, context_.space->layout()});
    const uint64_t added = shared_.set.least_bytes(states) + whole * KeySet<W>::kWholeKeyBytes;
    SearchControl::Usage usage = from.workers_.front()->usage();
    // Where memory is scarce, the set grows in small steps while the other one shrinks a partition at a time.
    usage.reserve_bytes = added - std::min(added, from.shared_.set.memory_bytes() / 6 * 5);
    if (W > V) usage.reserve_bytes += context_.sum(&SearchContext::Counts::open_bytes) / V * (W - V);
    if (!context_.control.has_room(usage)) return false;
    const uint64_t remembered = from.shared_.memo.memory_bytes() / V * std::max(V, W);
    usage.reserve_bytes += remembered;
    remembers_ = context_.control.fits(usage);
    usage.reserve_bytes = shared_.set.expected_bytes(states) + (remembers_ ? remembered : 0);
    reserves_ = added <= kReserveBytes && context_.control.fits(usage);
    return true;
  }
  void save(CheckpointWriter& writer) final {
    save_states_and_open<W>(
        writer, name(), shared_.set.size(), [&](auto&& visit) { shared_.set.visit(visit); },
        [&](OutStream& to) { save_open(to); });
  }
  [[nodiscard]] bool load(const Manifest& manifest) {
    SearchControl::Usage usage = workers_.front()->usage();
    usage.states = manifest.states;
    usage.reserve_bytes = shared_.set.expected_bytes(manifest.states);
    if (!context_.control.has_room(usage)) return false;
    shared_.crew.gate().reset(1);
    shared_.set.reserve(manifest.states);
    KeyInserter insert(shared_);
    const auto received = [&] {
      insert.finish();
      return shared_.set.size();
    };
    const Status loaded = load_states_and_open<W>(
        context_.saved_in(), manifest, [&](const Key<W>& key) { insert.add(key, usual_value()); }, received,
        [&](InStream& from) { load_open(from); });
    if (!loaded.ok()) context_.control.stop(ReasonKind::kStore, loaded.error());
    return loaded.ok() && !context_.control.stopped();
  }
  // Takes everything from another layout's engine, which is unusable afterwards. REQUIRES: its run is over.
  template <unsigned V>
  void take_over(RamEngine<V, SharedOf, WorkerOf>& from, const Layout& old_layout) {
    const Converter<V, W> convert(old_layout, context_.space->layout());
    shared_.template take_over<V>(from.shared_, convert);
    const uint64_t states = from.shared_.set.size();
    if (reserves_) shared_.set.reserve(states);
    std::atomic<size_t> next_partition{0};
    const auto take_share = [&](size_t number) {
      workers_[number]->template assign<V>(*from.workers_[number], convert);
      workers_[number]->take_over_habits(from.workers_[number]->habits());
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
    const KeySpace::Filling filling = shared_.filling();
    if (context_.space->wants_condensing(filling)) context_.space->condense(shared_.set.sample(kSample), filling);
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

  // Open states, for a checkpoint, and those whose value in the set is another than usual. `name`: Manifest::engine.
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual uint64_t usual_value() const { return 0; }
  virtual void save_open(OutStream& to) = 0;
  virtual void load_open(InStream& from) = 0;

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

  // How many of those keys are going to have no condensed form. The values that come first have one, so this looks at
  // the last quarter of a sample.
  template <unsigned V>
  [[nodiscard]] uint64_t whole_keys_of(const KeySet<V>& from, const Converter<V, W>& convert) const {
    if (!shared_.set.condenses()) return 0;
    const std::vector<uint64_t> words = from.sample(4 * kSample);
    const size_t keys = words.size() / V;
    const size_t asked = keys / 4;
    uint64_t whole = 0;
    for (size_t i = 0; i < keys; ++i) {
      Key<V> key;
      std::copy_n(words.begin() + static_cast<ptrdiff_t>(i * V), V, key.words.begin());
      if (!shared_.set.has_condensed_form(convert(key)) && i >= keys - asked) ++whole;
    }
    return from.size() / (asked + 1) * whole;
  }

  // Takes one partition of `from`; other workers of the gate may take others at the same time.
  template <unsigned V>
  void take_over_keys(KeySet<V>& from, size_t partition, const Converter<V, W>& convert) {
    KeyInserter insert(shared_);
    from.drain_partition(partition, [&](const Key<V>& key, uint64_t value) { insert.add(convert(key), value); });
    insert.finish();
  }
  // Puts new keys into the set, several at a time.
  class KeyInserter {
   public:
    explicit KeyInserter(Shared& shared) : shared_(shared) {}

    void add(const Key<W>& key, uint64_t value) {
      keys_[count_] = key;
      values_[count_] = value;
      shared_.set.prefetch(key, probes_[count_]);
      if (++count_ == kInsertBatch) insert_all();
    }
    void finish() {
      insert_all();
      shared_.set.settle(tally_);
    }

   private:
    void insert_all() {
      for (size_t i = 0; i < count_; ++i) shared_.set.insert_new(keys_[i], probes_[i], tally_, values_[i]);
      count_ = 0;
      if (shared_.set.needs_growth()) shared_.grow_set();
      shared_.crew.gate().check(Gate::Where::kAnywhere);
    }

    static constexpr size_t kInsertBatch = 64;
    Shared& shared_;
    std::array<Key<W>, kInsertBatch> keys_;
    std::array<typename KeySet<W>::Probe, kInsertBatch> probes_;
    std::array<uint64_t, kInsertBatch> values_;
    size_t count_ = 0;
    typename KeySet<W>::Tally tally_;
  };

  bool reserves_ = false;  // room for the set at once; else it grows as it is filled, while the other one shrinks
  bool remembers_ = true;  // takes over the steps that the other engine remembers: a copy, beside theirs

  static constexpr uint64_t kSample = 16384;  // keys
  static constexpr uint64_t kReserveBytes = uint64_t{16} << 20;
};

}  // namespace cmc
