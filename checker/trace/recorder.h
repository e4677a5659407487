#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/trace/trace.h"
#include "ir/model.h"

namespace cmc {

// One step of a run, as replay and simulation tell it.
struct RunStep {
  uint64_t number = 0;  // from 1; 0: a move of the claim
  Step step;
  ByteView before;
  ByteView after;  // empty: an error cut the step
  std::span<const RuntimeError> errors;
};

// Makes the steps of a trace. It decodes one state for each step: some ten thousand steps a second.
class TraceRecorder {
 public:
  explicit TraceRecorder(const Model& model) : model_(model) {}

  void start(ByteView state);
  // The steps are recorded in their order, from the state given to start() on.
  [[nodiscard]] TraceStep record(const RunStep& run);
  [[nodiscard]] const StateImage& state() const { return state_; }

 private:
  void follow_messages(TraceStep& step);

  const Model& model_;
  StateImage state_;
  std::vector<std::vector<uint64_t>> senders_;  // by channel and message in it: the step that sent it, 0: not known
};

// Fills in what differs: changes, moves, what starts and opens.
void compare_states(const StateImage& before, const StateImage& after, TraceStep& step);

// "send", "receive", "peek" (a receive that leaves the message there), "rendezvous", "assignment", "condition",
// "else", "assertion", "print", "run", "d_step", "choose", "jump", "end" (of the process), "priority", "embedded-c".
[[nodiscard]] std::string step_kind(const Model& model, const Statement& statement, bool rendezvous);

}  // namespace cmc
