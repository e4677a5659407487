#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/check.h"
#include "checker/keys/converter.h"
#include "checker/keys/key_generator.h"
#include "checker/search/coverage.h"
#include "checker/search/search_control.h"
#include "storage/key_set.h"

// What the fast engine's searches in RAM (key_worker.h) and beyond it (store_search.h) have in common.

namespace cmc {

struct StorePlan;

// What does not depend on the width of keys: it lives as long as the search.
struct KeySearchContext {
  KeySearchContext(const Model& model_, const SearchOptions& options_, SearchControl& control_)
      : model(model_), options(options_), control(control_), space(std::make_unique<KeySpace>(model_)) {}

  const Model& model;
  const SearchOptions& options;
  SearchControl& control;
  std::unique_ptr<KeySpace> space;
  SuccessorBatch first;                                         // the initial state
  std::vector<std::unique_ptr<SuccessorGenerator>> generators;  // one per worker
  SuccessorGenerator* checker = nullptr;                        // computes every step again; may be null
  uint64_t memo_bytes = 0;                                      // allowed
  uint64_t memo_peak_bytes = 0;                                 // of the memos of all layouts
  uint64_t memo_clears = 0;

  // A worker's counts; only it writes them.
  struct alignas(64) Counts {
    std::atomic<uint64_t> transitions{0};
    std::atomic<uint64_t> open_states{0};
    std::atomic<uint64_t> open_bytes{0};
    std::atomic<uint64_t> depth{0};
    uint64_t deepest = 0;
    uint64_t endless_atomic = 0;
    uint64_t single_successor = 0;  // SearchStatistics has what these are
    uint64_t dead_ends = 0;
    uint64_t dfs_problems = 0;
    uint64_t dfs_problems_real = 0;
    std::vector<uint64_t> created;  // by the number of the created state's control
    MemoFigures memo;               // of the generators of former layouts
    std::unique_ptr<Coverage> coverage;

    // For a search that begins again. How deep it was stays.
    void forget() {
      transitions = 0;
      endless_atomic = single_successor = dead_ends = dfs_problems = dfs_problems_real = 0;
      created.clear();
    }
  };
  std::unique_ptr<Counts[]> counts;
  uint32_t workers = 1;
  KeySetOptions set_options;
  std::mutex limits_mutex;     // of SearchControl::check
  StorePlan* store = nullptr;  // what to do when memory gets scarce; null: stop

  // Of a memo that has served its time.
  template <unsigned W>
  void note(const StepMemo<W>& memo) {
    memo_peak_bytes = std::max(memo_peak_bytes, memo.memory_bytes());
    memo_clears += memo.clears();
  }
  template <class Member>
  [[nodiscard]] uint64_t sum(Member Counts::*member) const {
    uint64_t total = 0;
    for (uint32_t i = 0; i < workers; ++i) total += (counts[i].*member).load(std::memory_order_relaxed);
    return total;
  }
};

// States that a worker knows to be visited because it has met them lately, in a small direct-mapped table. In a model
// of interleaved processes half of all transitions lead to such states (63 % of the revisits in Peterson 4).
template <unsigned W>
class RecentStates {
 public:
  // Where the state is if it is there; to be overwritten with it by whoever knows that it is visited.
  [[gnu::always_inline, nodiscard]] Key<W>& at(const Key<W>& state) {
    uint64_t place = state[0];
    for (unsigned w = 1; w < W; ++w) place = (place ^ place >> 31) * 0xbf58476d1ce4e5b9ULL + state[w];
    return states_[place * 0x9e3779b97f4a7c15ULL >> (64 - kBits)];
  }

 private:
  static constexpr unsigned kBits = 13;
  std::vector<Key<W>> states_ = std::vector<Key<W>>(size_t{1} << kBits, Key<W>{{~uint64_t{0}}});
};

// Expands states for a worker: the generator of keys, what is to be said about an expanded state, and figures.
template <unsigned W>
class KeyExpander : private StepObserver {
 public:
  using State = Key<W>;
  using PathTo = std::function<std::vector<State>()>;
  static constexpr size_t kBatch = 64;
  static constexpr size_t kBatchSuccessors = 1024;  // a batch with more is cut

  KeyExpander(KeySearchContext& context, StepMemo<W>& memo, uint32_t number)
      : context_(context),
        number_(number),
        counts_(context_.counts[number]),
        statements_(*context_.generators[number]),
        memo_(memo),
        generator_(*context_.space, statements_, *this, memo, number),
        control_field_(context_.space->layout().reader(kControlComponent)) {}
  ~KeyExpander() override {
    counts_.memo.lookups += generator_.figures().lookups;
    counts_.memo.misses += generator_.figures().misses;
  }
  KeyExpander(const KeyExpander&) = delete;
  KeyExpander& operator=(const KeyExpander&) = delete;

