#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "tests/random/random_model.h"
#include "tests/support/compile.h"

namespace cmc::test {

// None: it is one of the few that are refused.
inline std::optional<Model> compile_random(uint64_t seed, const random::Profile& profile) {
  try {
    return compile_text(random::random_model(seed, profile));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace cmc::test
