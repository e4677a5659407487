#include "ir/constant.h"

#include "ir/arithmetic.h"

namespace cmc {

std::optional<int32_t> constant_value(const Model& model, ExpressionId id) {
  const Expression& e = model.expressions[id];
  switch (e.op) {
    case Operator::kConstant: return e.value;
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kComplement: {
      const std::optional<int32_t> operand = constant_value(model, e.operands[0]);
      return operand ? std::optional(apply(e.op, *operand)) : std::nullopt;
    }
    case Operator::kAnd:
    case Operator::kOr: {
      const std::optional<int32_t> left = constant_value(model, e.operands[0]);
      if (!left) return std::nullopt;
      if ((*left != 0) == (e.op == Operator::kOr)) return *left != 0;
      const std::optional<int32_t> right = constant_value(model, e.operands[1]);
      return right ? std::optional<int32_t>(*right != 0) : std::nullopt;
    }
    case Operator::kConditional: {
      const std::optional<int32_t> condition = constant_value(model, e.operands[0]);
      return condition ? constant_value(model, e.operands[*condition != 0 ? 1 : 2]) : std::nullopt;
    }
    default: break;
  }
  if (e.op < Operator::kAdd || e.op > Operator::kNotEqual) return std::nullopt;
  const std::optional<int32_t> left = constant_value(model, e.operands[0]);
  const std::optional<int32_t> right = left ? constant_value(model, e.operands[1]) : std::nullopt;
  return right ? apply(e.op, *left, *right) : std::nullopt;
}

}  // namespace cmc