  template <unsigned V>
  void take_over_habits(const KeyExpander<V>& from) {
    generator_.take_over_habits(from.generator_);
  }

 protected:
  template <unsigned V>
  friend class KeyExpander;

  static void add(std::atomic<uint64_t>& count, uint64_t more) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  // Expands a state into a sink (KeyGenerator::expand()) and counts its successors, unless flags.pending. False: a
  // re-layout is needed, nothing has been counted.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] bool expand_state(const State& state, Sink& sink, ExpansionFlags& flags,
                                                      uint64_t& transitions) {
    other_controls_.clear();
    Counted<Sink> successors{sink, *this};
    if (!generator_.expand(state, successors, flags)) return false;
    if (flags.pending != 0) [[unlikely]]
      return true;
    transitions += successors.count;
    counts_.single_successor += successors.count == 1 ? 1 : 0;
    counts_.dead_ends += successors.count == 0 ? 1 : 0;
    count_created(control_field_(state.data()), successors.count - other_controls_.size());
    if (!other_controls_.empty()) [[unlikely]] {
      for (const uint32_t control : other_controls_) count_created(control, 1);
    }
    return true;
  }

  // What is to be told about an expanded state beside its successors. Its errors are reported, with the path, if
  // wanted.
  void tell(const State& state, const ExpansionFlags& flags, uint64_t depth, const PathTo& path_to) {
    if (flags.endless_atomic) ++counts_.endless_atomic;
    if (flags.long_atomic) context_.control.add_reason("atomic", kLongAtomicReason);
    const bool dead = flags.blocked && context_.options.check_end_states && !context_.space->valid_end(state.data());
    if (dead || flags.needs_generator) report(state, depth, path_to);
  }

  // Everything that was looked up, computed again.
  void check_steps(std::span<const State> batch) {
    const auto using_memo = generator_.use_memo();
    KeyBuffer<W> successors;
    ExpansionFlags flags;
    for (const State& state : batch) {
      successors.clear();
      CHECK(generator_.expand(state, successors, flags));
      context_.space->unpack(state.data(), state_);
      batch_.clear();
      context_.checker->successors(state_, batch_);
      CHECK(batch_.entries.size() == successors.size());
      for (size_t i = 0; i < successors.size(); ++i) {
        context_.space->unpack(successors[i].data(), successor_);
        const auto hidden = static_cast<ptrdiff_t>(context_.model.hidden_bytes);
        const ByteView expected = batch_.state(batch_.entries[i]);
        CHECK(std::equal(successor_.begin() + hidden, successor_.end(), expected.begin() + hidden, expected.end()));
      }
      CHECK(batch_.blocked == flags.blocked);
      CHECK(batch_.errors.empty() == !flags.needs_generator);
    }
  }

  KeySearchContext& context_;
  const uint32_t number_;
  KeySearchContext::Counts& counts_;
  SuccessorGenerator& statements_;
  StepMemo<W>& memo_;
  KeyGenerator<W> generator_;

 private:
  void on_steps(ByteView state, const SuccessorBatch& batch) override {
    counts_.coverage->enter(state);
    counts_.coverage->mark_successors(batch);
  }

  // A sink that counts what it passes on.
  template <class Sink>
  struct Counted {
    [[gnu::always_inline]] void add(const State& from, const Steps<W>& steps) {
      count += steps.deltas.size();
      if ((steps.flags & Steps<W>::kChangesControl) != 0) [[unlikely]]
        expander.note_controls(from, steps.deltas);
      sink.add(from, steps);
    }
    Sink& sink;
    KeyExpander& expander;
    uint64_t count = 0;
  };

  [[gnu::noinline]] void note_controls(const State& from, std::span<const State> deltas) {
    for (const State& delta : deltas) other_controls_.push_back(control_field_((from ^ delta).data()));
  }
  void count_created(size_t control, uint64_t more) {
    if (control >= counts_.created.size()) [[unlikely]]
      counts_.created.resize(control + 1);
    counts_.created[control] += more;
  }

  void report(const State& key, uint64_t depth, const PathTo& path_to) {
    context_.space->unpack(key.data(), state_);
    batch_.clear();
    statements_.successors(state_, batch_);
    counts_.coverage->enter(state_);
    counts_.coverage->mark_errors(batch_);
    const auto path = [&] {
      std::vector<Bytes> states;
      for (const State& each : path_to()) context_.space->unpack(each.data(), states.emplace_back());
      return steps_along(statements_, states, context_.model.hidden_bytes);
    };
    context_.control.report_errors(batch_, depth, path);
  }

  const FieldReader control_field_;
  std::vector<uint32_t> other_controls_;  // of successors, where one of a process has not the state's control
  SuccessorBatch batch_;
  Bytes state_;
  Bytes successor_;
};

}  // namespace cmc
