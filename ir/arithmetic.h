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

// What a unary or binary operator or a conditional makes of its operands; value(id) is an operand's, or nothing, and
// is asked only for those that are evaluated. Nothing: so is one of these; else as above; or it is no such operator.
template <class Value>
[[nodiscard]] std::optional<int32_t> compute(const Expression& e, Value&& value) {
  if (e.op < Operator::kNegate || e.op > Operator::kConditional) return std::nullopt;
  const std::optional<int32_t> first = value(e.operands[0]);
  if (!first) return std::nullopt;
  if (e.operands.size() == 1) return apply(e.op, *first);
  if (e.op == Operator::kConditional) return value(e.operands[*first != 0 ? 1 : 2]);
  const bool junction = e.op == Operator::kAnd || e.op == Operator::kOr;
  if (junction && (*first != 0) == (e.op == Operator::kOr)) return *first != 0;
  const std::optional<int32_t> second = value(e.operands[1]);
  if (!second) return std::nullopt;
  return junction ? *second != 0 : apply(e.op, *first, *second);
}

}  // namespace cmc
