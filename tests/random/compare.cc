#include "tests/random/compare.h"

namespace cmc::random {
namespace {

std::string counts(uint64_t states, uint64_t transitions, uint64_t assertions, uint64_t errors) {
  return "states=" + std::to_string(states) + " transitions=" + std::to_string(transitions) +
         " assertions=" + std::to_string(assertions) + " errors=" + std::to_string(errors);
}

}  // namespace

std::string disagreement(const SpinResult& spin, const CmcResult& cmc) {
  if (cmc.outcome == CmcResult::Outcome::kCrashed || cmc.outcome == CmcResult::Outcome::kGeneratorsDiffer ||
      cmc.outcome == CmcResult::Outcome::kOrdersDiffer || cmc.outcome == CmcResult::Outcome::kReplayFailed ||
      cmc.outcome == CmcResult::Outcome::kEnginesDiffer) {
    return outcome_name(cmc.outcome);
  }
  const bool error = spin.outcome == SpinResult::Outcome::kRuntimeError;
  if (spin.outcome != SpinResult::Outcome::kCounted && !error) return "";
  // SPIN stopped at the first such error, CMC looks for all.
  if (error && cmc.outcome == CmcResult::Outcome::kTooLarge) return "";
  if (cmc.outcome != CmcResult::Outcome::kCounted) return outcome_name(cmc.outcome);
  if (error) return cmc.runtime_errors > 0 ? "" : "run-time error missed";
  if (cmc.runtime_errors > 0) return "run-time error only in CMC";
  if (spin.states != cmc.states) return "states";
  if (spin.transitions != cmc.transitions) return "transitions";
  if (spin.assertion_errors != cmc.assertion_errors) return "assertion errors";
  return spin.all_errors != cmc.all_errors ? "end states" : "";
}

std::string describe(const SpinResult& spin) {
  if (spin.outcome != SpinResult::Outcome::kCounted)
    return std::string(outcome_name(spin.outcome)) + ": " + spin.text;
  return counts(spin.states, spin.transitions, spin.assertion_errors, spin.all_errors);
}

std::string describe(const CmcResult& cmc) {
  const std::string text = cmc.text.empty() ? "" : "; " + cmc.text;
  if (cmc.outcome == CmcResult::Outcome::kRefused || cmc.outcome == CmcResult::Outcome::kCrashed) {
    return outcome_name(cmc.outcome) + text;
  }
  return counts(cmc.states, cmc.transitions, cmc.assertion_errors, cmc.all_errors) +
         (cmc.outcome == CmcResult::Outcome::kCounted ? "" : std::string(" ") + outcome_name(cmc.outcome)) + text;
}

uint64_t fingerprint(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace cmc::random
