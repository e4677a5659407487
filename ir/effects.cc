#include "ir/effects.h"

#include <algorithm>

namespace cmc {

namespace {

class Walk {
 public:
  Walk(const Model& model, const std::function<void(const Expression&)>& visit) : model_(model), visit_(visit) {}

  void expression(ExpressionId id) {
    if (id == kNoExpression) return;
    const Expression& e = model_.expressions[id];
    for (const ExpressionId operand : e.operands) expression(operand);
    indices(e.reference);
    arguments(e.arguments);
    if (e.op == Operator::kExists) guard(model_.guards[static_cast<size_t>(e.value)]);
    if (e.statement != kNoStatement) statement(model_.statements[e.statement]);
    visit_(e);
  }
  void statement(const Statement& s) {
    expression(s.expression);
    expression(s.channel);
    expression(s.guard);
    for (const ExpressionId operand : s.operands) expression(operand);
    arguments(s.arguments);
    indices(s.target);
    if (s.kind == StatementKind::kChoose) guard(model_.guards[s.guard_number]);
    for (const VariableReference& target : s.targets) indices(target);
    for (const DeterministicNode& node : s.body) {
      for (const DeterministicNode::Alternative& each : node.alternatives) {
        statement(model_.statements[each.statement]);
      }
    }
  }

 private:
  void guard(const SolverGuard& guard) {
    for (const ExpressionId parameter : guard.parameters) expression(parameter);
    for (const SolverGuard::Target& target : guard.targets) {
      expression(target.low);
      expression(target.high);
    }
  }
  void arguments(const std::vector<ReceiveArgument>& arguments) {
    for (const ReceiveArgument& argument : arguments) {
      expression(argument.match);
      indices(argument.store);
    }
  }
  void indices(const VariableReference& reference) {
    for (const VariableReference::Index& index : reference.indices) expression(index.expression);
  }

  const Model& model_;
  const std::function<void(const Expression&)>& visit_;
};

}  // namespace

void for_each_expression(const Model& model, ExpressionId id, const std::function<void(const Expression&)>& visit) {
  Walk(model, visit).expression(id);
}

void for_each_expression(const Model& model, const Statement& statement,
                         const std::function<void(const Expression&)>& visit) {
  Walk(model, visit).statement(statement);
}

void for_each_statement(const Model& model, const Statement& statement,
                        const std::function<void(const Statement&)>& visit) {
  visit(statement);
  for (const DeterministicNode& node : statement.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      for_each_statement(model, model.statements[alternative.statement], visit);
    }
  }
}

void for_each_written(const Model& model, const Statement& statement,
                      const std::function<void(const VariableReference&)>& visit) {
  for_each_statement(model, statement, [&](const Statement& each) {
    if (each.kind == StatementKind::kAssign && !each.discard_target) visit(each.target);
    if (each.kind == StatementKind::kReceive) {
      for (const ReceiveArgument& argument : each.arguments) {
        if (argument.kind == ReceiveArgument::Kind::kStore) visit(argument.store);
      }
    }
    for (const VariableReference& target : each.targets) visit(target);
  });
}

bool is_of_process(const Model& model, ExpressionId id) {
  bool all = true;
  for_each_expression(model, id, [&](const Expression& e) {
    const bool computes = e.op >= Operator::kNegate && e.op <= Operator::kConditional;
    const bool local = e.op == Operator::kVariable && e.reference.space == Space::kLocal;
    all = all && (computes || local || e.op == Operator::kConstant || e.op == Operator::kOwnPid);
  });
  return all;
}

bool is_of_process(const Model& model, const VariableReference& reference) {
  return reference.space == Space::kLocal && std::ranges::all_of(reference.indices, [&](const auto& index) {
           return is_of_process(model, index.expression);
         });
}

uint32_t extent(const VariableReference& reference) {
  uint32_t bytes = reference.type.bytes;
  for (const VariableReference::Index& index : reference.indices) bytes += (index.count - 1) * index.stride;
  return bytes;
}

bool is_jump(const Statement& statement) { return statement.kind == StatementKind::kSkip && statement.text != "(1)"; }

bool is_hidden(const Model& model, const VariableReference& reference) {
  return reference.space == Space::kGlobal && reference.offset < model.hidden_bytes;
}

bool reads_hidden(const Model& model, const Expression& expression) {
  return expression.op == Operator::kVariable && is_hidden(model, expression.reference);
}

bool reads_hidden_variable(const Model& model) {
  return std::ranges::any_of(model.expressions, [&](const Expression& each) { return reads_hidden(model, each); });
}

}  // namespace cmc
