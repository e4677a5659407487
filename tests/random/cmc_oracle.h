#pragma once

#include <cstdint>
#include <string>

// Asks CMC, in a process of its own, so that a crash or a hang of CMC is an answer, too. It compiles the model;
// searches depth-first with the VM and its atomic sequences compared with the reference interpreter at every call;
// searches breadth-first with the VM alone; and runs the fast engine depth- and breadth-first, in RAM and with the
// disk store, with one and two threads, a tiny memo and tiny fields. The reference interpreter replays the paths of
// the first errors.

namespace cmc::random {

struct CmcResult {
  enum class Outcome : uint8_t {
    kCounted,
    kRefused,   // the front end reported errors
    kTooLarge,  // time limit
    kCrashed,
    kGeneratorsDiffer,
    kOrdersDiffer,  // depth-first and breadth-first
    kReplayFailed,
    kEnginesDiffer,  // the simple engine and the fast one
  } outcome = Outcome::kCrashed;
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t assertion_errors = 0;  // all errors but invalid end states
  uint64_t all_errors = 0;
  uint64_t runtime_errors = 0;  // other than assertions; part of assertion_errors
  uint32_t declined = 0;        // configurations of the fast engine that were not compared: they left the model
                                // to the simple one, or took too long
  std::string text;             // diagnostics, the difference, the kinds of run-time errors
};

const char* outcome_name(CmcResult::Outcome outcome);

[[nodiscard]] CmcResult ask_cmc(const std::string& model, unsigned cpu_seconds = 60);

// Compares searches with partial-order reduction with one of the simple engine without, and with nothing else.
[[nodiscard]] CmcResult ask_cmc_partial_order(const std::string& model, unsigned cpu_seconds = 60);

}  // namespace cmc::random
