#include "ir/condition.h"

#include <algorithm>

#include "base/check.h"
#include "ir/arithmetic.h"

namespace cmc {

namespace {

class Evaluation {
 public:
  Evaluation(const Model& model, std::span<const ParameterValue> parameters, std::span<const int32_t> targets)
      : model_(model), parameters_(parameters), targets_(targets) {}

  // Nothing: undefined, `cause` says why.
  std::optional<int32_t> value(ExpressionId id) {
    const Expression& e = model_.expressions[id];
    switch (e.op) {
      case Operator::kConstant: return e.value;
      case Operator::kTarget:
        DCHECK(e.value >= 0 && static_cast<size_t>(e.value) < targets_.size());
        return targets_[static_cast<size_t>(e.value)];
      case Operator::kParameter: return parameter(e);
      default: return compute(e, [&](ExpressionId operand) { return value(operand); });
    }
  }

  ConditionResult cause{ConditionResult::Kind::kDivision, 0};  // if nothing else is

 private:
  std::optional<int32_t> parameter(const Expression& e) {
    uint32_t number = static_cast<uint32_t>(e.value);
    for (const VariableReference::Index& index : e.reference.indices) {
      const std::optional<int32_t> at = value(index.expression);
      if (!at) return std::nullopt;
      if (*at < 0 || static_cast<uint32_t>(*at) >= index.count) {
        cause = {ConditionResult::Kind::kIndex, *at};
        return std::nullopt;
      }
      number += static_cast<uint32_t>(*at) * index.stride;
    }
    DCHECK(number < parameters_.size());
    const ParameterValue& parameter = parameters_[number];
    if (parameter.defined) return parameter.value;
    cause = {ConditionResult::Kind::kParameter, static_cast<int32_t>(number)};
    return std::nullopt;
  }

  const Model& model_;
  std::span<const ParameterValue> parameters_;
  std::span<const int32_t> targets_;
};

bool condition_may_be_undefined(const Model& model, const SolverGuard& guard, ExpressionId id) {
  const Expression& e = model.expressions[id];
  const auto any = [&](ExpressionId operand) { return condition_may_be_undefined(model, guard, operand); };
  if (e.op == Operator::kParameter) {
    return !e.reference.indices.empty() || may_fail(model, guard.parameters[static_cast<size_t>(e.value)]);
  }
  if (e.op == Operator::kDivide || e.op == Operator::kModulo) {
    const Expression& divisor = model.expressions[e.operands[1]];
    if (divisor.op != Operator::kConstant || divisor.value == 0 || divisor.value == -1) return true;
  }
  return std::ranges::any_of(e.operands, any);
}

}  // namespace

ConditionResult evaluate_condition(const Model& model, const SolverGuard& guard,
                                   std::span<const ParameterValue> parameters, std::span<const int32_t> targets) {
  DCHECK(parameters.size() == guard.parameters.size() && targets.size() == guard.targets.size());
  Evaluation evaluation(model, parameters, targets);
  const std::optional<int32_t> value = evaluation.value(guard.condition);
  if (!value) return evaluation.cause;
  return {*value != 0 ? ConditionResult::Kind::kTrue : ConditionResult::Kind::kFalse, 0};
}

bool may_be_undefined(const Model& model, const SolverGuard& guard) {
  return condition_may_be_undefined(model, guard, guard.condition);
}

bool may_fail(const Model& model, ExpressionId id) {
  const Expression& e = model.expressions[id];
  switch (e.op) {
    case Operator::kVariable: return !e.reference.indices.empty();
    case Operator::kConstant:
    case Operator::kOwnPid:
    case Operator::kProcessCount:
    case Operator::kLast:
    case Operator::kOwnPriority:
    case Operator::kTimeout:
    case Operator::kNonProgress: return false;
    case Operator::kDivide:
    case Operator::kModulo: return true;
    default: break;
  }
  if (e.op < Operator::kNegate || e.op > Operator::kConditional) return true;
  return std::ranges::any_of(e.operands, [&](ExpressionId operand) { return may_fail(model, operand); });
}

}  // namespace cmc
