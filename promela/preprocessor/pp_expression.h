#pragma once

#include <vector>

#include "promela/preprocessor/pp_token.h"
#include "promela/text/diagnostic.h"

namespace cmc::promela {

// The value of an #if expression: C's operators on 64-bit integers, signed or unsigned as their operands. The tokens
// are macro-expanded already, `defined` is resolved; names that are left count 0. After an error (reported) it is
// false. `where` is the directive, for an expression that is missing or ends too early.
[[nodiscard]] bool evaluate_condition(const std::vector<CToken>& tokens, Location where, Diagnostics& diagnostics);

}  // namespace cmc::promela
