#include "checker/automata/predicates.h"

#include <cstddef>
#include <utility>

namespace cmc::automata {

namespace {

ExpressionId add(Model& model, Operator op, std::vector<ExpressionId> operands, int32_t value = 0) {
  Expression expression;
  expression.op = op;
  expression.operands = std::move(operands);
  expression.value = value;
  model.expressions.push_back(std::move(expression));
  return static_cast<ExpressionId>(model.expressions.size() - 1);
}

ExpressionId chain(Model& model, Operator op, const std::vector<ExpressionId>& operands, int32_t neutral) {
  if (operands.empty()) return add(model, Operator::kConstant, {}, neutral);
  ExpressionId result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) result = add(model, op, {result, operands[i]});
  return result;
}

}  // namespace

ExpressionId negation(Model& model, ExpressionId operand) {
  const Expression& e = model.expressions[operand];
  const std::vector<ExpressionId> operands = e.operands;
  switch (e.op) {
    case Operator::kEmpty: return add(model, Operator::kNotEmpty, operands);
    case Operator::kNotEmpty: return add(model, Operator::kEmpty, operands);
    case Operator::kFull: return add(model, Operator::kNotFull, operands);
    case Operator::kNotFull: return add(model, Operator::kFull, operands);
    default: return add(model, Operator::kNot, {operand});
  }
}

ExpressionId conjunction(Model& model, const std::vector<ExpressionId>& operands) {
  return chain(model, Operator::kAnd, operands, 1);
}

ExpressionId disjunction(Model& model, const std::vector<ExpressionId>& operands) {
  return chain(model, Operator::kOr, operands, 0);
}

}  // namespace cmc::automata
