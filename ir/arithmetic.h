#pragma once

#include <cstdint>
#include <optional>

#include "ir/expression.h"

// Promela's arithmetic: C's 32-bit int, wrapping; shift counts modulo 32.

namespace cmc {

// REQUIRES: kNegate, kNot or kComplement.
[[nodiscard]] int32_t apply(Operator op, int32_t operand);

// REQUIRES: a binary operator other than kAnd and kOr. Nothing: division by zero, or a quotient that does not fit.
[[nodiscard]] std::optional<int32_t> apply(Operator op, int32_t left, int32_t right);

}  // namespace cmc
