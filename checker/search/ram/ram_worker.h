#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "checker/search/engine/carrying.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/later_reduction.h"
#include "checker/search/engine/stage.h"
#include "checker/search/engine/successors.h"
#include "storage/sets/key_set.h"

namespace cmc {

// Data that all workers of one layout share in RAM.
template <unsigned W>
struct RamShared {
  explicit RamShared(SearchContext& context_, bool keeps_leaves = false)
      : context(context_),
        crew(context_),
        set(context_.set_options, context_.space->layout().bits_of_words<W>(), context_.space->key_groups()),
        memo(context_.space->layout(), context_.memo_bytes, context_.workers, context_.keeps_notes(), keeps_leaves) {}
  ~RamShared() { context.note(memo); }
  RamShared(const RamShared&) = delete;
  RamShared& operator=(const RamShared&) = delete;

  SearchContext& context;
  Crew crew;
  KeySet<W> set;
  StepMemo<W> memo;

  [[nodiscard]] KeySpace::Filling filling() const {
    const uint64_t bytes = set.memory_bytes();
    SearchControl::Usage larger;
    larger.reserve_bytes = bytes / 4;
    return {.keys = set.size(),
            .room = set.room(),
            .whole_keys = set.whole_keys(),
            .bytes = bytes,
            .is_scarce = !context.control.fits(larger),
            .is_compact = context.options.compact_set};
  }
  void grow_set() {
    crew.gate().pause(
        Gate::Where::kAnywhere,
        [&] {
          if (!set.needs_growth()) return false;
          set.prepare_to_grow(context.control.spare_bytes({}));
          return true;
        },
        [&] { set.grow(); });
  }
};

// A worker of an engine in RAM: expands a batch and inserts the successors into the set of keys. An order, which
// derives from it, says where states come from and where new ones go.
template <unsigned W>
class RamWorker : public BatchExpander<W> {
 public:
  using typename BatchExpander<W>::State;
  using BatchExpander<W>::kBatch;

  RamWorker(RamShared<W>& shared, uint32_t number)
      : BatchExpander<W>(shared.context, shared.memo, number), shared_(shared) {}

  // Adds this worker's new states to the set's count. Call when the worker stops.
  void settle() { shared_.set.settle(tally_); }
  // States that this worker has still to expand.
  [[nodiscard]] uint64_t left() const { return open_states(); }

  // Waits for a short time, or until one of `parked` is ready. Call only when this worker is idle. REQUIRES: `parked`
  // is not empty.
  template <class Parked>
  void wait_for(Parked& parked) {
    parked.wait();
    shared_.crew.gate().check(Gate::Where::kBoundary);
    check_limits();
  }
  // Of all workers.
  [[nodiscard]] SearchControl::Usage usage() const {
    SearchControl::Usage usage;
    usage.states = shared_.set.size();
    usage.transitions = context_.sum(&SearchContext::Counts::transitions);
    usage.computed = context_.sum(&SearchContext::Counts::computed);
    usage.depth = depth();
    usage.open_states = context_.sum(&SearchContext::Counts::open_states);
    usage.memory_bytes = shared_.set.memory_bytes() + shared_.memo.memory_bytes() + context_.space->memory_bytes() +
                         context_.sum(&SearchContext::Counts::open_bytes);
    usage.reserve_bytes = shared_.set.least_growth_bytes();
    usage.has_store = context_.store != nullptr;
    return usage;
  }

 protected:
  using BatchExpander<W>::context_;
  using BatchExpander<W>::counts_;
  using BatchExpander<W>::flags_;

  // Expands the first states of `batch` and gives the rest back to `order`, which is the derived worker:
  //
  //   order.put(state, parent, process)                     a state that was not in the set; the number of its parent
  //                                                         in the batch; who moved, if `rows` told
  //   order.put_is_over()                                   for now
  //   order.park(number, question)                          a state that waits for an answer
  //   order.path_to(number)                                 the states up to and including that one
  //   order.done(count)                                     the first `count` states are dealt with: from here on the
  //                                                         order is consistent, whatever happens at the boundary
  //
  // `rows`: of BatchExpander::expand().
  template <class Order, class Rows = const typename BatchExpander<W>::NoRows>
  void step(std::span<const State> batch, Order& order, Rows& rows = BatchExpander<W>::kNoRows) {
    found_new_ = 0;
    const auto probe_some = [&](size_t number) {
      if (number % kPrefetchedAtOnce == kPrefetchedAtOnce - 1) probe();
    };
    auto expanded = this->expand(batch, std::identity{}, fresh_, probe_some, rows);
    insert_fresh(order);
    if (context_.expands_again) [[unlikely]]
      expand_again(batch, expanded, order);
    if (context_.checker != nullptr) {
      for (const State& state : batch.first(expanded.count)) this->check_steps(state);
    }
    for (size_t i = 0; i < expanded.count; ++i) {
      if (!flags_[i].special) [[likely]]
        continue;
      if (flags_[i].pending != 0) {
        order.park(i, flags_[i].pending);
        continue;
      }
      this->report_state(batch[i], flags_[i], depth(), [&] { return order.path_to(i); });
      if (context_.control.stopped()) break;
    }
    order.done(expanded.count);
    // As long as other states can be expanded first, more components show how many values they have: spin:leader
    // needs 16 re-layouts instead of 22.
    if (expanded.cut == BatchExpander<W>::Cut::kTooNarrow && expanded.count == 0) shared_.crew.halt(End::kRelayout);
    boundary();
  }

