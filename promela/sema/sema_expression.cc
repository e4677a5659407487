#include <fmt/format.h>

#include "promela/sema/sema_checker.h"

namespace cmc::promela {

using ast::ExpressionKind;
using ast::StatementKind;

void Sema::note_priority(const Location& location) {
  analysis_.uses_priority = true;
  if (priority_use_.place.line == 0) priority_use_ = location;
}

void Sema::check(std::vector<ast::ReceiveArg>& arguments) {
  for (ast::ReceiveArg& argument : arguments) {
    if (argument.value) check(*argument.value);
    if (!argument.variable || argument.variable->name == "_") continue;
    if (const std::string& name = argument.variable->name; is_predefined(name)) {
      error(argument.variable->location,
            fmt::format("'{}' cannot be assigned, not by a receive either; eval({}) compares the field with it", name,
                        name));
      continue;
    }
    resolve_element(*argument.variable);
  }
  // SPIN refuses a variable that would be stored twice.
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (size_t j = i + 1; j < arguments.size(); ++j) {
      if (!arguments[i].variable || !arguments[j].variable) continue;
      const Symbol* symbol = arguments[i].variable->symbol;
      if (symbol != nullptr && symbol == arguments[j].variable->symbol && !symbol->is_array && !symbol->structure) {
        error(arguments[j].variable->location, fmt::format("'{}' receives two fields of one message", symbol->name));
      }
    }
  }
}

void Sema::check_channel(ast::VariableRef& variable) {
  const Symbol* symbol = resolve_scalar(variable);
  if (symbol == nullptr) return;
  switch (symbol->type.basic) {
    case BasicType::kChan:
    case BasicType::kByte:
    case BasicType::kInt:
    case BasicType::kShort:
    case BasicType::kPid: return;
    default: error(variable.location, fmt::format("'{}' is no channel", to_text(variable)));
  }
}

void Sema::check_argument(ast::Expression& e) {
  if (e.kind == ExpressionKind::kVariable && !is_predefined(e.variable->name)) {
    resolve_element(*e.variable);
    return;
  }
  check(e);
}

void Sema::check_or_run(ast::Expression& e) {
  may_run_ = &e;
  check(e);
}

void Sema::check(ast::Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kVariable: check_variable(*e.variable); return;
    case ExpressionKind::kChannelQuery: check_channel(*e.variable); return;
    case ExpressionKind::kPoll:
      check_channel(*e.variable);
      check(e.arguments);
      note_message(Message::Kind::kPolled, *e.variable, e.arguments);
      return;
    case ExpressionKind::kTimeout:
      if (in_formula_ || !in_claim()) analysis_.uses_timeout = true;
      return;
    case ExpressionKind::kRun: check_run(e); return;
    case ExpressionKind::kExists: check_guard(e.targets, *e.operands[0], true); return;
    case ExpressionKind::kEnabled: check_enabled(e); break;
    case ExpressionKind::kNonProgress:
      if (!in_claim())
        error(e.location, "np_ can be used in never claims and formulas only (SPIN refuses this model, too)");
      return;
    case ExpressionKind::kTemporal: check_inside_atom(e); return;
    case ExpressionKind::kGetPriority: note_priority(e.location); break;
    case ExpressionKind::kRemoteLabel:
      if (in_d_step_) error(e.location, "a remote reference cannot be used in a d_step");
      if (analysis_.proctype(e.name) == nullptr) error(e.location, fmt::format("unknown proctype '{}'", e.name));
      analysis_.remote_labels.push_back(&e);
      break;
    case ExpressionKind::kRemoteVariable: check_remote_variable(e); break;
    default: break;
  }
  for (ast::ExpressionPtr& operand : e.operands) check(*operand);
}

void Sema::check_variable(ast::VariableRef& variable) {
  if (!is_predefined(variable.name)) {
    (void)resolve_scalar(variable);
    return;
  }
  if (variable.name == "_") error(variable.location, "'_' can be written but not read");
  if (variable.name == "_last") analysis_.uses_last = true;
  if (variable.name == "_priority") note_priority(variable.location);
  if (variable.name != "_pid" && variable.name != "_priority") return;
  if (in_claim()) {
    diagnostics_.warning(variable.location,
                         fmt::format("in a claim '{}' is that of the claim itself, always {}, as in SPIN",
                                     variable.name, variable.name == "_pid" ? 0 : 1));
  } else if (current_ == nullptr || current_->is_trace()) {
    error(variable.location, fmt::format("'{}' has no meaning outside a process", variable.name));
  }
}

void Sema::check_run(ast::Expression& e) {
  if (current_ == nullptr || !current_->runs()) {
    error(e.location, "'run' can be used in a process only");
  } else if (&e != may_run_) {
    error(e.location, "'run' is a statement of its own, or all that is assigned: p = run P()");
  } else if (in_d_step_) {
    error(e.location, "'run' cannot be used in a d_step; use atomic");
  }
  if (e.value > 0) note_priority(e.location);
  for (ast::ExpressionPtr& operand : e.operands) check_argument(*operand);
  runs_.push_back(&e);
}

