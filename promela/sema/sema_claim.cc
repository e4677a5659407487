#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "promela/sema/constant_value.h"
#include "promela/sema/sema_checker.h"

// Formulas, and what never claims and traces may contain.

namespace cmc::promela {

using ast::ExpressionKind;
using ast::StatementKind;

namespace {

bool is_temporal(ast::Op op) {
  return op == ast::Op::kNext || op == ast::Op::kAlways || op == ast::Op::kEventually || op == ast::Op::kUntil ||
         op == ast::Op::kRelease || op == ast::Op::kWeakUntil;
}

// The texts of the different atoms.
void collect_atoms(const ast::Expression& e, std::set<std::string>& texts) {
  if (e.is_atom) {
    texts.insert(to_text(e));
    return;
  }
  for (const ast::ExpressionPtr& operand : e.operands) collect_atoms(*operand, texts);
}

// Makes an atom of each largest part without a temporal operator. Returns whether there is one in `e`.
bool join_atoms(ast::Expression& e) {
  if (e.is_atom) return false;
  bool temporal = is_temporal(e.op);
  for (ast::ExpressionPtr& operand : e.operands) temporal |= join_atoms(*operand);
  e.is_atom = !temporal;
  return temporal;
}

bool can_fail(const ast::VariableRef& variable) {
  if (variable.index && variable.symbol != nullptr) {
    const ast::Expression& index = *variable.index;
    const bool inside = index.kind == ExpressionKind::kNumber && index.value >= 0 &&
                        static_cast<uint32_t>(index.value) < variable.symbol->count;
    if (!inside) return true;
  }
  return variable.field && can_fail(*variable.field);
}

// Whether evaluating it can end in a run-time error. It may say so too often.
bool can_fail(const ast::Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kPoll:
    case ExpressionKind::kGetPriority:
    case ExpressionKind::kEmbeddedC:
    case ExpressionKind::kExists: return true;
    case ExpressionKind::kChannelQuery:
      if (e.variable->field || e.variable->symbol == nullptr || e.variable->symbol->channel == nullptr) return true;
      break;
    case ExpressionKind::kBinary:
      if ((e.op == ast::Op::kDivide || e.op == ast::Op::kModulo) && constant_value(*e.operands[1]).value_or(0) == 0) {
        return true;
      }
      break;
    default: break;
  }
  return (e.variable && can_fail(*e.variable)) ||
         std::ranges::any_of(e.operands, [](const auto& operand) { return can_fail(*operand); });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ formulas

void Sema::check(ast::LtlFormula& formula) {
  if (formula.scope) return check_in_scope(*formula.formula, *formula.scope);
  in_formula_ = true;
  check_structure(*formula.formula);
  in_formula_ = false;
  // What generators write, such as "and all of 30 channels are empty", is too much for an automaton's labels.
  std::set<std::string> atoms;
  collect_atoms(*formula.formula, atoms);
  if (atoms.size() > kMostAtoms) join_atoms(*formula.formula);
}

void Sema::check_in_scope(ast::Expression& e, const std::string& proctype) {
  for (const auto& each : analysis_.proctypes) {
    if (each->runs() && each->syntax->name == proctype) current_ = each.get();
  }
  const Scope scope;
  scope_ = &scope;
  if (current_ != nullptr) {
    for (Symbol* symbol : current_->variables) locals_[scope_].try_emplace(symbol->name, symbol);
  }
  in_formula_ = current_ == nullptr;
  check(e);
  e.is_atom = true;
  locals_.erase(scope_);
  scope_ = nullptr;
  current_ = nullptr;
  in_formula_ = false;
}

// An atom is as small as can be, with one exception. `i < 3 && a[i] == 1` is one atom, because its right side can be
// evaluated only where its left side holds, and who evaluates atoms keeps no order. (SPIN's atoms are always as large
// as their parentheses.)
Sema::FormulaTraits Sema::check_structure(ast::Expression& e) {
  FormulaTraits traits;
  if (!is_connective(e)) {
    check(e);
    e.is_atom = true;
    traits.can_fail = can_fail(e);
    return traits;
  }
  if (e.op == ast::Op::kNext && !remarked_on_next_) {
    remarked_on_next_ = true;
    diagnostics_.remark(e.location,
                        "a formula with X can tell apart runs that differ in the number of steps only, so that "
                        "reductions do not apply to it (SPIN refuses it)");
  }
  traits.temporal = is_temporal(e.op);
  for (ast::ExpressionPtr& operand : e.operands) {
    const FormulaTraits inner = check_structure(*operand);
    traits.temporal |= inner.temporal;
    traits.can_fail |= inner.can_fail;
  }
  e.is_atom = !traits.temporal && traits.can_fail;
  return traits;
}

// SPIN reads a -> b as !a || b, and a token's number for the others.
void Sema::check_inside_atom(ast::Expression& e) {
  if (e.op == ast::Op::kImplies) {
    for (ast::ExpressionPtr& operand : e.operands) check(*operand);
    return;
  }
  const std::string_view symbol = spelling(e.op);
  std::string message = fmt::format("'{}' cannot be part of arithmetic or of a comparison", symbol);
  if (e.op == ast::Op::kEquivalent) message += "; use ==";
  if (e.operands.size() == 1) {
    message += fmt::format("; it binds tighter than these: to apply it to one, write {} ( ... )", symbol);
  }
  error(e.location, message);
  for (ast::ExpressionPtr& operand : e.operands) (void)check_structure(*operand);
}

void Sema::check_enabled(const ast::Expression& e) {
  Location& use = in_claim() ? enabled_use_in_claim_ : enabled_use_;
  if (use.place.line == 0) use = e.location;
}

// ------------------------------------------------------------------------------------------------ never claims

void Sema::check_in_never(const ast::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kSend:
    case StatementKind::kReceive:
      error(statement.location,
            "a never claim cannot send or receive (SPIN refuses this model, too); to test for a "
            "message write q?[...]");
      return;
    case StatementKind::kSetPriority: error(statement.location, "a never claim cannot set priorities"); return;
    case StatementKind::kChoose:
      error(statement.location,
            fmt::format("'{}' cannot be used in a never claim", statement.least ? "least" : "choose"));
      return;
    case StatementKind::kAssign:
    case StatementKind::kSelect: warn_of_change(*statement.variable); return;
    case StatementKind::kFor:
      if (!statement.over) warn_of_change(*statement.variable);
      return;
    default: return;
  }
}

void Sema::warn_of_change(const ast::VariableRef& variable) {
  if (variable.name == "_priority") error(variable.location, "a never claim cannot set priorities");
  if (variable.symbol == nullptr || variable.symbol->proctype >= 0 || warned_of_change_ == current_) return;
  warned_of_change_ = current_;
  diagnostics_.warning(variable.location, fmt::format("never claim '{}' changes '{}': what is checked is another "
                                                      "model than without the claim",
                                                      current_->syntax->name, to_text(variable)));
}

// ------------------------------------------------------------------------------------------------ traces

void Sema::check_in_trace(const ast::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kIf:
    case StatementKind::kDo:
    case StatementKind::kUnless:
    case StatementKind::kLabel:
    case StatementKind::kGoto:
    case StatementKind::kBreak: return;
    case StatementKind::kSend:
      if (statement.sorted) break;
      check_event_channel(*statement.variable);
      for (const ast::ExpressionPtr& operand : statement.operands) {
        const bool constant =
            operand->kind == ExpressionKind::kNumber || operand->kind == ExpressionKind::kMtypeConstant;
        if (!constant && !is_pattern(*operand)) warn_of_wildcard(operand->location, to_text(*operand));
      }
      return;
    case StatementKind::kReceive:
      if (statement.random || statement.poll) break;
      check_event_channel(*statement.variable);
      for (const ast::ReceiveArg& argument : statement.arguments) {
        if (argument.variable && argument.variable->name != "_") {
          warn_of_wildcard(argument.variable->location, to_text(*argument.variable));
        }
      }
      return;
    default: break;
  }
  error(statement.location,
        "a trace consists of sends q!... and receives q?..., of selections, loops and jumps, and of nothing else");
}

void Sema::check_event_channel(const ast::VariableRef& variable) {
  const Symbol* const symbol = innermost(variable).symbol;
  if (symbol == nullptr) return;
  if (!symbol->is_channel() || variable.symbol->proctype >= 0) {
    error(variable.location, fmt::format("a trace names global channels; '{}' is none", to_text(variable)));
  } else if (can_fail(variable)) {
    error(variable.location,
          fmt::format("a trace names channels; which one '{}' is would depend on the state", to_text(variable)));
  }
}

void Sema::warn_of_wildcard(const Location& location, const std::string& text) {
  diagnostics_.warning(location, fmt::format("in a trace '{}' stands for any value, as in SPIN, which compares "
                                             "constants, and eval(...) in receives, only",
                                             text));
}

}  // namespace cmc::promela
