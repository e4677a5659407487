#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/reference/interpreter.h"
#include "checker/reference/reference.h"

// From the outcomes of single steps to the entries and errors of a batch.

namespace cmc::reference {

class Expansion {
 public:
  Expansion(const Model& model, GuardDecider* decider, ReferenceSteps steps, std::atomic<uint64_t>* cut);

  void initial(SuccessorBatch& out);

  // Append the steps of one process, of all processes, of the claim. True: someone can move, or failed trying.
  bool steps_of(State& state, uint8_t pid, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out);
  bool steps_of_all(State& state, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out);
  bool claim_moves(const State& state, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out);

  // Hands out where the steps lead: at once, or at the ends of the atomic sequences that they begin, path by path.
  // Paths begin with `prefix`, which leads to `state`.
  void follow(std::vector<Step> prefix, const State& state, std::vector<Outcome> outcomes, SuccessorBatch& out);

  void add_entry(const std::vector<Step>& path, const State& state, SuccessorBatch& out) const;
  // The errors of an outcome; `prefix` leads to `state`, in which its steps begin.
  void add_errors(const std::vector<Step>& prefix, const Outcome& outcome, const State& state,
                  SuccessorBatch& out) const;

 private:
  // A state on the way through an atomic sequence.
  struct Level {
    std::vector<Outcome> outcomes;
    size_t next = 0;        // of the outcomes
    size_t path_steps = 0;  // that lead to this state
    Bytes identity;         // what makes it this state; empty for the expanded one
  };

  [[nodiscard]] SourcePlace place_of(const Failure& failure, uint8_t pid, const State& state) const;
  void note_pending(SuccessorBatch& out) const;

  const Model& model_;
  Interpreter interpreter_;
  const bool follows_chains_;
  std::atomic<uint64_t>* const cut_;
  const size_t ignored_bytes_;  // hidden variables that nobody reads: states that differ in them only are equal
};

}  // namespace cmc::reference