void Sema::check_remote_variable(ast::Expression& e) {
  if (in_d_step_) error(e.location, "a remote reference cannot be used in a d_step");
  const AnalysedProctype* owner = analysis_.proctype(e.name);
  if (owner == nullptr) {
    error(e.location, fmt::format("unknown proctype '{}'", e.name));
    return;
  }
  std::vector<std::string_view> names;
  for (const Symbol* symbol : owner->variables) {
    names.push_back(symbol->name);
    if (symbol->name != e.variable->name) continue;
    e.variable->symbol = symbol;
    const Symbol* const innermost_symbol = check_indices(*e.variable, *symbol);
    if (innermost_symbol != nullptr) check_scalar(*e.variable, *innermost_symbol);
    return;
  }
  error(e.variable->location, fmt::format("proctype '{}' has no variable '{}'{}", e.name, e.variable->name,
                                          diagnostics_.suggestion(e.variable->name, names)));
}

const Symbol* Sema::resolve(ast::VariableRef& variable) {
  if (mark_own_name(variable)) return nullptr;
  const Symbol* symbol = find(variable.name);
  if (symbol == nullptr) {
    report_undeclared(variable);
    return nullptr;
  }
  variable.symbol = symbol;
  const Symbol* const innermost_symbol = check_indices(variable, *symbol);
  mark_target(variable);
  return innermost_symbol;
}

const Symbol* Sema::resolve_scalar(ast::VariableRef& variable) {
  const Symbol* symbol = resolve(variable);
  return symbol != nullptr && check_scalar(variable, *symbol) ? symbol : nullptr;
}

bool Sema::check_scalar(const ast::VariableRef& variable, const Symbol& symbol) {
  if (symbol.structure != nullptr) {
    error(variable.location, fmt::format("'{}' is a structure of type {}; name one of its fields", to_text(variable),
                                         symbol.structure->name));
    return false;
  }
  return check_element(variable, symbol);
}

bool Sema::check_element(const ast::VariableRef& variable, const Symbol& symbol) {
  if (!symbol.is_array || innermost(variable).index) return true;
  error(variable.location, fmt::format("'{}' is an array; an index is missing", to_text(variable)));
  return false;
}

const Symbol* Sema::resolve_element(ast::VariableRef& variable) {
  const Symbol* symbol = resolve(variable);
  return symbol != nullptr && check_element(variable, *symbol) ? symbol : nullptr;
}

const ast::VariableRef& Sema::innermost(const ast::VariableRef& variable) {
  return variable.field ? innermost(*variable.field) : variable;
}

const Symbol* Sema::check_indices(ast::VariableRef& variable, const Symbol& symbol) {
  if (variable.index) {
    check(*variable.index);
    const bool zero = variable.index->kind == ExpressionKind::kNumber && variable.index->value == 0;
    if (!symbol.is_array && !zero) {
      error(variable.location, fmt::format("'{}' is no array", symbol.name));
      diagnostics_.note(symbol.location, "declared here");
    }
  }
  if (!variable.field) return &symbol;
  if (symbol.structure == nullptr) {
    error(variable.field->location,
          fmt::format("'{}' is no structure and has no field '{}'", symbol.name, variable.field->name));
    return nullptr;
  }
  if (symbol.is_array && !variable.index) {
    error(variable.location, fmt::format("'{}' is an array; an index is missing", symbol.name));
  }
  const Symbol* field = symbol.structure->field(variable.field->name);
  if (field == nullptr) {
    std::vector<std::string_view> names;
    for (const Symbol& candidate : symbol.structure->fields) names.push_back(candidate.name);
    error(variable.field->location,
          fmt::format("type '{}' has no field '{}'{}", symbol.structure->name, variable.field->name,
                      diagnostics_.suggestion(variable.field->name, names)));
    return nullptr;
  }
  variable.field->symbol = field;
  return check_indices(*variable.field, *field);
}

void Sema::report_undeclared(const ast::VariableRef& variable) {
  if (!reported_.insert({variable.name, current_}).second) return;
  if (variable.name == "STDIN") {
    error(variable.location, "STDIN cannot be read by a model checker: the state space would depend on the input");
    return;
  }
  for (const ast::Unit& unit : program_.units) {
    if (!unit.ltl || unit.ltl->name != variable.name) continue;
    error(variable.location,
          fmt::format("'{0}' is a formula and no variable; --property {0} decides it", unit.ltl->name));
    return;
  }
  if (diagnostics_.too_many_errors()) {  // nobody will see a suggestion, which takes long to find
    error(variable.location, fmt::format("undeclared variable '{}'", variable.name));
    return;
  }
  std::vector<std::string_view> names;
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    const auto table = locals_.find(scope);
    if (table == locals_.end()) continue;
    for (const auto& [name, symbol] : table->second) names.push_back(name);
  }
  for (const auto& [name, symbol] : globals_) names.push_back(name);
  for (const MtypeSet& set : analysis_.mtype_sets) {
    for (const std::string& name : set.values) names.push_back(name);
  }
  error(variable.location,
        fmt::format("undeclared variable '{}'{}", variable.name, diagnostics_.suggestion(variable.name, names)));
}

}  // namespace cmc::promela
