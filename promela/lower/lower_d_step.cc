#include "base/check.h"
#include "promela/lower/lowering.h"

namespace cmc::promela {

using FlowKind = FlowElement::Kind;

struct Lowering::BodyBuilder {
  Lowering& lowering;
  ControlFlow& flow;
  std::vector<DeterministicNode> nodes;
  std::map<const FlowElement*, uint32_t> numbers;
  std::vector<const FlowElement*> pending;

  // The node that control reaches at `element`.
  uint32_t node(const FlowElement* element) {
    element = flow.follow_in_d_step(element);
    if (element == nullptr) return DeterministicNode::kDone;
    const auto [known, is_new] = numbers.try_emplace(element, static_cast<uint32_t>(nodes.size()));
    if (is_new) {
      nodes.emplace_back();
      pending.push_back(element);
    }
    return known->second;
  }

  void finish() {
    while (!pending.empty()) {
      const FlowElement* element = pending.back();
      pending.pop_back();
      const uint32_t number = numbers[element];
      DCHECK(number < nodes.size() && nodes[number].alternatives.empty());
      std::vector<DeterministicNode::Alternative> alternatives;
      if (element->kind == FlowKind::kIf || element->kind == FlowKind::kDo) {
        for (const FlowSequence* option : element->branches) alternatives.push_back(alternative(option->first));
      } else {
        alternatives.push_back(alternative(element));
      }
      nodes[number].alternatives = std::move(alternatives);
    }
  }

  // A basic statement is tried; anything else commits to its option at once, as in SPIN's verifier.
  DeterministicNode::Alternative alternative(const FlowElement* first) {
    if (first->kind == FlowKind::kStatement || first->kind == FlowKind::kElse) {
      return {lowering.lower_element(flow, *first), node(first->next)};
    }
    return {lowering.skip(*first), node(first)};
  }
};

StatementId Lowering::lower_d_step(ControlFlow& flow, const FlowElement& element) {
  Statement statement;
  statement.kind = StatementKind::kAtomicBlock;
  statement.place = element.location.place;
  statement.text = "d_step";
  statement.guard = d_step_guard(flow, element.branches[0]->first);
  BodyBuilder builder{*this, flow, {}, {}, {}};
  const uint32_t start = builder.node(element.branches[0]->first);
  if (start == DeterministicNode::kDone) builder.nodes.push_back({{{skip(element), DeterministicNode::kDone}}});
  builder.finish();
  statement.body = std::move(builder.nodes);
  return emit_.add(std::move(statement));
}

StatementId Lowering::skip(const FlowElement& element) {
  Statement statement;
  statement.place = element.location.place;
  statement.text = "skip";
  return emit_.add(std::move(statement));
}

ExpressionId Lowering::idle_and(ExpressionId condition) {
  return emit_.binary(Operator::kAnd, emit_.leaf(Operator::kNoRendezvous), condition);
}

ExpressionId Lowering::start_condition(ControlFlow& flow, const FlowElement& element, bool inside_choice) {
  if (element.kind == FlowKind::kElse) {
    if (inside_choice) return emit_.leaf(Operator::kNoRendezvous);
    return idle_and(emit_.leaf(Operator::kElseGuard));
  }
  if (element.kind != FlowKind::kStatement || element.no_operation) return kNoExpression;
  const ast::Statement& statement = *element.statement;
  switch (statement.kind) {
    case ast::StatementKind::kExpression: return idle_and(emit_.lower(*statement.expression));
    case ast::StatementKind::kSend: {
      Expression room;
      room.op = Operator::kNotFull;
      room.operands.push_back(emit_.channel(*statement.variable));
      return idle_and(emit_.add(std::move(room)));
    }
    case ast::StatementKind::kReceive: {
      Expression receivable;
      receivable.op = Operator::kReceivable;
      receivable.statement = lower_element(flow, element);
      const ExpressionId condition = emit_.add(std::move(receivable));
      return statement.poll ? idle_and(condition) : condition;
    }
    case ast::StatementKind::kChoose:
      return idle_and(emit_.exists(emit_.guard(statement.targets, *statement.expression)));
    case ast::StatementKind::kAssign: return inside_choice ? kNoExpression : emit_.leaf(Operator::kNoRendezvous);
    default: return kNoExpression;
  }
}

ExpressionId Lowering::d_step_guard(ControlFlow& flow, const FlowElement* first) {
  switch (first->kind) {
    case FlowKind::kUnless:
    case FlowKind::kBlock:
    case FlowKind::kAtomic: return d_step_guard(flow, first->branches[0]->first);
    case FlowKind::kIf: return any_option(flow, *first);
    case FlowKind::kTarget:
      return first->next != nullptr && first->next->kind == FlowKind::kDo ? any_option(flow, *first->next)
                                                                          : kNoExpression;
    default: return start_condition(flow, *first, false);
  }
}

ExpressionId Lowering::any_option(ControlFlow& flow, const FlowElement& choice) {
  std::vector<ExpressionId> conditions;
  for (const FlowSequence* option : choice.branches) {
    const FlowElement* first = flow.option_start(option->first);
    ExpressionId condition = kNoExpression;
    if (first->kind == FlowKind::kBlock || first->kind == FlowKind::kAtomic) {
      const FlowElement* inner = first->branches[0]->first;
      if (inner->kind == FlowKind::kIf || inner->kind == FlowKind::kDo) condition = any_option(flow, *inner);
    } else if (first->kind == FlowKind::kIf) {
      condition = any_option(flow, *first);
    } else {
      condition = start_condition(flow, *first, true);
    }
    if (condition != kNoExpression) conditions.push_back(condition);
  }
  return conditions.empty() ? kNoExpression : disjunction(conditions);
}

// As flat a tree as possible: whoever walks it does so recursively, and there may be thousands of options.
ExpressionId Lowering::disjunction(std::span<const ExpressionId> conditions) {
  if (conditions.size() == 1) return conditions.front();
  const size_t half = (conditions.size() + 1) / 2;
  const ExpressionId left = disjunction(conditions.first(half));
  return emit_.binary(Operator::kOr, left, disjunction(conditions.subspan(half)));
}

}  // namespace cmc::promela
