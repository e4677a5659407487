#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "promela/sema/sema_checker.h"

namespace cmc::promela {

using ast::ExpressionKind;
using ast::StatementKind;

void Sema::check(ast::Sequence& sequence, bool opens_scope) {
  DCHECK(current_ != nullptr);
  const Scope* outer = scope_;
  if (opens_scope) {
    Scope& inner = current_->scopes.emplace_back();
    inner.parent = outer;
    scope_ = &inner;
  }
  for (ast::StatementPtr& step : sequence.steps) check(*step);
  scope_ = outer;
}

void Sema::check_nested(ast::Sequence& sequence, bool opens_scope) {
  open_initialisations_ = false;
  check(sequence, opens_scope);
}

void Sema::check(ast::Statement& statement) {
  if (statement.kind == StatementKind::kDeclaration) {
    declare(statement.declaration, !open_initialisations_);
    return;
  }
  if (statement.kind == StatementKind::kExclusive) {
    for (const auto& variable : statement.variables) {
      const Symbol* symbol = resolve_element(*variable);
      if (symbol != nullptr && !symbol->is_channel()) {
        error(variable->location, fmt::format("{} needs channels; '{}' is none", statement.text, variable->name));
      }
    }
    return;
  }
  check_parts(statement);
  open_initialisations_ = false;
  if (current_->is_never()) check_in_never(statement);
  if (current_->is_trace()) check_in_trace(statement);
}

void Sema::check_parts(ast::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kLabel:
      statement.label_symbol = label(statement.label);
      if (statement.body) check(*statement.body);
      return;
    case StatementKind::kGoto: statement.label_symbol = label(statement.label); return;
    case StatementKind::kIf:
    case StatementKind::kDo:
      for (ast::Sequence& option : statement.sequences) check_nested(option, false);
      warn_of_else_beside_channels(statement);
      return;
    case StatementKind::kAtomic:
    case StatementKind::kDStep:
    case StatementKind::kBlock: {
      const bool outer = in_d_step_;
      in_d_step_ = outer || statement.kind == StatementKind::kDStep;
      for (ast::Sequence& sequence : statement.sequences) check_nested(sequence, true);
      in_d_step_ = outer;
      return;
    }
    case StatementKind::kUnless:
      if (in_d_step_)
        diagnostics_.warning(statement.location, "what follows this 'unless' is ignored in a d_step, as in SPIN");
      check(*statement.body);
      check(*statement.escape);
      return;
    case StatementKind::kFor: check_for(statement); return;
    case StatementKind::kSelect: check_counter(statement); return;
    case StatementKind::kAssign: check_assignment(statement); return;
    case StatementKind::kSend: {
      check_channel(*statement.variable);
      uint64_t fields = 0;
      for (ast::ExpressionPtr& operand : statement.operands) {
        if (is_pattern(*operand)) {
          ++fields;
          continue;
        }
        check_argument(*operand);
        fields += operand->kind == ExpressionKind::kVariable ? fields_of(*operand->variable) : 1;
      }
      note_message(Message::Kind::kSent, *statement.variable, fields);
      warn_unless_fit(statement);
      return;
    }
    case StatementKind::kReceive:
      check_channel(*statement.variable);
      check(statement.arguments);
      note_message(statement.poll ? Message::Kind::kRead : Message::Kind::kReceived, *statement.variable,
                   statement.arguments);
      return;
    case StatementKind::kChoose: check_choose(statement); return;
    case StatementKind::kPrintm:
    case StatementKind::kAssert: check(*statement.expression); return;
    case StatementKind::kExpression: check_or_run(*statement.expression); return;
    case StatementKind::kSetPriority: note_priority(statement.location); [[fallthrough]];
    case StatementKind::kPrintf:
      for (ast::ExpressionPtr& operand : statement.operands) check(*operand);
      if (statement.kind == StatementKind::kPrintf) warn_of_conversions(statement);
      return;
    default: return;
  }
}

// SPIN's simulator ends at a printf that wants more than it is given. It ignores what is too many, as does C.
void Sema::warn_of_conversions(const ast::Statement& print) {
  std::string_view format = print.text;  // with its quotation marks
  format.remove_suffix(std::min<size_t>(format.size(), 1));
  size_t wanted = 0;
  for (size_t at = 0; at + 1 < format.size(); ++at) {
    if (format[at] == '%' && format[++at] != '%') ++wanted;
  }
  if (wanted == print.operands.size() || !warned_of_conversions_.insert(print.location.place).second) return;
  diagnostics_.warning(
      print.location,
      fmt::format("the format of printf has {} conversion{} (%d, ...), but {} value{} given", wanted,
                  wanted == 1 ? "" : "s", print.operands.size(), print.operands.size() == 1 ? " is" : "s are"));
}

