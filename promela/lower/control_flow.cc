#include "promela/lower/control_flow.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

// Sequences, elements, escapes, atomic marks and labels. How statements become elements: control_flow_statement.cc;
// what becomes of the elements: state_machine.cc.

namespace cmc::promela {

using FlowKind = FlowElement::Kind;

namespace {

bool is_constant(const ast::Statement* statement, int32_t value) {
  return statement != nullptr && statement->kind == ast::StatementKind::kExpression &&
         statement->expression->kind == ast::ExpressionKind::kNumber && statement->expression->value == value;
}

bool is_print(const ast::Statement* statement) {
  return statement != nullptr &&
         (statement->kind == ast::StatementKind::kPrintf || statement->kind == ast::StatementKind::kPrintm);
}

bool is_skip(const FlowElement& element) {
  return element.kind == FlowKind::kStatement && (is_print(element.statement) || is_constant(element.statement, 1));
}

}  // namespace

ControlFlow::ControlFlow(const AnalysedProctype& proctype, const Sources& sources, Diagnostics& diagnostics)
    : proctype_(proctype), sources_(sources), diagnostics_(diagnostics) {
  open();
  add_steps(proctype.syntax->body);
  Node stop;
  stop.kind = FlowKind::kEnd;
  stop.location = proctype.syntax->body.end;
  add(stop);
  body_ = close(Place::kBody, proctype.syntax->location);
  DCHECK(open_.empty() && (loops_.empty() || diagnostics.error_count() > 0));
  refuse_jumps_to_d_steps();
}

// ---------------------------------------------------------------------------------------------------- sequences

void ControlFlow::open() {
  sequences_.emplace_back();
  open_.push_back(&sequences_.back());
}

FlowSequence* ControlFlow::close(Place place, const Location& location) {
  CHECK(!open_.empty());
  FlowSequence* sequence = open_.back();
  open_.pop_back();
  if (sequence->first == nullptr) {
    diagnostics_.error(location, "this needs at least one statement");
    sequence->first = sequence->last =
        new_element(FlowKind::kStatement, &synthesise(ast::StatementKind::kExpression, location), location);
  } else if (place != Place::kBody && labels_by_element_.contains(sequence->first)) {
    const Location& at = sequence->first->location;
    switch (place) {
      case Place::kEscape: diagnostics_.error(at, "a label is not allowed before the escape of an unless"); break;
      case Place::kMain:
        diagnostics_.error(at,
                           "a label is not allowed before 'statement unless ...'; write L: { statement unless ... }");
        break;
      case Place::kOption:
        diagnostics_.warning(at,
                             "a label before the first statement of an option does not name a state of its own; "
                             "put it before the if or do");
        break;
      default:
        diagnostics_.error(at, "a label is not allowed at the start of a block; put it before the block");
        break;
    }
  }
  sequence->extent = sequence->last;
  return sequence;
}

FlowElement* ControlFlow::new_element(FlowKind kind, const ast::Statement* statement, const Location& location) {
  DCHECK(states_.empty());  // the states are built from the elements, which have one each
  FlowElement& element = elements_.emplace_back();
  element.kind = kind;
  element.statement = statement;
  element.location = location;
  element.number = next_number_++;
  return &element;
}

void ControlFlow::append(FlowElement* element, FlowSequence& sequence) {
  const auto labels = labels_by_element_.find(element);
  if (element->kind == FlowKind::kGoto && labels != labels_by_element_.end() &&
      std::ranges::any_of(labels->second, [&](size_t label) { return labels_[label].special(); })) {
    // A jump is no state: a skip before it takes its label.
    FlowElement* skip = new_element(
        FlowKind::kStatement, &synthesise(ast::StatementKind::kExpression, element->location), element->location);
    move_last_label(*element, *skip);
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
  if (node.kind == FlowKind::kIf || node.kind == FlowKind::kDo) {
    element = add_choice(node);
  } else if (node.kind == FlowKind::kUnless) {
    element = add_unless(node);
  } else {
    element = new_element(node.kind, node.statement, node.location);
    element->branches = node.sequences;
    element->label = node.jump;
    element->loop = node.loop;
    element->d_step = node.d_step;
    element->no_operation = node.no_operation;
  }
  for (const ast::Statement* label : node.labels) set_label(*label, element);
  if (element->kind != FlowKind::kIf && element->kind != FlowKind::kDo && element->kind != FlowKind::kUnless) {
    append(element, *open_.back());
  }
}

void ControlFlow::add_steps(const ast::Sequence& sequence) {
  for (const ast::StatementPtr& step : sequence.steps) {
    if (step->kind == ast::StatementKind::kDeclaration) {
      add_declaration(*step);
    } else if (step->kind != ast::StatementKind::kExclusive) {
      add(reduce(*step));
    }
  }
}

// ----------------------------------------------------------------------------------------- choices and unless

FlowElement* ControlFlow::add_choice(const Node& node) {
  DCHECK(!node.sequences.empty());
  FlowElement* choice = new_element(node.kind, node.statement, node.location);
  FlowElement* target = new_element(FlowKind::kTarget, nullptr, node.location);
  // `else` is tried last.
  std::vector<FlowSequence*> options;
  FlowSequence* otherwise = nullptr;
  for (FlowSequence* option : node.sequences) {
    if (option->first->kind != FlowKind::kElse) {
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
  if (node.kind == FlowKind::kDo) {
    append(target, *open_.back());
    exit = new_element(FlowKind::kBreakTarget, nullptr, node.location);
    CHECK(!loops_.empty());
    loop_exits_[static_cast<size_t>(loops_.back())] = exit;
    loops_.pop_back();
  }
  append(choice, *open_.back());
  append(exit, *open_.back());
  return choice;
}

// Of several unlabelled skips in a row inside an option, SPIN keeps the first and the outermost.
void ControlFlow::remove_redundant_skips(FlowSequence& sequence) {
  int count = 0;
  FlowElement* before = nullptr;
  for (FlowElement* element = sequence.first; element != nullptr; before = element, element = element->next) {
    if (!is_skip(*element) || labels_by_element_.contains(element)) {
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

FlowElement* ControlFlow::add_unless(const Node& node) {
  DCHECK(node.sequences.size() == 2);
  FlowElement* unless = new_element(FlowKind::kUnless, node.statement, node.location);
  FlowElement* target = new_element(FlowKind::kTarget, nullptr, node.location);
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
    case FlowKind::kUnless: attach_escape(*element.branches[0], escape); break;
    case FlowKind::kIf:
    case FlowKind::kDo:
      for (FlowSequence* option : element.branches) attach_escape(*option, escape);
      break;
    case FlowKind::kDStep: attach_escape(*element.branches[0]->first, escape); break;
    case FlowKind::kAtomic:
    case FlowKind::kBlock: attach_escape(*element.branches[0], escape); break;
    default: break;
  }
}

// ------------------------------------------------------------------------------------------- atomic sequences

void ControlFlow::make_atomic(FlowSequence& sequence, bool d_step) {
  walk_atomic(sequence.first, sequence.last, d_step);
  FlowElement* last = sequence.last;
  switch (last->kind) {
    case FlowKind::kBlock:
    case FlowKind::kAtomic: make_atomic(*last->branches[0], d_step); break;
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
    if (element->kind == FlowKind::kAtomic || (element->kind == FlowKind::kDStep && d_step))
      element->kind = FlowKind::kBlock;
    if (element->kind != FlowKind::kDStep) {
      for (FlowSequence* branch : element->branches) walk_atomic(branch->first, branch->last, d_step);
    }
    if (element == to) break;
  }
}

bool ControlFlow::jumps_stay_inside(const FlowElement* from, const FlowElement* stop, int elements_before) {
  for (const FlowElement* element = from; element != nullptr; element = element->next) {
    if (element->kind == FlowKind::kGoto) {
      const FlowElement* target = element->loop >= 0          ? loop_exits_[static_cast<size_t>(element->loop)]
                                  : element->label != nullptr ? find_label(*element->label)
                                                              : nullptr;
      if (target == nullptr || target->number <= elements_before) return false;
    }
    for (const FlowSequence* branch : element->branches) {
      if (!jumps_stay_inside(branch->first, branch->extent, elements_before)) return false;
    }
    if (element == stop) break;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------- labels

// SPIN takes two labels for the same if they have one scope and stand in one inline, or both in none.
void ControlFlow::set_label(const ast::Statement& label, FlowElement* element) {
  const LabelSymbol* symbol = label.label_symbol;
  DCHECK(symbol != nullptr);
  const std::string_view inline_name = inline_around(label.location);
  for (const size_t known : labels_by_name_[symbol->name]) {
    if (labels_[known].scope != symbol->scope || labels_[known].inline_name != inline_name) continue;
    diagnostics_.error(label.location, fmt::format("label '{}' is declared twice", symbol->name));
    diagnostics_.note(labels_[known].location, "declared here before");
    return;
  }
  const size_t index = labels_.size();
  labels_.push_back({symbol->name, symbol->scope, inline_name, label.location, element});
  labels_by_name_[symbol->name].push_back(index);
  labels_by_element_[element].push_back(index);
}

// The innermost one; empty outside of inlines.
std::string_view ControlFlow::inline_around(const Location& location) const {
  for (ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
    const Expansion& expansion = sources_.expansion(id);
    if (expansion.kind == Expansion::Kind::kInline) return expansion.name;
  }
  return {};
}

void ControlFlow::move_last_label(FlowElement& from, FlowElement& to) {
  const auto labels = labels_by_element_.find(&from);
  CHECK(labels != labels_by_element_.end() && !labels->second.empty());
  const size_t index = labels->second.back();
  labels->second.pop_back();
  if (labels->second.empty()) labels_by_element_.erase(labels);
  labels_[index].element = &to;
  labels_by_element_[&to].push_back(index);
}

// The latest label of the same scope, else one of a scope around it, else any of this name.
FlowElement* ControlFlow::find_label(const LabelSymbol& label) const {
  const auto known = labels_by_name_.find(label.name);
  if (known == labels_by_name_.end()) return nullptr;
  const LabelEntry* best = nullptr;
  for (auto index = known->second.rbegin(); index != known->second.rend(); ++index) {
    const LabelEntry& entry = labels_[*index];
    if (entry.scope == label.scope) return entry.element;
    if (best == nullptr || entry.scope->encloses(label.scope)) best = &entry;
  }
  return best == nullptr ? nullptr : best->element;
}

FlowElement* ControlFlow::jump_target(const FlowElement& jump) {
  FlowElement* target = jump.loop >= 0          ? loop_exits_[static_cast<size_t>(jump.loop)]
                        : jump.label != nullptr ? find_label(*jump.label)
                                                : nullptr;
  if (target == nullptr) {
    if (jump.label != nullptr)
      diagnostics_.error(jump.location, fmt::format("undefined label '{}'", jump.label->name));
    return body_->last;
  }
  if (target->in_d_step && !jump.in_d_step) diagnostics_.error(jump.location, "this jump leads into a d_step");
  return target;
}

void ControlFlow::refuse_jumps_to_d_steps() {
  for (const FlowElement& element : elements_) {
    const FlowElement* target = element.label == nullptr ? nullptr : find_label(*element.label);
    if (target == nullptr || target->statement == nullptr) continue;
    if (target->statement->kind != ast::StatementKind::kDStep || target->d_step == element.d_step) continue;
    diagnostics_.error(element.location, fmt::format("SPIN refuses a jump to a label in front of a d_step; write "
                                                     "'{}: {{ d_step {{ ... }} }}'",
                                                     element.label->name));
  }
}

int ControlFlow::label_state(const std::string& label) const {
  const auto known = labels_by_name_.find(label);
  return known == labels_by_name_.end() ? 0 : labels_[known->second.front()].element->number;
}

bool ControlFlow::label_in_d_step(const std::string& label) const {
  return labels_[labels_by_name_.at(label).back()].element->in_d_step;
}

bool ControlFlow::prepare_remote_label(const std::string& label) {
  const auto known = labels_by_name_.find(label);
  if (known == labels_by_name_.end()) return false;
  FlowElement* element = labels_[known->second.back()].element;
  if (element->kind == FlowKind::kGoto) {
    FlowElement* jump = new_element(FlowKind::kGoto, element->statement, element->location);
    jump->label = element->label;
    jump->loop = element->loop;
    jump->next = element->next;
    element->kind = FlowKind::kStatement;
    element->statement = &synthesise(ast::StatementKind::kExpression, element->location);
    element->label = nullptr;
    element->loop = -1;
    element->next = jump;
  }
  return true;
}

}  // namespace cmc::promela