  // Inserts a part of the successors of a step that has very many, so that they need not all be in memory.
  template <class Order>
  void insert_part(Order& order) {
    if (fresh_.size() < kPart) return;
    insert_fresh(order);
    fresh_.clear();
    if (shared_.set.needs_growth()) shared_.grow_set();
    shared_.crew.gate().check(Gate::Where::kAnywhere);
  }

  [[nodiscard]] bool halted() const { return shared_.crew.halted(); }
  // Between two batches: growth, limits, pauses.
  void boundary() {
    if (shared_.set.needs_growth()) shared_.grow_set();
    if (shared_.memo.crowded()) shared_.memo.make_room(context_.control.spare_bytes(usage()));
    shared_.crew.gate().check(Gate::Where::kBoundary);
    shared_.crew.obey();
    if (++batches_ % kBatchesPerCheck != 0) return;
    check_limits();
    if (context_.own_reduction != SearchContext::OwnReduction::kNone) [[unlikely]]
      consider_reduction();
  }
  // Figures of this worker.
  [[nodiscard]] virtual uint64_t open_states() const = 0;
  [[nodiscard]] virtual uint64_t open_bytes() const = 0;
  [[nodiscard]] virtual uint64_t depth() const = 0;

  RamShared<W>& shared_;
  typename KeySet<W>::Tally tally_;  // of this worker
  static_assert(kBatch <= 64);
  uint64_t found_new_ = 0;  // states of the batch that lead to new ones, one bit each

 private:
  template <class Order>
  void insert_fresh(Order& order) {
    probe();
    DCHECK(probed_ == fresh_.size());
    for (size_t i = 0, end = fresh_.size(); i < end; ++i) {
      if (shared_.set.insert(fresh_[i], probes_[i], tally_) == KeySet<W>::Inserted::kNew) {
        order.put(fresh_[i], fresh_.parent(i), fresh_.process(i));
        found_new_ |= uint64_t{1} << fresh_.parent(i);
        if (this->profile_ != nullptr) [[unlikely]]
          this->profile_->note_new(i);
      }
    }
    order.put_is_over();
    probed_ = 0;
  }

  // SearchOptions::Proviso::kQueue. A state that cannot be expanded in full now is not done.
  template <class Order>
  [[gnu::noinline]] void expand_again(std::span<const State> batch, typename BatchExpander<W>::Expansion& expanded,
                                      Order& order) {
    for (size_t i = 0; i < expanded.count; ++i) {
      if (flags_[i].left_out == 0 || (found_new_ >> i & 1) != 0) continue;
      fresh_.clear();
      const auto cut = this->expand_in_full(batch[i], i, fresh_, flags_[i]);
      insert_fresh(order);
      if (cut == BatchExpander<W>::Cut::kNone) continue;
      expanded = {i, cut};
      return;
    }
  }

  // Prefetches the set's entries for the successors that were added since the last call.
  [[gnu::always_inline]] void probe() {
    const size_t end = fresh_.size();
    if (probes_.size() < end) [[unlikely]]
      probes_.resize(2 * end);
    typename KeySet<W>::Probe* probe = probes_.data() + probed_;
    for (size_t i = probed_; i < end; ++i) shared_.set.prefetch(fresh_[i], *probe++);
    probed_ = end;
  }

  bool should_stop_batch() override {
    shared_.crew.gate().check(Gate::Where::kAnywhere);
    probed_ = 0;  // another worker may have grown the set there: its entries are elsewhere now
    check_limits(true);
    return shared_.crew.abandoned();
  }
  void check_limits(bool within_step = false) {
    counts_.open_states.store(open_states(), std::memory_order_relaxed);
    counts_.open_bytes.store(open_bytes(), std::memory_order_relaxed);
    shared_.crew.check_limits([&] { return usage(); }, within_step);
    if (!halted() &&
        (context_.space->wants_trim(shared_.set.size()) || context_.space->wants_condensing(shared_.filling())))
      shared_.crew.halt(End::kRelayout);
  }

  void consider_reduction() {
    const auto states = [&] { return shared_.set.size(); };
    cmc::consider_reduction<W>(context_, shared_.crew, this->generator_.reductions(), this->steps_computed(), states,
                               [&] { return shared_.set.sample(looked_at_of(states())); });
  }

  static constexpr uint64_t kBatchesPerCheck = 16;
  static constexpr size_t kPrefetchedAtOnce =
      8;                                 // states: a short loop would end at a place that cannot be predicted
  static constexpr size_t kPart = 4096;  // successors

  FreshSuccessors<W> fresh_;
  std::vector<typename KeySet<W>::Probe> probes_;  // of fresh_
  size_t probed_ = 0;
  uint64_t batches_ = 0;
};

}  // namespace cmc
