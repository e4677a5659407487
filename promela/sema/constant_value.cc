#include "promela/sema/constant_value.h"

#include "base/check.h"
#include "ir/arithmetic.h"

namespace cmc::promela {

using ast::ExpressionKind;

Operator ir_operator(ast::Op op) {
#define CMC_OPERATOR(name, text) Operator::name
  constexpr Operator kOperators[] = {CMC_UNARY_OPERATORS(CMC_OPERATOR), CMC_BINARY_OPERATORS(CMC_OPERATOR),
                                     CMC_CHANNEL_QUERIES(CMC_OPERATOR)};
#undef CMC_OPERATOR
  const size_t number = static_cast<size_t>(op) - 1;  // behind kNone
  CHECK(number < std::size(kOperators));              // an operator that is not temporal
  return kOperators[number];
}

std::optional<int32_t> constant_value(const ast::Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNumber:
    case ExpressionKind::kMtypeConstant: return e.value;
    case ExpressionKind::kUnary: {
      const std::optional<int32_t> operand = constant_value(*e.operands[0]);
      return operand ? std::optional(apply(ir_operator(e.op), *operand)) : std::nullopt;
    }
    case ExpressionKind::kBinary: {
      if (e.op == ast::Op::kAnd || e.op == ast::Op::kOr) return std::nullopt;
      const std::optional<int32_t> left = constant_value(*e.operands[0]);
      const std::optional<int32_t> right = left ? constant_value(*e.operands[1]) : std::nullopt;
      return right ? apply(ir_operator(e.op), *left, *right) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace cmc::promela
