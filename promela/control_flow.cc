#include "promela/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

// Building the elements. What becomes of them: state_machine.cc.

namespace cmc::promela {

using ast::StatementKind;
using Kind = FlowElement::Kind;

// A statement that has been read but is not yet part of a sequence.
struct ControlFlow::Node {
  Kind kind = Kind::kStatement;
  const ast::Statement* statement = nullptr;
  Location location;
  std::vector<FlowSequence*> sequences;
  std::vector<const LabelSymbol*> labels;  // innermost first
  const LabelSymbol* jump = nullptr;
  int loop = -1;
  bool no_operation = false;

  [[nodiscard]] bool plain(Kind wanted) const { return kind == wanted && labels.empty(); }
};

namespace {

bool is_constant(const ast::Statement* statement, int32_t value) {
  return statement != nullptr && statement->kind == StatementKind::kExpression &&
         statement->expression->kind == ast::ExpressionKind::kNumber && statement->expression->value == value;
}

bool is_print(const ast::Statement* statement) {
  return statement != nullptr &&
         (statement->kind == StatementKind::kPrintf || statement->kind == StatementKind::kPrintm);
}

bool is_skip(const FlowElement& element) {
  return element.kind == Kind::kStatement && (is_print(element.statement) || is_constant(element.statement, 1));
}

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

ControlFlow::ControlFlow(const AnalysedProctype& proctype, Diagnostics& diagnostics)
    : proctype_(proctype), diagnostics_(diagnostics) {
  open();
  add_steps(proctype.syntax->body);
  Node stop;
  stop.kind = Kind::kEnd;
  stop.location = proctype.syntax->body.end;
  add(stop);
  body_ = close(Place::kBody, proctype.syntax->location);
}

// ---------------------------------------------------------------------------------------------------- sequences

void ControlFlow::open() {
  sequences_.emplace_back();
  open_.push_back(&sequences_.back());
}

FlowSequence* ControlFlow::close(Place place, const Location& location) {
  FlowSequence* sequence = open_.back();
  open_.pop_back();
  if (sequence->first == nullptr) {
    diagnostics_.error(location, "this needs at least one statement");
    sequence->first = sequence->last = new_element(Kind::kStatement, &synthesise(StatementKind::kExpression, location), location);
  } else if (place != Place::kBody && has_label(sequence->first)) {
    const Location& at = sequence->first->location;
    switch (place) {
      case Place::kEscape: diagnostics_.error(at, "a label cannot stand before the escape of an unless"); break;
      case Place::kMain:
        diagnostics_.error(at, "a label cannot stand before 'statement unless ...'; write L: { statement unless ... }");
        break;
      case Place::kOption:
        diagnostics_.warning(at, "a label before the first statement of an option does not name a state of its own; "
                                 "put it before the if or do");
        break;
      default: diagnostics_.error(at, "a label cannot stand at the start of a block; put it before the block"); break;
    }
  }
  sequence->extent = sequence->last;
  return sequence;
}

FlowElement* ControlFlow::new_element(Kind kind, const ast::Statement* statement, const Location& location) {
  FlowElement& element = elements_.emplace_back();
  element.kind = kind;
  element.statement = statement;
  element.location = location;
  element.number = next_number_++;
  element.id = static_cast<uint32_t>(elements_.size());
  return &element;
}

void ControlFlow::append(FlowElement* element, FlowSequence& sequence) {
  if (element->kind == Kind::kGoto && has_special_label(element)) {
    // A jump is no state: a skip before it takes its label.
    FlowElement* skip = new_element(Kind::kStatement, &synthesise(StatementKind::kExpression, element->location), element->location);
    for (auto entry = labels_.rbegin(); entry != labels_.rend(); ++entry) {
      if (entry->element != element) continue;
      entry->element = skip;
      break;
    }
    append(skip, sequence);
  }
  if (sequence.first == nullptr) {
    sequence.first = element;
  } else {
    sequence.last->next = element;
  }
  sequence.last = element;
}

void ControlFlow::add(const Node& node) {
  FlowElement* element = nullptr;
  if (node.kind == Kind::kIf || node.kind == Kind::kDo) {
    element = add_choice(node);
  } else if (node.kind == Kind::kUnless) {
    element = add_unless(node);
  } else {
    element = new_element(node.kind, node.statement, node.location);
    element->branches = node.sequences;
    element->label = node.jump;
    element->loop = node.loop;
    element->no_operation = node.no_operation;
  }
  for (const LabelSymbol* label : node.labels) set_label(label, element);
  if (element->kind != Kind::kIf && element->kind != Kind::kDo && element->kind != Kind::kUnless) {
    append(element, *open_.back());
  }
}

void ControlFlow::add_steps(const ast::Sequence& sequence) {
  for (const ast::StatementPtr& step : sequence.steps) {
    if (step->kind == StatementKind::kDeclaration) {
      add_declaration(*step);
    } else if (step->kind != StatementKind::kExclusive) {
      add(reduce(*step));
    }
  }
}

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

// ---------------------------------------------------------------------------------------------------- statements

ControlFlow::Node ControlFlow::simple_node(const ast::Statement& statement) const {
  Node node;
  node.kind = statement.kind == StatementKind::kElse ? Kind::kElse : Kind::kStatement;
  node.statement = &statement;
  node.location = statement.location;
  return node;
}

ControlFlow::Node ControlFlow::break_node(const Location& location) {
  Node node;
  node.kind = Kind::kGoto;
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
    case StatementKind::kLabel: {
      Node node = statement.body ? reduce(*statement.body)
                                 : simple_node(synthesise(StatementKind::kExpression, statement.location));
      node.labels.push_back(statement.label_symbol);
      return node;
    }
    case StatementKind::kIf: return reduce_options(statement, Kind::kIf);
    case StatementKind::kDo: return reduce_options(statement, Kind::kDo);
    case StatementKind::kFor: return reduce_for(statement);
    case StatementKind::kSelect: return reduce_select(statement);
    case StatementKind::kUnless: return reduce_unless(statement);
    case StatementKind::kBreak: return break_node(statement.location);
    case StatementKind::kGoto: {
      Node node;
      node.kind = Kind::kGoto;
      node.statement = &statement;
      node.location = statement.location;
      node.jump = statement.label_symbol;
      return node;
    }
    case StatementKind::kAtomic: case StatementKind::kDStep: case StatementKind::kBlock: {
      const bool d_step = statement.kind == StatementKind::kDStep;
      const auto first_id = static_cast<uint32_t>(elements_.size());
      open();
      add_steps(statement.sequences[0]);
      Node node;
      node.kind = d_step ? Kind::kDStep : statement.kind == StatementKind::kAtomic ? Kind::kAtomic : Kind::kBlock;
      node.statement = &statement;
      node.location = statement.location;
      FlowSequence* body = close(d_step ? Place::kDStep : node.kind == Kind::kAtomic ? Place::kAtomic : Place::kBlock, statement.location);
      node.sequences.push_back(body);
      if (d_step && !jumps_stay_inside(body->first, body->last, first_id)) {
        diagnostics_.error(statement.location, "a jump leaves this d_step; a d_step must run to its end");
      }
      if (node.kind != Kind::kBlock) make_atomic(*body, d_step);
      return node;
    }
    default: return simple_node(statement);
  }
}

ControlFlow::Node ControlFlow::reduce_options(const ast::Statement& statement, Kind kind) {
  if (kind == Kind::kDo) push_loop();
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

// Of several unlabelled skips in a row inside an option, SPIN keeps the first and the outermost.
void ControlFlow::remove_redundant_skips(FlowSequence& sequence) {
  int count = 0;
  FlowElement* before = nullptr;
  for (FlowElement* element = sequence.first; element != nullptr; before = element, element = element->next) {
    if (!is_skip(*element) || has_label(element)) {
      count = 0;
      continue;
    }
    ++count;
    if (count > 1 && !is_print(element->statement) && element != sequence.first && element != sequence.last) {
      before->next = element->next;
      element = before;
    }
  }
}

FlowElement* ControlFlow::add_choice(const Node& node) {
  FlowElement* choice = new_element(node.kind, node.statement, node.location);
  FlowElement* target = new_element(Kind::kTarget, nullptr, node.location);
  // `else` is tried last.
  std::vector<FlowSequence*> options;
  FlowSequence* otherwise = nullptr;
  for (FlowSequence* option : node.sequences) {
    if (option->first->kind != Kind::kElse) {
      options.push_back(option);
    } else if (otherwise == nullptr) {
      otherwise = option;
    } else {
      diagnostics_.error(option->first->location, "a selection can have only one 'else'");
      diagnostics_.note(otherwise->first->location, "the other one");
    }
  }
  if (otherwise != nullptr) options.push_back(otherwise);
  choice->branches = std::move(options);
  for (FlowSequence* option : choice->branches) append(target, *option);
  FlowElement* exit = target;
  if (node.kind == Kind::kDo) {
    append(target, *open_.back());
    exit = new_element(Kind::kBreakTarget, nullptr, node.location);
    loop_exits_[static_cast<size_t>(loops_.back())] = exit;
    loops_.pop_back();
  }
  append(choice, *open_.back());
  append(exit, *open_.back());
  return choice;
}

// for (i : from .. to) { body }   =   i = from; do :: i <= to; body; i = i + 1 :: else -> break od
// for (i in array) { body }       =   the same over 0 .. size - 1
// for (m in channel) { body }     =   c = 0; do :: c < len(channel); channel?m; channel!m; body; c = c + 1 :: else -> break od
ControlFlow::Node ControlFlow::reduce_for(const ast::Statement& statement) {
  push_loop();
  const Location& at = statement.location;
  if (statement.counter != nullptr) {
    const ast::VariableRef counter = reference_to(*statement.counter, at);
    add(simple_node(synthesise_assignment(counter, make_number(0, at), at)));
    open();
    auto length = std::make_unique<ast::Expression>();
    length->kind = ast::ExpressionKind::kChannelQuery;
    length->op = ast::Op::kLen;
    length->location = at;
    length->variable = clone(*statement.over);
    add(simple_node(synthesise_condition(counter, ast::Op::kLess, std::move(length), at)));
    ast::Statement& receive = synthesise(StatementKind::kReceive, at);
    receive.variable = clone(*statement.over);
    receive.arguments.emplace_back();
    receive.arguments[0].variable = clone(*statement.variable);
    add(simple_node(receive));
    ast::Statement& send = synthesise(StatementKind::kSend, at);
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
  add(simple_node(synthesise_assignment(
      counter, make_binary(ast::Op::kAdd, make_variable(counter), make_number(1, at)), at)));
  FlowSequence* body = close(Place::kSynthetic, at);
  open();
  if (with_else) add(simple_node(synthesise(StatementKind::kElse, at)));
  add(break_node(at));
  FlowSequence* exit = close(Place::kSynthetic, at);
  Node node;
  node.kind = Kind::kDo;
  node.statement = &statement;
  node.location = at;
  node.sequences = {exit, body};
  return node;
}

// stmnt unless stmnt
ControlFlow::Node ControlFlow::reduce_unless(const ast::Statement& statement) {
  Node main = reduce(*statement.body);
  // A break in the escape of a loop leaves the loop around it.
  const bool is_loop = main.plain(Kind::kDo);
  const int own_loop = is_loop ? loops_.back() : -1;
  if (is_loop) loops_.pop_back();
  const Node escape = reduce(*statement.escape);
  if (is_loop) loops_.push_back(own_loop);

  FlowSequence* escape_sequence = nullptr;
  if (escape.plain(Kind::kBlock)) {
    escape_sequence = escape.sequences[0];
  } else {
    open();
    add(escape);
    escape_sequence = close(Place::kEscape, statement.location);
  }
  Node unless;
  unless.kind = Kind::kUnless;
  unless.statement = &statement;
  unless.location = statement.location;
  const bool block = main.kind == Kind::kBlock || main.kind == Kind::kAtomic || main.kind == Kind::kDStep;
  if (main.plain(Kind::kBlock)) {
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

FlowElement* ControlFlow::add_unless(const Node& node) {
  FlowElement* unless = new_element(Kind::kUnless, node.statement, node.location);
  FlowElement* target = new_element(Kind::kTarget, nullptr, node.location);
  unless->branches = node.sequences;
  for (FlowSequence* sequence : unless->branches) append(target, *sequence);
  attach_escape(*unless->branches[0], unless->branches[1]);
  append(unless, *open_.back());
  append(target, *open_.back());
  return unless;
}

void ControlFlow::attach_escape(FlowSequence& covered, FlowSequence* escape) {
  for (FlowElement* element = covered.first; element != nullptr; element = element->next) {
    attach_escape(*element, escape);
    if (element == covered.extent) break;
  }
}

void ControlFlow::attach_escape(FlowElement& element, FlowSequence* escape) {
  if (std::find(element.escapes.begin(), element.escapes.end(), escape) != element.escapes.end()) return;
  const std::vector<FlowSequence*> inner = element.escapes;
  for (FlowSequence* sequence : inner) attach_escape(*sequence, escape);
  element.escapes.insert(element.escapes.begin(), escape);
  switch (element.kind) {
    case Kind::kUnless: attach_escape(*element.branches[0], escape); break;
    case Kind::kIf: case Kind::kDo:
      for (FlowSequence* option : element.branches) attach_escape(*option, escape);
      break;
    case Kind::kDStep: attach_escape(*element.branches[0]->first, escape); break;
    case Kind::kAtomic: case Kind::kBlock: attach_escape(*element.branches[0], escape); break;
    default: break;
  }
}

// ---------------------------------------------------------------------------------------------------- atomic sequences

void ControlFlow::make_atomic(FlowSequence& sequence, bool d_step) {
  walk_atomic(sequence.first, sequence.last, d_step);
  FlowElement* last = sequence.last;
  switch (last->kind) {
    case Kind::kBlock: case Kind::kAtomic: make_atomic(*last->branches[0], d_step); break;
    default:
      last->atomic = false;
      last->atomic_last = true;
      break;
  }
}

void ControlFlow::walk_atomic(FlowElement* from, FlowElement* to, bool d_step) {
  for (FlowElement* element = from; element != nullptr; element = element->next) {
    element->atomic = true;
    if (d_step) element->in_d_step = true;
    if (element->kind == Kind::kAtomic || (element->kind == Kind::kDStep && d_step)) element->kind = Kind::kBlock;
    if (element->kind != Kind::kDStep) {
      for (FlowSequence* branch : element->branches) walk_atomic(branch->first, branch->last, d_step);
    }
    if (element == to) break;
  }
}

bool ControlFlow::jumps_stay_inside(const FlowElement* from, const FlowElement* stop, uint32_t first_id) {
  for (const FlowElement* element = from; element != nullptr; element = element->next) {
    if (element->kind == Kind::kGoto) {
      const FlowElement* target = element->loop >= 0 ? loop_exits_[static_cast<size_t>(element->loop)]
                                  : element->label != nullptr ? find_label(*element->label) : nullptr;
      if (target == nullptr || target->id <= first_id) return false;
    }
    for (const FlowSequence* branch : element->branches) {
      if (!jumps_stay_inside(branch->first, branch->extent, first_id)) return false;
    }
    if (element == stop) break;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------- labels

void ControlFlow::set_label(const LabelSymbol* symbol, FlowElement* element) {
  for (const LabelEntry& entry : labels_) {
    if (entry.name != symbol->name || entry.scope != symbol->scope) continue;
    diagnostics_.error(element->location, fmt::format("label '{}' is declared twice", symbol->name));
    diagnostics_.note(entry.element->location, "declared here before");
    return;
  }
  labels_.push_back({symbol->name, symbol->scope, element, symbol});
}

bool ControlFlow::has_label(const FlowElement* element) const {
  return std::any_of(labels_.begin(), labels_.end(), [&](const LabelEntry& entry) { return entry.element == element; });
}

bool ControlFlow::has_special_label(const FlowElement* element) const {
  return std::any_of(labels_.begin(), labels_.end(), [&](const LabelEntry& entry) {
    return entry.element == element &&
           (entry.name.starts_with("accept") || entry.name.starts_with("end") || entry.name.starts_with("progress"));
  });
}

// The label of the same scope, else one of a scope around it, else any of this name.
FlowElement* ControlFlow::find_label(const LabelSymbol& label) const {
  const LabelEntry* best = nullptr;
  for (auto entry = labels_.rbegin(); entry != labels_.rend(); ++entry) {
    if (entry->name != label.name) continue;
    if (entry->scope == label.scope) return entry->element;
    if (best == nullptr || entry->scope->encloses(label.scope)) best = &*entry;
  }
  return best == nullptr ? nullptr : best->element;
}

FlowElement* ControlFlow::jump_target(const FlowElement& jump) {
  FlowElement* target = jump.loop >= 0 ? loop_exits_[static_cast<size_t>(jump.loop)]
                        : jump.label != nullptr ? find_label(*jump.label) : nullptr;
  if (target == nullptr) {
    if (jump.label != nullptr) diagnostics_.error(jump.location, fmt::format("undefined label '{}'", jump.label->name));
    return body_->last;
  }
  if (target->in_d_step && !jump.in_d_step) diagnostics_.error(jump.location, "this jump leads into a d_step");
  return target;
}

int ControlFlow::label_state(const std::string& label) const {
  for (const LabelEntry& entry : labels_) {
    if (entry.name == label) return entry.element->number;
  }
  return 0;
}

bool ControlFlow::prepare_remote_label(const std::string& label) {
  for (auto entry = labels_.rbegin(); entry != labels_.rend(); ++entry) {
    if (entry->name != label) continue;
    FlowElement* element = entry->element;
    if (element->kind == Kind::kGoto) {
      FlowElement* jump = new_element(Kind::kGoto, element->statement, element->location);
      jump->label = element->label;
      jump->loop = element->loop;
      jump->next = element->next;
      element->kind = Kind::kStatement;
      element->statement = &synthesise(StatementKind::kExpression, element->location);
      element->label = nullptr;
      element->loop = -1;
      element->next = jump;
    }
    return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------- synthesised text

// A statement of the given kind; an expression statement is `skip`.
ast::Statement& ControlFlow::synthesise(StatementKind kind, const Location& location) {
  ast::Statement& statement = synthesised_.emplace_back();
  statement.kind = kind;
  statement.location = location;
  if (kind == StatementKind::kExpression) statement.expression = make_number(1, location);
  return statement;
}

const ast::Statement& ControlFlow::synthesise_assignment(const ast::VariableRef& target, ast::ExpressionPtr value,
                                                         const Location& location) {
  ast::Statement& statement = synthesise(StatementKind::kAssign, location);
  statement.variable = clone(target);
  statement.expression = std::move(value);
  return statement;
}

const ast::Statement& ControlFlow::synthesise_condition(const ast::VariableRef& left, ast::Op op, ast::ExpressionPtr right,
                                                        const Location& location) {
  ast::Statement& statement = synthesise(StatementKind::kExpression, location);
  statement.expression = make_binary(op, make_variable(left), std::move(right));
  return statement;
}

}  // namespace cmc::promela
