#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "checker/keys/key_generator.h"
#include "checker/search/engine/context.h"

// What engines have in common that carry steps from states to their successors (checker/keys/carried_steps.h).

namespace cmc {

// How many workers of a layout carry steps. With the last one that stops the memo keeps no leaves.
template <unsigned W>
class Carriers {
 public:
  Carriers(SearchContext& context, StepMemo<W>& memo) : context_(context), memo_(memo), left_(context.workers) {}

  // For a worker that does not use the memo.
  void stop() {
    if (left_.fetch_sub(1) > 1) return;
    context_.carrying_does_not_pay = true;
    memo_.drop_leaves();
  }

 private:
  SearchContext& context_;
  StepMemo<W>& memo_;
  std::atomic<uint32_t> left_;
};

// Whether a worker's processes sleep often enough, or their steps are carried so often that this alone pays. Where
// few are, carrying costs more than it saves; and where many of the others have to be computed, the leaves that are
// kept of them do (bench/models/conveyor.pml). What is judged is each time a fifth of all states so far: a search
// whose processes never sleep is found soon, and one part of it in which they do not ends nothing.
class CarryingTrial {
 public:
  // Of the first `unjudged` states nothing is concluded.
  explicit CarryingTrial(const SearchContext::Counts& counts, uint64_t unjudged = 0)
      : counts_(counts),
        left_(unjudged > 0 ? unjudged : kLeastStates),
        until_next_(left_),
        judges_(unjudged == 0),
        before_(now({})) {}

  // To be told of each batch of expanded states. `figures`: the worker's, where there are rows.
  [[nodiscard]] bool pays(size_t expanded, const MemoFigures& figures = {}) {
    if (expanded < left_) [[likely]] {
      left_ -= expanded;
      return true;
    }
    left_ = std::max(kLeastStates, until_next_ / 4);
    until_next_ += left_;
    const Figures before = std::exchange(before_, now(figures));
    if (!std::exchange(judges_, true)) return true;
    const uint64_t carried = before_.carried - before.carried;
    const uint64_t lookups = before_.lookups - before.lookups;
    if (until_next_ > kWarm && 100 * (before_.misses - before.misses) > kMostMisses * lookups) return false;
    return 100 * (before_.asleep - before.asleep) >= kLeastAsleep * (before_.steps - before.steps) ||
           100 * carried > kLeastCarried * (carried + lookups);
  }

 private:
  static constexpr uint64_t kLeastStates = 8192;
  static constexpr uint64_t kLeastAsleep = 31;   // per cent of the steps. Chosen by bench/compare.py
  static constexpr uint64_t kLeastCarried = 85;  // per cent of the look-ups
  static constexpr uint64_t kMostMisses = 25;    // likewise, of those that are not carried,
  static constexpr uint64_t kWarm = 32'768;      // behind so many states: first everything has to be computed

  struct Figures {
    uint64_t steps, asleep, carried, lookups, misses;
  };
  [[nodiscard]] Figures now(const MemoFigures& figures) const {
    return {counts_.transitions.load(std::memory_order_relaxed), counts_.asleep_steps.load(std::memory_order_relaxed),
            figures.carried, figures.lookups, figures.misses};
  }

  const SearchContext::Counts& counts_;
  uint64_t left_;        // states until the next answer
  uint64_t until_next_;  // all of them
  bool judges_;          // then
  Figures before_;       // at the last one
};

// The rows of a batch (BatchExpander::expand()) whose states have masks, and the masks of what it leads to: nothing
// is carried from parents but who sleeps. Neighbours in a batch have much in common, so steps are carried from each
// to the next one. One per worker.
template <unsigned W>
class MasksOfBatch {
 public:
  // `unjudged`: states, as CarryingTrial has it.
  MasksOfBatch(Carriers<W>& all, StepMemo<W>& memo, KeyGenerator<W>& generator, const SearchContext::Counts& counts,
               size_t most, uint64_t unjudged)
      : all_(all),
        memo_(memo),
        generator_(generator),
        on_(memo.keeps_leaves()),
        trial_(counts, unjudged),
        carried_(most) {}

  // If not, states are to be expanded without rows, and nobody sleeps in their successors.
  [[nodiscard]] bool on() const { return on_; }

  // A batch begins; key_of(number) is the key of each, mask_of(number) its mask.
  template <class KeyOf, class MaskOf>
  void begin(size_t count, KeyOf&& key_of, MaskOf&& mask_of) {
    if (!on_) return;
    fit_processes(key_of(0));
    deltas_.clear();
    for (size_t i = 0; i < count; ++i) {
      deltas_.push_back(i == 0 ? Key<W>{} : key_of(i - 1) ^ key_of(i));
      uint32_t* const row = rows_.data() + i * (processes() + 1);
      carried_row::write(mask_of(i), row, processes());
      carried_[i].row = row;
    }
  }
  [[nodiscard]] uint32_t processes() const { return carried_.processes(); }
  [[nodiscard]] CarriedState<W>& operator[](size_t number) { return carried_[number]; }
  // The memo has been cleared so often: if not as often as before, no leaf is there any more.
  void fit(uint64_t clears) {
    if (clears == clears_) [[likely]]
      return;
    carried_.forget();
    clears_ = clears;
  }

  // What is known of number - 1 of the batch, which was expanded just now. After fit().
  void carry(size_t number) {
    if (number > 0) generator_.carry_over(carried_[number - 1], deltas_[number], carried_[number].row);
  }

  // The mask of the state that a step of a process leads to from number `parent` of the batch. REQUIRES: the memo is
  // in use.
  [[nodiscard]] SleepMask after(size_t parent, uint32_t process, const Key<W>& delta) {
    if (!on_) return 0;
    fit(memo_.clears());
    return generator_.asleep_after(carried_[parent], process, delta);
  }

  // So many states of the batch were expanded. For a worker that does not use the memo.
  void end(size_t expanded) {
    if (!on_ || trial_.pays(expanded)) return;
    on_ = false;
    all_.stop();
  }

 private:
  void fit_processes(const Key<W>& first) {
    const uint32_t most =
        std::max(generator_.most_processes(), processes() == 0 ? std::max(1U, generator_.process_count(first)) : 0);
    if (most <= processes() || processes() == carried_row::kMostProcesses) [[likely]]
      return;
    carried_.resize(std::min(std::max(most, 2 * processes()), carried_row::kMostProcesses));
    rows_.resize(carried_.size() * (processes() + 1));
  }

  Carriers<W>& all_;
  StepMemo<W>& memo_;
  KeyGenerator<W>& generator_;
  bool on_;
  CarryingTrial trial_;
  CarriedBatch<W> carried_;
  std::vector<uint32_t> rows_;
  std::vector<Key<W>> deltas_;  // from the state before
  uint64_t clears_ = 0;
};

}  // namespace cmc
