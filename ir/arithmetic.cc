#include "ir/arithmetic.h"

#include "base/check.h"

namespace cmc {

namespace {

int32_t wrap(uint32_t bits) { return static_cast<int32_t>(bits); }
uint32_t bits_of(int32_t value) { return static_cast<uint32_t>(value); }

}  // namespace

int32_t apply(Operator op, int32_t operand) {
  switch (op) {
    case Operator::kNegate: return wrap(0u - bits_of(operand));
    case Operator::kNot: return operand == 0;
    case Operator::kComplement: return ~operand;
    default: break;
  }
  CHECK(!"an operator that is not unary");
  return 0;
}

std::optional<int32_t> apply(Operator op, int32_t a, int32_t b) {
  switch (op) {
    case Operator::kAdd: return wrap(bits_of(a) + bits_of(b));
    case Operator::kSubtract: return wrap(bits_of(a) - bits_of(b));
    case Operator::kMultiply: return wrap(bits_of(a) * bits_of(b));
    case Operator::kDivide:
    case Operator::kModulo:
      if (b == 0 || (a == INT32_MIN && b == -1)) return std::nullopt;
      return op == Operator::kDivide ? a / b : a % b;
    case Operator::kBitAnd: return a & b;
    case Operator::kBitOr: return a | b;
    case Operator::kBitXor: return a ^ b;
    case Operator::kShiftLeft: return wrap(bits_of(a) << (bits_of(b) & 31));
    case Operator::kShiftRight: return a >> (bits_of(b) & 31);
    case Operator::kLess: return a < b;
    case Operator::kLessEqual: return a <= b;
    case Operator::kGreater: return a > b;
    case Operator::kGreaterEqual: return a >= b;
    case Operator::kEqual: return a == b;
    case Operator::kNotEqual: return a != b;
    default: break;
  }
  CHECK(!"an operator that is not binary");
  return std::nullopt;
}

}  // namespace cmc
