#include <algorithm>

#include "promela/lower/control_flow.h"

// How statements become elements: for and select become do loops, declarations behind statements assignments.

namespace cmc::promela {

using FlowKind = FlowElement::Kind;

namespace {

ast::ExpressionPtr make_number(int32_t value, const Location& location) {
  auto number = std::make_unique<ast::Expression>();
  number->value = value;
  number->location = location;
  return number;
}

ast::ExpressionPtr make_variable(const ast::VariableRef& variable) {
  auto expression = std::make_unique<ast::Expression>();
  expression->kind = ast::ExpressionKind::kVariable;
  expression->location = variable.location;
  expression->variable = clone(variable);
  return expression;
}

ast::ExpressionPtr make_binary(ast::Op op, ast::ExpressionPtr left, ast::ExpressionPtr right) {
  auto binary = std::make_unique<ast::Expression>();
  binary->kind = ast::ExpressionKind::kBinary;
  binary->op = op;
  binary->location = left->location;
  binary->depth = std::max(left->depth, right->depth) + 1;
  binary->operands.push_back(std::move(left));
  binary->operands.push_back(std::move(right));
  return binary;
}

ast::VariableRef reference_to(const Symbol& symbol, const Location& location) {
  ast::VariableRef variable;
  variable.name = symbol.name;
  variable.location = location;
  variable.symbol = &symbol;
  return variable;
}

}  // namespace

// A declaration behind a statement or in a block is an assignment of its initial value.
void ControlFlow::add_declaration(const ast::Statement& statement) {
  for (const ast::Declarator& declarator : statement.declaration.declarators) {
    if (!declarator.is_statement || declarator.symbol == nullptr) continue;
    const Symbol& symbol = *declarator.symbol;
    ast::VariableRef target = reference_to(symbol, declarator.location);
    if (symbol.is_array) target.index = make_number(0, declarator.location);
    ast::ExpressionPtr value =
        declarator.initializer ? clone(*declarator.initializer) : make_number(0, declarator.location);
    Node node = simple_node(synthesise_assignment(target, std::move(value), declarator.location));
    node.no_operation = symbol.structure != nullptr;
    add(node);
  }
}

ControlFlow::Node ControlFlow::simple_node(const ast::Statement& statement) const {
  Node node;
  node.kind = statement.kind == ast::StatementKind::kElse ? FlowKind::kElse : FlowKind::kStatement;
  node.statement = &statement;
  node.location = statement.location;
  return node;
}

ControlFlow::Node ControlFlow::break_node(const Location& location) {
  Node node;
  node.kind = FlowKind::kGoto;
  node.location = location;
  if (loops_.empty()) {
    diagnostics_.error(location, "'break' outside of a loop");
  } else {
    node.loop = loops_.back();
  }
  return node;
}

void ControlFlow::push_loop() {
  loops_.push_back(static_cast<int>(loop_exits_.size()));
  loop_exits_.push_back(nullptr);
}

ControlFlow::Node ControlFlow::reduce(const ast::Statement& statement) {
  switch (statement.kind) {
    case ast::StatementKind::kLabel: {
      Node node = statement.body ? reduce(*statement.body)
                                 : simple_node(synthesise(ast::StatementKind::kExpression, statement.location));
      node.labels.push_back(&statement);
      return node;
    }
    case ast::StatementKind::kIf: return reduce_options(statement, FlowKind::kIf);
    case ast::StatementKind::kDo: return reduce_options(statement, FlowKind::kDo);
    case ast::StatementKind::kFor: return reduce_for(statement);
    case ast::StatementKind::kSelect: return reduce_select(statement);
    case ast::StatementKind::kUnless: return reduce_unless(statement);
    case ast::StatementKind::kBreak: return break_node(statement.location);
    case ast::StatementKind::kGoto: {
      Node node;
      node.kind = FlowKind::kGoto;
      node.statement = &statement;
      node.location = statement.location;
      node.jump = statement.label_symbol;
      node.d_step = d_step_;
      return node;
    }
    case ast::StatementKind::kAtomic:
    case ast::StatementKind::kDStep:
    case ast::StatementKind::kBlock: {
      const bool d_step = statement.kind == ast::StatementKind::kDStep;
      const int elements_before = next_number_ - 1;
      if (d_step) d_step_ = ++d_steps_;
      open();
      add_steps(statement.sequences[0]);
      Node node;
      node.d_step = d_step_;
      if (d_step) d_step_ = 0;
      node.kind = d_step                                          ? FlowKind::kDStep
                  : statement.kind == ast::StatementKind::kAtomic ? FlowKind::kAtomic
                                                                  : FlowKind::kBlock;
      node.statement = &statement;
      node.location = statement.location;
      FlowSequence* body = close(d_step                           ? Place::kDStep
                                 : node.kind == FlowKind::kAtomic ? Place::kAtomic
                                                                  : Place::kBlock,
                                 statement.location);
      node.sequences.push_back(body);
      if (d_step && !jumps_stay_inside(body->first, body->last, elements_before)) {
        diagnostics_.error(statement.location, "a jump leaves this d_step; a d_step must run to its end");
      }
      if (node.kind != FlowKind::kBlock) make_atomic(*body, d_step);
      return node;
    }
    default: return simple_node(statement);
  }
}

ControlFlow::Node ControlFlow::reduce_options(const ast::Statement& statement, FlowKind kind) {
  if (kind == FlowKind::kDo) push_loop();
  Node node;
  node.kind = kind;
  node.statement = &statement;
  node.location = statement.location;
  for (const ast::Sequence& option : statement.sequences) {
    open();
    add_steps(option);
    node.sequences.push_back(close(Place::kOption, option.location));
  }
  if (proctype_.syntax->kind != ast::Proctype::Kind::kNever) {
    for (FlowSequence* sequence : node.sequences) remove_redundant_skips(*sequence);
  }
  return node;
}

// for (i : from .. to) { body }   =   i = from; do :: i <= to; body; i = i + 1 :: else -> break od
// for (i in array) { body }       =   the same over 0 .. size - 1
// for (m in channel) { body }     =   c = 0; do :: c < len(channel); channel?m; channel!m; body; c = c + 1 :: else ->
// break od
ControlFlow::Node ControlFlow::reduce_for(const ast::Statement& statement) {
  push_loop();
  const Location& at = statement.location;
  if (statement.counter != nullptr) {
    const ast::VariableRef counter = reference_to(*statement.counter, at);
    add(simple_node(synthesise_assignment(counter, make_number(0, at), at)));
    open();
    auto length = std::make_unique<ast::Expression>();
    length->kind = ast::ExpressionKind::kChannelQuery;
    length->op = ast::Op::kLength;
    length->location = at;
    length->variable = clone(*statement.over);
    add(simple_node(synthesise_condition(counter, ast::Op::kLess, std::move(length), at)));
    ast::Statement& receive = synthesise(ast::StatementKind::kReceive, at);
    receive.variable = clone(*statement.over);
    receive.arguments.emplace_back();
    receive.arguments[0].variable = clone(*statement.variable);
    add(simple_node(receive));
    ast::Statement& send = synthesise(ast::StatementKind::kSend, at);
    send.variable = clone(*statement.over);
    send.operands.push_back(make_variable(*statement.variable));
    add(simple_node(send));
    return finish_counting_loop(statement, counter, true);
  }
  const ast::VariableRef& counter = *statement.variable;
  const auto bound = [&](bool upper) -> ast::ExpressionPtr {
    if (!statement.over) return clone(upper ? *statement.to : *statement.expression);
    return make_number(upper ? static_cast<int32_t>(statement.over->symbol->count) - 1 : 0, at);
  };
  add(simple_node(synthesise_assignment(counter, bound(false), at)));
  open();
  add(simple_node(synthesise_condition(counter, ast::Op::kLessEqual, bound(true), at)));
  return finish_counting_loop(statement, counter, true);
}

// select (i : from .. to)   =   i = from; do :: break :: i < to; i = i + 1 od
ControlFlow::Node ControlFlow::reduce_select(const ast::Statement& statement) {
  const ast::VariableRef& counter = *statement.variable;
  add(simple_node(synthesise_assignment(counter, clone(*statement.expression), statement.location)));
  open();
  add(simple_node(synthesise_condition(counter, ast::Op::kLess, clone(*statement.to), statement.location)));
  push_loop();
  return finish_counting_loop(statement, counter, false);
}

ControlFlow::Node ControlFlow::finish_counting_loop(const ast::Statement& statement, const ast::VariableRef& counter,
                                                    bool with_else) {
  const Location& at = statement.location;
  if (!statement.sequences.empty()) add_steps(statement.sequences[0]);
  add(simple_node(
      synthesise_assignment(counter, make_binary(ast::Op::kAdd, make_variable(counter), make_number(1, at)), at)));
  FlowSequence* body = close(Place::kSynthetic, at);
  open();
  if (with_else) add(simple_node(synthesise(ast::StatementKind::kElse, at)));
  add(break_node(at));
  FlowSequence* exit = close(Place::kSynthetic, at);
  Node node;
  node.kind = FlowKind::kDo;
  node.statement = &statement;
  node.location = at;
  node.sequences = {exit, body};
  return node;
}

// stmnt unless stmnt
ControlFlow::Node ControlFlow::reduce_unless(const ast::Statement& statement) {
  Node main = reduce(*statement.body);
  // A break in the escape of a loop leaves the loop around it.
  const bool is_loop = main.plain(FlowKind::kDo);
  const int own_loop = is_loop ? loops_.back() : -1;
  if (is_loop) loops_.pop_back();
  const Node escape = reduce(*statement.escape);
  if (is_loop) loops_.push_back(own_loop);

  FlowSequence* escape_sequence = nullptr;
  if (escape.plain(FlowKind::kBlock)) {
    escape_sequence = escape.sequences[0];
  } else {
    open();
    add(escape);
    escape_sequence = close(Place::kEscape, statement.location);
  }
  Node unless;
  unless.kind = FlowKind::kUnless;
  unless.statement = &statement;
  unless.location = statement.location;
  const bool block = main.kind == FlowKind::kBlock || main.kind == FlowKind::kAtomic || main.kind == FlowKind::kDStep;
  if (main.plain(FlowKind::kBlock)) {
    unless.sequences = {main.sequences[0], escape_sequence};
  } else if (block && main.labels.size() == 1) {
    // L: atomic { A } unless B   is   L: atomic { A unless B }
    unless.sequences = {main.sequences[0], escape_sequence};
    open();
    add(unless);
    main.sequences = {close(Place::kSynthetic, statement.location)};
    return main;
  } else {
    open();
    add(main);
    unless.sequences = {close(Place::kMain, statement.location), escape_sequence};
  }
  return unless;
}

// ---------------------------------------------------------------------------------------------------- synthesised
// text

// A statement of the given kind; an expression statement is `skip`.
ast::Statement& ControlFlow::synthesise(ast::StatementKind kind, const Location& location) {
  ast::Statement& statement = synthesised_.emplace_back();
  statement.kind = kind;
  statement.location = location;
  if (kind == ast::StatementKind::kExpression) statement.expression = make_number(1, location);
  return statement;
}

const ast::Statement& ControlFlow::synthesise_assignment(const ast::VariableRef& target, ast::ExpressionPtr value,
                                                         const Location& location) {
  ast::Statement& statement = synthesise(ast::StatementKind::kAssign, location);
  statement.variable = clone(target);
  statement.expression = std::move(value);
  return statement;
}

const ast::Statement& ControlFlow::synthesise_condition(const ast::VariableRef& left, ast::Op op,
                                                        ast::ExpressionPtr right, const Location& location) {
  ast::Statement& statement = synthesise(ast::StatementKind::kExpression, location);
  statement.expression = make_binary(op, make_variable(left), std::move(right));
  return statement;
}

}  // namespace cmc::promela
