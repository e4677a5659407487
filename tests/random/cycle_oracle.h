#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/cmc_oracle.h"
#include "tests/random/spin_oracle.h"

// Asks CMC about cycles, in a process of its own: products with a claim, made by the VM and by the reference
// interpreter, are explored by the simple engine in both orders, with and without fairness. All must agree. Each
// lasso is followed with the reference interpreter.

namespace cmc::random {

struct CmcCycles {
  CmcResult::Outcome outcome = CmcResult::Outcome::kCrashed;
  uint64_t states = 0;
  uint64_t transitions = 0;
  bool assertion = false;
  bool claim_end = false;
  bool runtime_error = false;  // another one
  bool cycle = false;
  bool fair_cycle = false;
  // The same with states that differ only in whether the system is known to be blocked taken as one, as SPIN's
  // verifier does.
  uint64_t merged_states = 0;
  uint64_t merged_transitions = 0;
  bool merged_cycle = false;
  bool false_cycle = false;        // it takes something else for a cycle (StutterOfSpin)
  bool closes_in_atomic = false;   // or a loop closes behind an accept label inside an atomic sequence
  bool timeout_in_atomic = false;  // an atomic sequence may begin with `timeout`
  std::string text;                // diagnostics, the difference, the kind of the run-time error
};

[[nodiscard]] CmcCycles ask_cmc_cycles(const std::string& model, CycleQuestion question, unsigned cpu_seconds = 20);

// The kind of disagreement in a word or two, empty if there is none. `known`: traits of SPIN's verifier that made a
// difference, each recognised exactly.
[[nodiscard]] std::string disagreement(CycleQuestion question, const SpinCycles& spin, const CmcCycles& cmc,
                                       std::vector<std::string>& known);

// The same of the answers about a formula, and about the claim that SPIN makes of it.
[[nodiscard]] std::string disagreement(const CmcCycles& formula, const CmcCycles& claim,
                                       std::vector<std::string>& known);

[[nodiscard]] std::string describe(const SpinCycles& spin);
[[nodiscard]] std::string describe(const CmcCycles& cmc);

}  // namespace cmc::random
