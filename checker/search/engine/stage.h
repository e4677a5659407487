#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/search/engine/context.h"
#include "checker/search/engine/orbits.h"
#include "checker/search/engine/product_graph.h"

namespace cmc {

// How many successors of a state have which control. An atomic sequence can have millions of outcomes with few
// controls, so it keeps runs, and adds up equal ones when there are many.
class ControlCounts {
 public:
  using Run = std::pair<uint32_t, uint64_t>;  // control, successors with it

  void clear() { runs_.clear(); }
  void add(uint32_t control) {
    if (!runs_.empty() && runs_.back().first == control) {
      ++runs_.back().second;
      return;
    }
    if (runs_.size() >= most_) add_up();
    runs_.emplace_back(control, 1);
  }
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

 private:
  void add_up() {
    std::ranges::sort(runs_);
    size_t kept = 0;
    for (const Run& run : std::span(runs_).subspan(1)) {
      if (runs_[kept].first == run.first) {
        runs_[kept].second += run.second;
      } else {
        runs_[++kept] = run;
      }
    }
    runs_.resize(kept + 1);
    most_ = std::max(most_, 2 * runs_.size());
  }

  std::vector<Run> runs_;
  size_t most_ = 1024;  // runs, before equal ones are added up
};

// The first stage of every engine: expands batches of states. It looks up memoised steps or computes them, counts
// successors, marks reached locations, and reports errors. There is one per worker and layout.
//
// A worker derives from it, and defines what happens with a part of a step that has very many successors
// (on_part_of_batch()) and whether the search should stop (should_stop_batch()).
template <unsigned W>
class BatchExpander : protected StepObserver {
 public:
  using State = Key<W>;
  using PathTo = std::function<std::vector<State>()>;
  static constexpr size_t kBatch = 64;
  static constexpr size_t kBatchSuccessors = 1024;  // a batch with more is cut

  BatchExpander(SearchContext& context, StepMemo<W>& memo, uint32_t number)
      : context_(context),
        number_(number),
        counts_(context_.counts[number]),
        statements_(*context_.generators[number]),
        memo_(memo),
        profile_(context.profile == nullptr ? nullptr : &context.profile->worker(number)),
        generator_(*context_.space, statements_, *this, memo, number,
                   {context_.stubborn.get(), context_.symmetry.get(), context_.handshakes.get(), profile_,
                    context_.options.only_by_edges, context_.expands_again}),
        control_field_(context_.space->layout().reader(kControlComponent)) {}
  ~BatchExpander() override {
    counts_.memo.lookups += generator_.figures().lookups;
    counts_.memo.misses += generator_.figures().misses;
    counts_.memo.carried += generator_.figures().carried;
    counts_.reductions.asked += generator_.reductions().asked;
    counts_.reductions.states += generator_.reductions().states;
    counts_.reductions.left_out += generator_.reductions().left_out;
  }
  BatchExpander(const BatchExpander&) = delete;
  BatchExpander& operator=(const BatchExpander&) = delete;

  // The product that has been explored, for cycle searches.
  [[nodiscard]] ProductGraph<W> graph(const ClaimRegions& regions, uint32_t processes) {
    ProductGraph<W> graph(generator_, *context_.space, statements_, regions, processes);
    graph.set_explored();
    return graph;
  }

  // KeyGenerator::habits
  [[nodiscard]] StepHabits habits() const { return generator_.habits(); }
  void take_over_habits(const StepHabits& habits) { generator_.take_over_habits(habits); }
  // Not remembered.
  [[nodiscard]] uint64_t steps_computed() const { return counts_.memo.misses + generator_.figures().misses; }

