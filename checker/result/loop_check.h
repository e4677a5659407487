#pragma once

#include <bitset>
#include <string>

#include "checker/generator/generator.h"
#include "checker/result/options.h"
#include "ir/model.h"

namespace cmc {

// Looks whether the loop of a run is one that makes it a counterexample: it leads back to its first state, passes an
// accepting one, and, under weak fairness, treats each process fairly. That is, the process takes part in a step of
// the loop, or cannot move in some state of it. What counts are the states in which the claim is to move; in those in
// the middle of an atomic sequence it stands still.
class LoopCheck {
 public:
  // `product` makes the steps of `model` and its claim.
  LoopCheck(SuccessorGenerator& product, const Model& model, Fairness fairness)
      : product_(product), model_(model), fairness_(fairness) {}

  // To be called in the order of the run, from the first state of the loop to its last step.
  void state(ByteView state);
  void step(const Step& step);
  // How much was seen of what makes the loop a counterexample. It grows with each state and each step that adds to
  // that.
  [[nodiscard]] size_t seen() const { return served_.count() + (accepting_ ? 1 : 0); }
  // Ends the loop. Empty: all is well.
  [[nodiscard]] std::string end(ByteView state);

 private:
  [[nodiscard]] Bytes identity(ByteView state, bool& stable);
  [[nodiscard]] bool can_move(ByteView state, uint32_t pid, bool timeout);
  void note_idle_processes(ByteView state);

  SuccessorGenerator& product_;
  const Model& model_;
  const Fairness fairness_;
  SuccessorBatch batch_;
  Bytes first_;  // the identity of the first state; empty before
  bool accepting_ = false;
  std::bitset<kMaxProcesses + 1> served_;  // by pid: its step or a state in which it cannot move was seen
};

}  // namespace cmc
