#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "promela/lower/control_flow.h"

// From elements to states and transitions (the second half of ControlFlow).

namespace cmc::promela {

using FlowKind = FlowElement::Kind;

namespace {

// The sequences that a choice or unless branches into; the body of a block is entered otherwise.
std::span<FlowSequence* const> alternatives(const FlowElement& element) {
  if (element.kind == FlowKind::kIf || element.kind == FlowKind::kDo || element.kind == FlowKind::kUnless)
    return element.branches;
  return {};
}

bool is_constant(const FlowElement& element, int32_t value) {
  return element.kind == FlowKind::kStatement && element.statement != nullptr &&
         element.statement->kind == ast::StatementKind::kExpression &&
         element.statement->expression->kind == ast::ExpressionKind::kNumber &&
         element.statement->expression->value == value;
}

}  // namespace

FlowState& ControlFlow::state(int number) {
  DCHECK(number > 0 && number < next_number_);
  return states_[static_cast<size_t>(number)];
}

void ControlFlow::generate(bool like_java) {
  CHECK(states_.empty() && body_ != nullptr);
  states_.assign(static_cast<size_t>(next_number_), {});
  raw_.assign(static_cast<size_t>(next_number_), {});
  for (const FlowElement& element : elements_) state(element.number).element = &element;
  tie_loose_ends();
  emit(*body_);
  start_ = settle(body_->first, body_->first->atomic)->number;
  end_ = body_->last->number;
  mark_labels();
  eliminate_intermediate_states();
  add_escape_transitions(like_java);
  const bool claim = proctype_.syntax->kind == ast::Proctype::Kind::kNever;
  for (int number = 1; number < next_number_; ++number) {
    const auto& transitions = raw_[static_cast<size_t>(number)];
    if (transitions.size() == 1 && transitions[0].element != nullptr &&
        transitions[0].element->kind == FlowKind::kTarget && state(number).valid_end) {
      state(transitions[0].target).valid_end = true;
    }
    const auto idle = std::ranges::find_if(transitions, [&](const FlowTransition& transition) {
      return transition.element != nullptr && transition.target == number && is_constant(*transition.element, 1);
    });
    if (idle != transitions.end() && !claim) {
      diagnostics_.warning(
          idle->element->location,
          "this statement does nothing and leads back to itself: SPIN's verifier refuses such a loop");
    }
    const FlowElement* otherwise = nullptr;
    for (const FlowTransition& transition : transitions) {
      if (transition.element == nullptr) continue;
      state(number).transitions.push_back(transition);
      if (transition.element->kind != FlowKind::kElse) continue;
      if (otherwise != nullptr) {
        diagnostics_.error(transition.element->location, "this selection inherits a second 'else' from a nested one");
        diagnostics_.note(otherwise->location, "the other one");
      }
      otherwise = transition.element;
    }
  }
}

// The last element of a block leads to what follows the block.
void ControlFlow::tie_loose_ends() {
  for (auto element = elements_.rbegin(); element != elements_.rend(); ++element) {
    if (element->kind != FlowKind::kAtomic && element->kind != FlowKind::kBlock && element->kind != FlowKind::kDStep)
      continue;
    if (element->next == nullptr) continue;
    FlowElement* behind = element->next;
    while (behind != nullptr && behind->kind == FlowKind::kTarget) behind = behind->next;
    FlowSequence& body = *element->branches[0];
    DCHECK(body.first != nullptr && body.last != nullptr);
    if (body.last->next == nullptr) {
      body.last->next = behind;
    } else if (body.last->next->kind == FlowKind::kGoto) {
      body.last = body.last->next;  // a jump that prepare_remote_label put there
    }
  }
}

// The element that control passes on to without a step; null: it rests at this one.
FlowElement* ControlFlow::onward(FlowElement& element, bool from_atomic) {
  FlowElement* next = nullptr;
  switch (element.kind) {
    case FlowKind::kGoto: next = jump_target(element); break;
    case FlowKind::kTarget:
    case FlowKind::kBreakTarget: next = element.next; break;
    case FlowKind::kUnless: next = settle(element.branches[0]->first, from_atomic); break;
    default: return nullptr;
  }
  return next == nullptr || (from_atomic && !next->atomic) ? nullptr : next;
}

// Where control rests when it arrives at `element`: jumps and targets are passed, but not out of an atomic sequence.
// What is found out holds for every element on the way, and is kept: chains of jumps are followed once.
FlowElement* ControlFlow::settle(FlowElement* element, bool from_atomic) {
  DCHECK(element != nullptr);
  const size_t side = from_atomic ? 1 : 0;
  std::vector<FlowElement*> way;
  FlowElement* rest = nullptr;
  while (rest == nullptr) {
    if (element->rest_epoch[side] == epoch_) {
      rest = element->rest[side];
    } else if (element->passing[side]) {
      diagnostics_.error(element->location, "these jumps form a loop without any statement");
      rest = body_->last;
    } else {
      element->passing[side] = true;
      way.push_back(element);
      FlowElement* const next = onward(*element, from_atomic);
      next == nullptr ? rest = element : element = next;
    }
  }
  DCHECK(rest != nullptr);
  for (FlowElement* passed : way) {
    passed->passing[side] = false;
    passed->rest[side] = rest;
    passed->rest_epoch[side] = epoch_;
  }
  return rest;
}

// REQUIRES: `unless` and targets lead to one another in the order of the text, never in a circle.
const FlowElement* ControlFlow::option_start(const FlowElement* element) const {
  for (;;) {
    if (element->kind == FlowKind::kTarget && element->next != nullptr) {
      element = element->next;
    } else if (element->kind == FlowKind::kUnless) {
      element = element->branches[0]->first;
    } else {
      return element;
    }
  }
}

void ControlFlow::emit(FlowSequence& sequence) {
  for (FlowElement* element = sequence.first; element != nullptr; element = element->next) {
    if (!element->emitted) {
      element->emitted = true;
      switch (element->kind) {
        case FlowKind::kUnless: emit(*element->branches[0]); break;
        case FlowKind::kIf:
        case FlowKind::kDo: {
          auto& transitions = raw_[static_cast<size_t>(element->number)];
          transitions.push_back({nullptr, element->number, 0, 0, element->atomic, {}});
          for (const FlowSequence* option : element->branches) {
            const FlowElement* guard = option_start(option->first);
            if (is_constant(*guard, 0) && guard->escapes.empty()) continue;
            transitions.push_back({nullptr, element->number, guard->number, 0, element->atomic, {}});
          }
          for (FlowSequence* option : element->branches) emit(*option);
          break;
        }
        case FlowKind::kAtomic:
        case FlowKind::kBlock:
        case FlowKind::kDStep: emit_block(*element); break;
        default: emit_simple(*element); break;
      }
    }
    if (element == sequence.last) break;
  }
}

void ControlFlow::emit_block(FlowElement& element) {
  DCHECK(element.branches.size() == 1);
  FlowSequence& body = *element.branches[0];
  bridge_atomic_jumps(body);
  const FlowElement* guard = option_start(body.first);
  if (std::exchange(body.last->next, element.next) != element.next) forget_rests();
  auto& transitions = raw_[static_cast<size_t>(element.number)];
  if (element.kind == FlowKind::kDStep) {
    const int target = element.next != nullptr ? settle(element.next, element.atomic)->number : 0;
    transitions.push_back({&element, element.number, target, 0, element.atomic, {}});
    emit_escapes(element);
    return;
  }
  transitions.push_back({nullptr, element.number, 0, 0, false, {}});
  transitions.push_back({nullptr, element.number, guard->number, 0, false, {}});
  emit(body);
}

void ControlFlow::emit_simple(FlowElement& element) {
  int target = 0;
  if (element.kind == FlowKind::kGoto) {
    target = settle(jump_target(element), element.atomic)->number;
  } else if (element.next != nullptr) {
    target = settle(element.next, element.atomic)->number;
  }
  raw_[static_cast<size_t>(element.number)].push_back({&element, element.number, target, 0, element.atomic, {}});
  emit_escapes(element);
}

void ControlFlow::emit_escapes(FlowElement& element) {
  if (element.kind == FlowKind::kTarget) return;
  for (FlowSequence* escape : element.escapes) {
    const int number = settle(escape->first, element.atomic)->number;
    DCHECK(!raw_[static_cast<size_t>(element.number)].empty());
    raw_[static_cast<size_t>(element.number)].back().escapes.push_back(number);
  }
  for (FlowSequence* escape : element.escapes) emit(*escape);
}

// A jump out of an atomic sequence ends it; one into an atomic sequence continues it.
void ControlFlow::bridge_atomic_jumps(FlowSequence& sequence) {
  for (FlowElement* element = sequence.first; element != nullptr; element = element->next) {
    if (element->kind == FlowKind::kGoto) {
      const FlowElement* target = jump_target(*element);
      const bool target_atomic = target->atomic || target->atomic_last;
      if ((element->atomic || element->atomic_last) && !target_atomic) {
        if (element->atomic) forget_rests();
        element->atomic = false;
        element->atomic_last = true;
      }
      if (element->atomic_last && target_atomic) {
        if (!element->atomic) forget_rests();
        element->atomic_last = false;
        element->atomic = true;
      }
    } else {
      for (FlowSequence* branch : alternatives(*element)) bridge_atomic_jumps(*branch);
    }
    if (element == sequence.extent) break;
  }
}

void ControlFlow::mark_labels() {
  for (const LabelEntry& entry : labels_) {
    FlowState& marked = state(entry.element->number);
    marked.labels.push_back(entry.name);
    if (entry.name.starts_with("end")) marked.valid_end = true;
    if (entry.name.starts_with("accept")) marked.accepting = true;
    if (entry.name.starts_with("progress")) marked.progress = true;
  }
  state(end_).valid_end = true;
}

void ControlFlow::inherit_marks(int from, int to) {
  FlowState& heir = state(to);
  const FlowState& origin = state(from);
  heir.valid_end |= origin.valid_end;
  heir.accepting |= origin.accepting;
  heir.progress |= origin.progress;
}

// First options that lead to choices are replaced by those choices' options, then options by the transitions of the
// elements that they lead to. A choice is a list of more than one transition; its first entry is a dummy.
void ControlFlow::eliminate_intermediate_states() {
  const auto list = [&](int number) -> std::vector<FlowTransition>& { return raw_[static_cast<size_t>(number)]; };
  bool changed = true;
  while (changed) {
    changed = false;
    for (int number = 1; number < next_number_; ++number) {
      std::vector<FlowTransition>& options = list(number);
      const bool nested = std::any_of(options.begin(), options.end(), [&](const FlowTransition& option) {
        return &option != &options.front() && option.target > 0 && list(option.target).size() > 1;
      });
      if (!nested) continue;
      std::vector<FlowTransition> flat = {options.front()};
      for (size_t i = 1; i < options.size(); ++i) {
        const std::vector<FlowTransition>& inner = list(options[i].target);
        if (inner.size() <= 1) {
          flat.push_back(options[i]);
          continue;
        }
        for (size_t k = 1; k < inner.size(); ++k) {
          flat.push_back(inner[k]);
          inherit_marks(options[i].target, inner[k].target);
        }
        changed = true;
      }
      options = std::move(flat);
    }
  }
  for (int number = 1; number < next_number_; ++number) {
    std::vector<FlowTransition>& options = list(number);
    if (options.size() <= 1 || list(options[1].target).empty()) continue;
    std::vector<FlowTransition> transitions;
    for (size_t i = 1; i < options.size(); ++i) {
      if (list(options[i].target).empty()) continue;
      transitions.push_back(list(options[i].target).front());
      inherit_marks(options[i].target, transitions.back().target);
    }
    options = std::move(transitions);
  }
}

void ControlFlow::add_escape_transitions(bool like_java) {
  for (int number = 1; number < next_number_; ++number) {
    std::vector<FlowTransition>& transitions = raw_[static_cast<size_t>(number)];
    const std::vector<FlowTransition> covered = transitions;
    std::vector<FlowTransition> behind;  // like_java: collected in order, put in front at the end
    if (std::ranges::all_of(covered, [](const FlowTransition& each) { return each.escapes.empty(); })) continue;
    std::unordered_set<int> known;
    for (const FlowTransition& transition : covered) known.insert(transition.number);
    for (const FlowTransition& transition : covered) {
      for (auto escape = transition.escapes.rbegin(); escape != transition.escapes.rend(); ++escape) {
        const std::vector<FlowTransition> first_steps = raw_[static_cast<size_t>(*escape)];
        for (FlowTransition step : first_steps) {
          if (known.contains(step.number)) continue;
          step.escape = *escape;
          if (like_java) {
            behind.push_back(std::move(step));
          } else {
            known.insert(step.number);
            transitions.insert(transitions.begin(), std::move(step));
          }
        }
      }
    }
    transitions.insert(transitions.begin(), behind.begin(), behind.end());
  }
}

const FlowElement* ControlFlow::follow_in_d_step(const FlowElement* element) {
  std::unordered_set<const FlowElement*> passed;
  while (element != nullptr && element->in_d_step) {
    const FlowElement* next = nullptr;
    switch (element->kind) {
      case FlowKind::kGoto: next = jump_target(*element); break;
      case FlowKind::kTarget:
      case FlowKind::kBreakTarget: next = element->next; break;
      case FlowKind::kBlock:
      case FlowKind::kAtomic:
      case FlowKind::kUnless: next = element->branches[0]->first; break;
      default: return element;
    }
    if (!passed.insert(element).second) {
      diagnostics_.error(element->location, "these jumps form a loop without any statement");
      return nullptr;
    }
    element = next;
  }
  return nullptr;
}

}  // namespace cmc::promela