bool Sema::is_pattern(const ast::Expression& operand) const {
  return current_->is_trace() && operand.kind == ExpressionKind::kVariable && operand.variable->name == "_";
}

void Sema::note_message(Message::Kind kind, const ast::VariableRef& variable, uint64_t fields) {
  if (current_ != nullptr && current_->is_trace()) kind = Message::Kind::kDescribed;
  const Symbol* symbol = innermost(variable).symbol;
  messages_.push_back({kind, &variable, symbol == nullptr ? nullptr : symbol->channel, fields});
}

void Sema::note_message(Message::Kind kind, const ast::VariableRef& variable,
                        const std::vector<ast::ReceiveArg>& fields) {
  uint64_t count = 0;
  for (const ast::ReceiveArg& field : fields) count += field.variable ? fields_of(*field.variable) : 1;
  note_message(kind, variable, count);
}

void Sema::warn_of_else_beside_channels(const ast::Statement& selection) {
  const ast::Statement* otherwise = nullptr;
  bool channels = false;
  for (const ast::Sequence& option : selection.sequences) {
    if (option.steps.empty()) continue;
    const ast::Statement& first = *option.steps.front();
    if (first.kind == StatementKind::kElse) otherwise = &first;
    if (first.kind == StatementKind::kSend || first.kind == StatementKind::kReceive) channels = true;
  }
  if (otherwise != nullptr && channels && warned_of_else_.insert(otherwise->location.place.line).second) {
    diagnostics_.warning(otherwise->location,
                         "'else' next to a send or receive: it can be taken only while no send or receive of the "
                         "selection is possible");
  }
}

LabelSymbol* Sema::label(const std::string& name) {
  std::vector<LabelSymbol*>& namesakes = current_->labels_by_name[name];
  for (auto known = namesakes.rbegin(); known != namesakes.rend(); ++known) {
    if ((*known)->scope->encloses(scope_)) return *known;
  }
  namesakes.push_back(&current_->labels.emplace_back(LabelSymbol{name, scope_}));
  return namesakes.back();
}

void Sema::check_assignment(ast::Statement& statement) {
  ast::VariableRef& target = *statement.variable;
  if (target.name == "_nr_pr" || target.name == "_pid" || target.name == "_last") {
    error(target.location, fmt::format("'{}' cannot be assigned", target.name));
    return;
  }
  if (target.name == "_priority") note_priority(target.location);
  const Symbol* symbol = is_predefined(target.name) ? nullptr : resolve_scalar(target);
  check_or_run(*statement.expression);
  // As SPIN, which does not look into structures here.
  if (symbol != nullptr && symbol->is_channel() && !target.field &&
      statement.expression->kind == ExpressionKind::kNumber) {
    error(statement.expression->location, fmt::format("a number cannot be assigned to channel '{}'", target.name));
  }
  if (symbol != nullptr) warn_unless_fits(*statement.expression, *symbol);
}

void Sema::check_counter(ast::Statement& statement) {
  const Symbol* symbol = resolve_scalar(*statement.variable);
  if (symbol != nullptr && symbol->is_channel()) {
    error(statement.variable->location, fmt::format("channel '{}' cannot count", statement.variable->name));
  }
  check_or_run(*statement.expression);
  check(*statement.to);
}

void Sema::check_for(ast::Statement& statement) {
  if (!statement.over) {
    check_counter(statement);
    check_nested(statement.sequences[0], true);
    return;
  }
  const Symbol* over = resolve(*statement.over);
  const Symbol* variable = resolve(*statement.variable);
  if (over == nullptr || variable == nullptr) return;
  if (variable->structure != nullptr) {
    const ast::ChannelInit* channel = over->channel;
    if (!over->is_channel() || channel == nullptr || channel->capacity <= 0 || channel->fields.size() != 1 ||
        channel->fields[0].type != variable->structure->name) {
      error(statement.over->location, fmt::format("'for ({} in ...)' needs a channel that holds messages of type {}",
                                                  variable->name, variable->structure->name));
      return;
    }
    Symbol& counter = analysis_.symbols.emplace_back();
    counter.name = "_for_counter";
    counter.location = statement.location;
    counter.type =
        scalar_type(channel->capacity > 255 ? BasicType::kShort : BasicType::kByte, channel->capacity > 255 ? 16 : 8);
    counter.proctype = static_cast<int>(analysis_.proctypes.size()) - 1;
    counter.scope = scope_;
    current_->variables.push_back(&counter);
    statement.counter = &counter;
  } else if (!over->is_array || statement.over->index || statement.over->field) {
    error(statement.over->location, fmt::format("'{}' is no array", to_text(*statement.over)));
  }
  check_nested(statement.sequences[0], true);
}

}  // namespace cmc::promela