 protected:
  static void add(std::atomic<uint64_t>& count, uint64_t more) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  enum class Cut : uint8_t {
    kNone,       // all of the batch were expanded
    kFull,       // the sink is full
    kTooNarrow,  // the next state needs wider keys
    kStopped,    // in the middle of the next state: some of its successors are in the sink
  };
  struct Expansion {
    size_t count = 0;  // of the batch, from its beginning, that were expanded or have to be parked
    Cut cut = Cut::kNone;
  };
  // Nothing is carried from states to their successors.
  struct NoRows {};
  static constexpr NoRows kNoRows{};
  // Expands the first states of `batch` into `sink`, which is cleared first: sink.set_parent(number in the batch),
  // then the successors. key_of(item) is a state's key; after_each(number) is called when a state is done.
  // flags_[number] tells about each. With `rows` (RowsOfBatch) what was carried to the states is used.
  template <class Item, class KeyOf, class Sink, class AfterEach, class Rows = const NoRows>
  Expansion expand(std::span<const Item> batch, KeyOf&& key_of, Sink& sink, AfterEach&& after_each,
                   Rows& rows = kNoRows) {
    DCHECK(!batch.empty() && batch.size() <= kBatch);
    const auto using_memo = generator_.use_memo();
    sink.clear();
    in_parts_ = false;
    if (profile_ != nullptr) [[unlikely]]
      profile_->begin_batch();
    uint64_t transitions = 0;
    Expansion done;
    const size_t ahead = memo_.is_large() ? kAhead : batch.size();
    const auto prefetch = [&](size_t number) { prefetch_steps(key_of(batch[number]), number, rows); };
    for (size_t i = 0; i < ahead && ahead < batch.size(); ++i) prefetch(i);
    for (; done.count < batch.size(); ++done.count) {
      if (done.count + ahead < batch.size()) prefetch(done.count + ahead);
      if (sink.size() >= kBatchSuccessors || in_parts_) {
        done.cut = Cut::kFull;
        break;
      }
      const size_t begin = sink.size();
      sink.set_parent(done.count);
      if (profile_ != nullptr) [[unlikely]]
        profile_->begin_state();
      const uint64_t before = transitions;
      done.cut = expand_state(key_of(batch[done.count]), sink, flags_[done.count], transitions, done.count, rows);
      if (context_.expands_again) [[unlikely]]
        created_of_[done.count] = {transitions - before, other_controls_};
      if (done.cut != Cut::kNone) {
        if (done.cut == Cut::kTooNarrow) sink.take_back(begin);
        break;
      }
      if (flags_[done.count].pending != 0) [[unlikely]] {
        sink.take_back(begin);
        continue;
      }
      after_each(done.count);
    }
    DCHECK(done.count == batch.size() || done.cut != Cut::kNone);
    add(counts_.transitions, transitions);
    if (profile_ != nullptr) [[unlikely]]
      profile_->end_batch();
    return done;
  }

  // Expands a state once more, in which steps were left out. These count now.
  template <class Sink>
  Cut expand_in_full(const State& state, size_t number, Sink& sink, ExpansionFlags& flags) {
    const auto using_memo = generator_.use_memo();
    const uint64_t left_out = flags.left_out;
    sink.set_parent(number);
    uncount(state, created_of_[number]);
    uint64_t transitions = 0;
    generator_.set_leaves_out(false);
    const Cut cut = expand_state(state, sink, flags, transitions, number, kNoRows);
    generator_.set_leaves_out(true);
    generator_.take_back(left_out);
    add(counts_.transitions, transitions - created_of_[number].successors);
    return cut;
  }

  // Reports everything about an expanded state except its successors: errors with their paths, endless atomic
  // sequences.
  void report_state(const State& state, const ExpansionFlags& flags, uint64_t depth, const PathTo& path_to) {
    if (flags.endless_atomic) ++counts_.endless_atomic;
    if (flags.long_atomic) context_.control.add_reason(ReasonKind::kAtomic, kLongAtomicReason);
    const bool dead = flags.blocked && context_.options.check_end_states && !context_.space->valid_end(state.data());
    if (flags.needs_generator || (dead && context_.options.confirm_dead_ends)) {
      report(state, depth, path_to);
    } else if (dead) {
      report_dead_end(state, depth, path_to);
    }
  }

  // Compares the state's memoised successors with those of the checker.
  void check_steps(const State& state) {
    KeyBuffer<W> successors;
    expand_whole(state, successors);
    context_.space->unpack(state.data(), state_);
    SuccessorBatch expected;
    context_.checker->successors(state_, expected);
    // A checker may cut a state with very long atomic sequences: then the first successors are compared.
    CHECK(expected.stopped ? expected.entries.size() <= successors.size()
                           : expected.entries.size() == successors.size());
    for (size_t i = 0; i < expected.entries.size(); ++i) {
      context_.space->unpack(successors[i].data(), successor_);
      const auto hidden = static_cast<ptrdiff_t>(context_.model.hidden_bytes);
      const ByteView wanted = expected.state(expected.entries[i]);
      CHECK(std::equal(successor_.begin() + hidden, successor_.end(), wanted.begin() + hidden, wanted.end()));
    }
    if (expected.stopped) return;
    CHECK(expected.blocked == whole_flags_.blocked);
    CHECK(expected.errors.empty() == !whole_flags_.needs_generator);
  }

