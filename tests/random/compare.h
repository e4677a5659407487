#pragma once

#include <string>

#include "tests/random/cmc_oracle.h"
#include "tests/random/spin_oracle.h"

// When do SPIN and CMC agree about a model?

namespace cmc::random {

// The kind of disagreement in a word or two, empty if there is none; models that SPIN refuses or that are too large
// for it are no disagreement. Where SPIN stops at a run-time error, counts mean nothing: CMC must report one too.
[[nodiscard]] std::string disagreement(const SpinResult& spin, const CmcResult& cmc);

// CPU time for CMC: where there is nothing to compare, it must only not crash.
[[nodiscard]] inline unsigned seconds_for_cmc(const SpinResult& spin) {
  return spin.outcome == SpinResult::Outcome::kCounted || spin.outcome == SpinResult::Outcome::kRuntimeError ? 60 : 2;
}

[[nodiscard]] std::string describe(const SpinResult& spin);
[[nodiscard]] std::string describe(const CmcResult& cmc);

// A small hash of a model's text: a stored answer belongs to one text.
[[nodiscard]] uint64_t fingerprint(const std::string& text);

}  // namespace cmc::random
