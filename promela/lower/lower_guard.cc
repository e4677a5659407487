#include "base/check.h"
#include "promela/lower/lower_expression.h"

// The conditions of solver guards, closed (SolverGuard, ir/expression.h).

namespace cmc::promela {

using ast::ExpressionKind;

namespace {

class GuardLowering {
 public:
  GuardLowering(ExpressionLowering& emit, SolverGuard& guard) : emit_(emit), guard_(guard) {}

  ExpressionId close(const ast::Expression& e) {
    if (!depends_on_target(e)) {
      return e.kind == ExpressionKind::kNumber || e.kind == ExpressionKind::kMtypeConstant ? emit_.lower(e)
                                                                                           : parameter(e);
    }
    if (e.kind == ExpressionKind::kVariable)
      return e.variable->target >= 0 ? target(*e.variable) : element(*e.variable);
    Expression result;
    result.op = e.kind == ExpressionKind::kConditional ? Operator::kConditional : ir_operator(e.op);
    for (const ast::ExpressionPtr& operand : e.operands) result.operands.push_back(close(*operand));
    return emit_.add(std::move(result));
  }

 private:
  ExpressionId target(const ast::VariableRef& variable) {
    Expression result;
    result.op = Operator::kTarget;
    result.value = variable.target;
    return emit_.add(std::move(result));
  }

  // The same text is the same value: a condition has one scope.
  ExpressionId parameter(const ast::Expression& e) {
    const auto [known, is_new] = parameters_.try_emplace(to_text(e), guard_.parameters.size());
    if (is_new) guard_.parameters.push_back(emit_.lower(e));
    return parameter(known->second, {});
  }

  ExpressionId parameter(size_t number, std::vector<VariableReference::Index> indices) {
    Expression result;
    result.op = Operator::kParameter;
    result.value = static_cast<int32_t>(number);
    result.reference.indices = std::move(indices);
    return emit_.add(std::move(result));
  }

  // An element of an array: all that it can be are parameters, row by row.
  ExpressionId element(const ast::VariableRef& variable) {
    VariableReference base = emit_.reference(variable, [this](const ast::Expression& index) { return close(index); });
    const std::vector<VariableReference::Index> in_state = std::move(base.indices);
    base.indices.clear();
    CHECK(!in_state.empty());  // an element that depends on a target has an index
    std::vector<VariableReference::Index> in_parameters = in_state;
    in_parameters.back().stride = 1;
    for (size_t i = in_parameters.size() - 1; i > 0; --i) {
      in_parameters[i - 1].stride = in_parameters[i].stride * in_parameters[i].count;
    }
    const auto [known, is_new] =
        arrays_.try_emplace({base.space, base.offset, base.variable}, guard_.parameters.size());
    if (is_new) append_elements(base, in_state, 0);
    return parameter(known->second, std::move(in_parameters));
  }

  void append_elements(const VariableReference& base, const std::vector<VariableReference::Index>& indices,
                       size_t depth) {
    if (depth == indices.size()) {
      Expression element;
      element.op = Operator::kVariable;
      element.reference = base;
      guard_.parameters.push_back(emit_.add(std::move(element)));
      return;
    }
    VariableReference inner = base;
    for (uint32_t i = 0; i < indices[depth].count; ++i, inner.offset += indices[depth].stride) {
      append_elements(inner, indices, depth + 1);
    }
  }

  struct Array {
    Space space;
    uint32_t offset;
    uint32_t variable;
    auto operator<=>(const Array&) const = default;
  };

  ExpressionLowering& emit_;
  SolverGuard& guard_;
  std::map<std::string, size_t> parameters_;  // by text: number
  std::map<Array, size_t> arrays_;            // the number of the first element
};

}  // namespace

uint32_t ExpressionLowering::guard(const std::vector<ast::GuardTarget>& targets, const ast::Expression& condition) {
  const auto [known, is_new] = guards_.try_emplace(&condition, static_cast<uint32_t>(model_.guards.size()));
  if (!is_new) return known->second;
  SolverGuard guard;
  for (const ast::GuardTarget& target : targets) {
    guard.targets.push_back({to_text(*target.variable), lower(*target.low), lower(*target.high)});
  }
  guard.condition = GuardLowering(*this, guard).close(condition);
  guard.text = to_text(condition);
  guard.place = condition.location.place;
  model_.guards.push_back(std::move(guard));
  return known->second;
}

ExpressionId ExpressionLowering::exists(uint32_t guard) {
  Expression expression;
  expression.op = Operator::kExists;
  expression.value = static_cast<int32_t>(guard);
  return add(std::move(expression));
}

}  // namespace cmc::promela
