#pragma once

#include <cstdint>
#include <vector>

#include "checker/keys/memo_habit.h"
#include "checker/keys/step_computer.h"
#include "checker/keys/step_memo.h"

namespace cmc {

// The steps of a process put together of those of its edges, for processes whose steps as wholes are hardly ever the
// same: a puzzle's only process looks at the whole board to find out which moves there are, but a move changes a few
// fields. The generator says which edges are executable, and what an edge does is looked up by what its execution
// touches. Of an edge of which too little is found, too, nothing is remembered.
template <unsigned W>
class EdgeSteps {
 public:
  // `always`: for tests, without regard to what pays.
  EdgeSteps(StepComputer& computer, StepMemo<W>& memo, uint32_t worker, bool always)
      : computer_(computer), memo_(memo), worker_(worker), always_(always) {}

  enum class Found : uint8_t {
    kSteps,
    kUnknown,    // they must be computed as a whole
    kTooNarrow,  // a re-layout is needed first
  };
  // The steps of `pid`; they are in steps().
  [[nodiscard]] Found find(const Key<W>& key, uint8_t pid, bool timeout) {
    deltas_.clear();
    flags_ = 0;
    EdgeTrial& trial = habits_.trials[pid];
    if (!always_ && trial.rests()) return Found::kUnknown;
    if (!computer_.executable_edges(key.data(), pid, timeout, edges_)) {
      trial.note_failure();
      return Found::kUnknown;
    }
    if (!edges_.empty()) flags_ = Steps<W>::kMoves;
    for (const uint32_t edge : edges_) memo_.prefetch(key, pid, edge, timeout, MemoKind::kEdge);
    uint64_t misses = 0;
    for (const uint32_t edge : edges_) {
      EdgeHabit& habit = habit_of(edge);
      ++habit.asked;
      Steps<W> known;
      if (!habit.memo.skips_lookup() && memo_.find(key, pid, edge, timeout, known, MemoKind::kEdge)) {
        deltas_.insert(deltas_.end(), known.deltas.begin(), known.deltas.end());
        flags_ |= known.flags;
        continue;
      }
      ++misses;
      const bool remember = habit.memo.note_miss(habit.asked, !always_) || always_;
      const Found found = compute(key, pid, timeout, edge, remember);
      if (found == Found::kUnknown) trial.rest();
      if (found != Found::kSteps) return found;
    }
    computed_ = misses > 0;
    trial.note(edges_.size(), misses);
    return deltas_.size() <= kMostSteps ? Found::kSteps : Found::kUnknown;
  }
  [[nodiscard]] const EdgeHabits& habits() const { return habits_; }
  // Of the layout before.
  void take_over(const EdgeHabits& habits) {
    habits_.edges.clear();
    for (const EdgeHabit& habit : habits.edges) habits_.edges.push_back({habit.memo.restarted(), 0});
    habits_.trials = habits.trials;
  }
  [[nodiscard]] Steps<W> steps() const { return {flags_, deltas_}; }
  // Whether any edge had to be computed.
  [[nodiscard]] bool computed() const { return computed_; }

 private:
  EdgeHabit& habit_of(uint32_t edge) {
    if (edge >= habits_.edges.size()) [[unlikely]]
      habits_.edges.resize(edge + size_t{1});
    return habits_.edges[edge];
  }

  [[gnu::noinline]] Found compute(const Key<W>& key, uint8_t pid, bool timeout, uint32_t edge, bool remember) {
    switch (computer_.compute_edge(key.data(), pid, timeout, edge, remember)) {
      case StepComputer::Computed::kSteps: break;
      case StepComputer::Computed::kTooNarrow: return Found::kTooNarrow;
      default: return Found::kUnknown;
    }
    const size_t begin = deltas_.size();
    append_keys<W>(computer_.deltas(), deltas_);
    flags_ |= computer_.flags();
    if (remember) {
      const Steps<W> steps{computer_.flags(), std::span(deltas_).subspan(begin)};
      memo_.insert(worker_, key, pid, edge, timeout, computer_.path(key.data()), steps, {}, MemoKind::kEdge);
    }
    return Found::kSteps;
  }

  static constexpr size_t kMostSteps = 0xffff;

  StepComputer& computer_;
  StepMemo<W>& memo_;
  const uint32_t worker_;
  const bool always_;
  EdgeHabits habits_;
  std::vector<uint32_t> edges_;
  // Of the last call.
  std::vector<Key<W>> deltas_;
  uint32_t flags_ = 0;
  bool computed_ = false;
};

}  // namespace cmc