  // All successors of one state at once, in the order of expand(). Counts nothing: for paths and checks.
  void expand_whole(const State& state, KeyBuffer<W>& successors) { CHECK(try_to_expand_whole(state, successors)); }
  // False: keys are too narrow.
  [[nodiscard]] bool try_to_expand_whole(const State& state, KeyBuffer<W>& successors) {
    successors.clear();
    const auto using_memo = generator_.use_memo();  // briefly: others may wait for the memo to grow
    whole_ = true;
    if (context_.expands_again) generator_.set_leaves_out(false);
    if (profile_ != nullptr) profile_->begin_state();
    const auto expanded = generator_.expand_whole(state, successors, whole_flags_);
    CHECK(expanded != KeyGenerator<W>::Expanded::kStopped);
    generator_.set_leaves_out(true);
    whole_ = false;
    return expanded == KeyGenerator<W>::Expanded::kAll;
  }

  // The steps along these states, the first of which is the initial one.
  [[nodiscard]] virtual PathToState path_of(const std::vector<State>& keys) {
    const StateSequence states(keys.size(),
                               [&](size_t i, Bytes& state) { context_.space->unpack(keys[i].data(), state); });
    if (!context_.symmetry) return steps_along(statements_, states, context_.model.hidden_bytes);
    return run_through(statements_, *context_.symmetry, context_.first.state(context_.first.entries.front()), states,
                       context_.model.hidden_bytes);
  }

  // Counts a successor, for an engine that does not use expand().
  void count_created(const State& created) { count_created(control_field_(created.data()), 1); }

  // StepObserver's calls, from expand() only.
  virtual void on_part_of_batch() = 0;
  [[nodiscard]] virtual bool should_stop_batch() = 0;

  SearchContext& context_;
  const uint32_t number_;
  SearchContext::Counts& counts_;
  SuccessorGenerator& statements_;
  StepMemo<W>& memo_;
  WorkerProfile* const profile_;  // null: there is none
  KeyGenerator<W> generator_;
  std::array<ExpansionFlags, kBatch> flags_;  // of the batch

 private:
  void on_steps(ByteView state, const SuccessorBatch& batch) override {
    counts_.coverage->enter(state);
    counts_.coverage->mark_successors(batch);
    add(counts_.computed, batch.steps.size());
    if (context_.options.watcher == nullptr) return;
    context_.options.watcher->on_state(state);
    for (const SuccessorBatch::Entry& entry : batch.entries) context_.options.watcher->on_state(batch.state(entry));
  }
  void on_part() override {
    if (whole_) return;
    in_parts_ = true;
    on_part_of_batch();
  }
  bool should_stop() override { return !whole_ && should_stop_batch(); }

  // A sink that counts the successors that it passes on.
  template <class Sink>
  struct Counted {
    [[gnu::always_inline]] void add(const State& from, const Steps<W>& steps) {
      count_in(from, steps);
      sink.add(from, steps);
    }
    [[gnu::always_inline]] void add(const State& from, const Steps<W>& steps, uint32_t pid) {
      count_in(from, steps);
      sink.add(from, steps, pid);
    }
    // The steps of several processes at once: all there are, if there is a profile.
    void add_parts(const State& from, const SystemSteps<W>& system, uint32_t more_flags) {
      const Steps<W> steps = system.steps(more_flags);
      count_in(from, steps);
      if (expander.profile_ != nullptr) [[unlikely]]
        return expander.add_profiled(from, system, sink);
      sink.add(from, steps);
    }
    void skip(uint64_t steps) requires requires(Sink& to) { to.skip(steps); }
    { sink.skip(steps); }
    [[gnu::always_inline]] void count_in(const State& from, const Steps<W>& steps) {
      count += steps.deltas.size();
      if ((steps.flags & Steps<W>::kChangesControl) != 0) [[unlikely]]
        expander.note_controls(from, steps.deltas);
    }
    Sink& sink;
    BatchExpander& expander;
    uint64_t count = 0;
    uint64_t asleep = 0;  // of them: not passed on
  };

  // Of a state, what was counted: how many successors, and those with other control than the state's own.
  struct Created {
    uint64_t successors = 0;
    ControlCounts other_controls;
  };
  [[gnu::noinline]] void uncount(const State& state, const Created& created) {
    uint64_t own = created.successors;
    for (const auto& [control, count] : created.other_controls.runs()) {
      counts_.created[control] -= count;
      own -= count;
    }
    counts_.created[control_field_(state.data())] -= own;
    counts_.single_successor -= created.successors == 1 ? 1 : 0;
    counts_.dead_ends -= created.successors == 0 ? 1 : 0;
  }

