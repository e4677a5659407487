#pragma once

#include <cstdint>
#include <string>

#include "tests/random/profile.h"

// Random, small, valid Promela models: the input of the comparison with SPIN. The same seed and profile give the same
// text. Models avoid what C leaves undefined (division by zero, indices out of bounds, large shifts), what SPIN
// refuses, and unbounded counters; a few percent still turn out refused or too large and are dropped by the harness.

namespace cmc::random {

// What a model's text asks for at its end.
enum class RandomProperty : uint8_t {
  kIrrelevant,  // now and then a claim or formula, for those to whom it must not matter
  kNone,        // nothing
  kNeverClaim,  // a claim
  kFormula,     // a formula of linear temporal logic
};

[[nodiscard]] std::string random_model(uint64_t seed, const Profile& profile,
                                       RandomProperty property = RandomProperty::kIrrelevant);

}  // namespace cmc::random
