#include "ir/constant.h"

#include "ir/arithmetic.h"

namespace cmc {

std::optional<int32_t> constant_value(const Model& model, ExpressionId id) {
  const Expression& e = model.expressions[id];
  if (e.op == Operator::kConstant) return e.value;
  return compute(e, [&](ExpressionId operand) { return constant_value(model, operand); });
}

}  // namespace cmc