  template <class Rows>
  [[gnu::always_inline]] void prefetch_steps(const State& state, size_t number, Rows& rows) {
    if constexpr (std::is_same_v<Rows, const NoRows>) {
      generator_.prefetch(state);
    } else {
      generator_.prefetch(state, rows[number].row, rows.processes());
    }
  }
  // Returns the steps of processes that are asleep, too.
  template <class Sink, class Rows>
  [[gnu::always_inline]] typename KeyGenerator<W>::Expanded generate_successors(const State& state, Counted<Sink>& to,
                                                                                ExpansionFlags& flags, size_t number,
                                                                                Rows& rows) {
    if constexpr (std::is_same_v<Rows, const NoRows>) {
      return generator_.expand(state, to, flags);
    } else {
      rows.fit(memo_.clears());
      if constexpr (requires { rows.carry(number); }) rows.carry(number);
      const auto expanded = generator_.expand_carried(state, rows[number], rows.processes(), to, flags);
      to.asleep = rows[number].asleep_steps;
      to.count += to.asleep;
      return expanded;
    }
  }
  // Counts the successors, unless flags.pending or keys are too narrow. Those of a state that was not finished are
  // counted as far as they are known, because the search has found them.
  template <class Sink, class Rows>
  [[nodiscard, gnu::always_inline]] Cut expand_state(const State& state, Sink& sink, ExpansionFlags& flags,
                                                     uint64_t& transitions, size_t number, Rows& rows) {
    other_controls_.clear();
    Counted<Sink> successors{sink, *this};
    const auto expanded = generate_successors(state, successors, flags, number, rows);
    if (expanded == KeyGenerator<W>::Expanded::kTooNarrow) return Cut::kTooNarrow;
    if (flags.pending != 0) [[unlikely]]
      return Cut::kNone;
    transitions += successors.count;
    if (successors.asleep > 0) add(counts_.asleep_steps, successors.asleep);
    if (profile_ != nullptr) [[unlikely]]
      profile_->count_uses();
    uint64_t own = successors.count;
    for (const auto& [control, count] : other_controls_.runs()) {
      count_created(control, count);
      own -= count;
    }
    count_created(control_field_(state.data()), own);
    if (expanded == KeyGenerator<W>::Expanded::kStopped) [[unlikely]]
      return Cut::kStopped;
    counts_.single_successor += successors.count == 1 ? 1 : 0;
    counts_.dead_ends += successors.count == 0 ? 1 : 0;
    return Cut::kNone;
  }

  // Adds the steps of each process by themselves.
  template <class Sink>
  [[gnu::noinline]] void add_profiled(const State& from, const SystemSteps<W>& system, Sink& sink) {
    uint32_t begin = 0;
    for (const StepPart& part : system.parts) {
      const std::span<const State> deltas(system.deltas.begin() + begin, part.end - begin);
      const size_t before = sink.size();
      sink.add(from, Steps<W>{0, deltas, part.number});
      profile_->note_taken(part.number, from, deltas, sink, before);
      begin = part.end;
    }
  }

  [[gnu::noinline]] void note_controls(const State& from, std::span<const State> deltas) {
    for (const State& delta : deltas) other_controls_.add(control_field_((from ^ delta).data()));
  }
  void count_created(size_t control, uint64_t more) {
    if (control >= counts_.created.size()) [[unlikely]]
      counts_.created.resize(control + 1);
    counts_.created[control] += more;
  }

  void report(const State& key, uint64_t depth, const PathTo& path_to) {
    generate(key);
    counts_.coverage->enter(state_);
    counts_.coverage->mark_errors(batch_);
    const auto path = [&] { return path_of(path_to()); };
    if (!batch_.more) return context_.control.report_errors(batch_, depth, path);
    while (batch_.more) {
      batch_.clear();
      statements_.resume(batch_);
      counts_.coverage->mark_errors(batch_);
    }
    context_.control.report_errors_in_portions(statements_, state_, batch_, depth, path());
  }
  // Without the generator: a model can have very many of them.
  void report_dead_end([[maybe_unused]] const State& key, uint64_t depth, const PathTo& path_to) {
#ifndef NDEBUG
    generate(key);
    CHECK(batch_.invalid_end && batch_.errors.empty());
#endif
    batch_.clear();
    batch_.blocked = batch_.invalid_end = true;
    context_.control.report_errors(batch_, depth, [&] { return path_of(path_to()); });
  }
  void generate(const State& key) {
    context_.space->unpack(key.data(), state_);
    batch_.clear();
    batch_.limits.most_entries = kPortion;
    statements_.successors(state_, batch_);
  }

  static constexpr size_t kPortion = 4096;
  static constexpr size_t kAhead = 4;  // states, for which the memo is prefetched

  const FieldReader control_field_;
  ControlCounts other_controls_;            // of successors, where one of a process has not the state's control
  std::array<Created, kBatch> created_of_;  // of the batch, if states are expanded again
  bool in_parts_ = false;                   // a step of the batch was handed over in parts
  bool whole_ = false;                      // in expand_whole()
  ExpansionFlags whole_flags_;
  SuccessorBatch batch_;
  Bytes state_;
  Bytes successor_;
};

}  // namespace cmc
