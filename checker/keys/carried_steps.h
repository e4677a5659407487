#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checker/keys/steps.h"

// What is known of the steps of a state's processes from its parent, in which another process moved. A process whose
// steps looked at nothing that the move changed has the same steps as before: they are carried to the child instead
// of looked up. Some of these even need not be taken again (a sleep set; README.md has the rule and its proof): such
// a process is asleep, its steps are counted, and lead to states that are found in another order.

namespace cmc {

// What stands beside an open state where there is no room for a row: a bit for each process that is asleep, by pid.
// Those of higher pids are awake.
using SleepMask = uint16_t;
inline constexpr uint32_t kMostSleepers = 16;

// A row of numbers beside an open state. Number 1 + pid: the leaf of the StepMemo that has the process's steps, or 0
// if they are to be looked up, and kAsleep. Number 0: how many steps the sleeping processes have whose leaf is there,
// and kMoves if one of them can move.
namespace carried_row {
inline constexpr uint32_t kAsleep = uint32_t{1} << 31;
inline constexpr uint32_t kMoves = uint32_t{1} << 31;
inline constexpr uint32_t kMostProcesses = 64;  // of which rows tell: 260 bytes for each open state

// The memo has no such leaves any more.
inline void forget_leaves(uint32_t* row, uint32_t processes) {
  row[0] = 0;
  for (uint32_t pid = 0; pid < processes; ++pid) row[1 + pid] &= kAsleep;
}
// Of a mask all that it tells.
inline void write(SleepMask asleep, uint32_t* row, uint32_t processes) {
  row[0] = 0;
  for (uint32_t pid = 0; pid < processes; ++pid) {
    row[1 + pid] = pid < kMostSleepers && (asleep >> pid & 1) != 0 ? kAsleep : 0;
  }
}
}  // namespace carried_row

// The same of steps that no leaf has.
template <unsigned W>
struct CarriedEntry {
  Key<W> touched;  // bits of a key: what their computation looked at
  Key<W> changed;  // by any of them
  uint32_t count = 0;
  uint32_t flags = 0;  // StepFlags
};

// Of one state of a batch, while it is expanded and until its new successors have rows.
template <unsigned W>
struct CarriedState {
  uint32_t* row = nullptr;
  CarriedEntry<W>* entries = nullptr;  // by pid
  uint32_t known = 0;                  // processes of which `row` and `entries` tell now; 0: nothing is carried on
  uint64_t asleep_steps = 0;
};

// Those of a batch.
template <unsigned W>
class CarriedBatch {
 public:
  explicit CarriedBatch(size_t batch) : states_(batch) {}

  // Processes of which rows tell.
  void resize(uint32_t processes) {
    processes_ = processes;
    entries_ = std::make_unique<CarriedEntry<W>[]>(processes * states_.size());
    for (size_t i = 0; i < states_.size(); ++i) states_[i].entries = entries_.get() + i * processes;
  }
  [[nodiscard]] uint32_t processes() const { return processes_; }
  [[nodiscard]] size_t size() const { return states_.size(); }
  [[nodiscard]] CarriedState<W>& operator[](size_t number) { return states_[number]; }
  void forget() {
    for (CarriedState<W>& each : states_) each.known = 0;
  }

 private:
  uint32_t processes_ = 0;
  std::vector<CarriedState<W>> states_;
  std::unique_ptr<CarriedEntry<W>[]> entries_;
};

}  // namespace cmc
