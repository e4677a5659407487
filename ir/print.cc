#include "ir/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/enum_names.h"

namespace cmc {

#define CMC_PAIR(name, text) \
  { text, Operator::name }

const char* operator_symbol(Operator op) {
  static constexpr EnumName<Operator> kSymbols[] = {CMC_BINARY_OPERATORS(CMC_PAIR)};
  const auto* const found = std::ranges::find(kSymbols, op, &EnumName<Operator>::value);
  return found == std::end(kSymbols) ? nullptr : found->name;
}

namespace {

constexpr int kMaxDepth = 10'000;

const char* call_name(Operator op) {
  static constexpr EnumName<Operator> kCalls[] = {CMC_CHANNEL_QUERIES(CMC_PAIR),
                                                  {"enabled", Operator::kEnabled},
                                                  {"pc_value", Operator::kLocationOf},
                                                  {"get_priority", Operator::kPriorityOf}};
  const auto* const found = std::ranges::find(kCalls, op, &EnumName<Operator>::value);
  return found == std::end(kCalls) ? nullptr : found->name;
}

#undef CMC_PAIR

class Printer {
 public:
  Printer(const Model& model, const Proctype* proctype) : model_(model), proctype_(proctype) {}

  std::string reference(const VariableReference& reference, const Proctype* owner) {
    const std::vector<Variable>* variables = &model_.globals;
    if (reference.space == Space::kLocal) variables = owner == nullptr ? nullptr : &owner->variables;
    if (variables == nullptr || reference.variable >= variables->size()) {
      std::string text =
          fmt::format("{}@{}", reference.space == Space::kGlobal ? "global" : "local", reference.offset);
      for (const VariableReference::Index& index : reference.indices)
        text += "[" + expression(index.expression) + "]";
      return text;
    }
    return reference_to((*variables)[reference.variable], reference);
  }

  std::string expression(ExpressionId id) {
    if (id >= model_.expressions.size()) return "?";
    if (++depth_ > kMaxDepth) return "...";
    std::string text = expression_of(model_.expressions[id]);
    --depth_;
    return text;
  }

  std::string statement(const Statement& statement);

  // Children come before their parents, so that no formula contains itself.
  std::string formula(uint32_t index, uint32_t parent) {
    conditions_as_written_ = true;
    if (index >= std::min<size_t>(parent, model_.formulas.size())) return "?";
    if (++depth_ > kMaxDepth) return "...";
    std::string text = formula_of(model_.formulas[index], index);
    --depth_;
    return text;
  }

 private:
  // Constant indices are folded into the offset: they are recovered from it, dimension by dimension.
  std::string reference_to(const Variable& variable, const VariableReference& reference) {
    std::string text = variable.name;
    uint32_t rest = reference.offset - variable.offset;
    size_t next = 0;
    for (const Variable::Dimension& dimension : variable.dimensions) {
      const bool computed = next < reference.indices.size() && reference.indices[next].stride == dimension.stride &&
                            reference.indices[next].count == dimension.count;
      if (computed) {
        text += "[" + expression(reference.indices[next++].expression) + "]";
      } else {
        text += fmt::format("[{}]", dimension.stride == 0 ? 0 : rest / dimension.stride);
        if (dimension.stride != 0) rest %= dimension.stride;
      }
      text += dimension.suffix;
    }
    return text;
  }

  std::string list(const std::vector<ExpressionId>& ids) {
    std::string text;
    for (const ExpressionId id : ids) text += (text.empty() ? "" : ",") + expression(id);
    return text;
  }

  std::string arguments(const std::vector<ReceiveArgument>& arguments) {
    std::string text;
    for (const ReceiveArgument& argument : arguments) {
      if (&argument != arguments.data()) text += ',';
      switch (argument.kind) {
        case ReceiveArgument::Kind::kDiscard: text += '_'; break;
        case ReceiveArgument::Kind::kStore: text += reference(argument.store, proctype_); break;
        case ReceiveArgument::Kind::kMatch:
          text +=
              is_constant(argument.match) ? expression(argument.match) : "eval(" + expression(argument.match) + ")";
          break;
      }
    }
    return text;
  }

  bool is_constant(ExpressionId id) const {
    return id < model_.expressions.size() && model_.expressions[id].op == Operator::kConstant;
  }

  std::string operand(const Expression& expression_, size_t i) {
    return i < expression_.operands.size() ? expression(expression_.operands[i]) : "?";
  }

  std::string remote_prefix(const Expression& expression_) {
    const bool known = expression_.proctype < model_.proctypes.size();
    std::string text = known ? model_.proctypes[expression_.proctype].name : "?";
    return expression_.operands.empty() ? text : text + "[" + operand(expression_, 0) + "]";
  }

  std::string location_name(const Expression& expression_) const {
    if (expression_.proctype < model_.proctypes.size() && expression_.value >= 0) {
      const std::vector<Location>& locations = model_.proctypes[expression_.proctype].locations;
      const size_t location = static_cast<size_t>(expression_.value);
      if (location < locations.size() && !locations[location].labels.empty()) return locations[location].labels[0];
    }
    return std::to_string(expression_.value);
  }

  std::string expression_of(const Expression& e);
  std::string formula_of(const Formula& formula, uint32_t index);
  std::string guard(size_t number);

  const Model& model_;
  const Proctype* proctype_;
  bool conditions_as_written_ = false;
  const SolverGuard* guard_ = nullptr;  // whose condition is being printed
  int depth_ = 0;
};

std::string Printer::expression_of(const Expression& e) {
  if (const char* symbol = operator_symbol(e.op)) return "(" + operand(e, 0) + symbol + operand(e, 1) + ")";
  if (const char* name = call_name(e.op)) return name + ("(" + operand(e, 0) + ")");
  switch (e.op) {
    case Operator::kConstant: return e.text.empty() ? std::to_string(e.value) : e.text;
    case Operator::kVariable: return reference(e.reference, proctype_);
    case Operator::kOwnPid: return "_pid";
    case Operator::kProcessCount: return "_nr_pr";
    case Operator::kLast: return "_last";
    case Operator::kOwnPriority: return "_priority";
    case Operator::kTimeout: return "timeout";
    case Operator::kNonProgress: return "np_";
    case Operator::kNoRendezvous: return "no_rendezvous";
    case Operator::kElseGuard: return "else";
    case Operator::kEmbeddedC: return "c_expr{" + e.text + "}";
    case Operator::kNegate: return "-(" + operand(e, 0) + ")";
    case Operator::kNot: return "!(" + operand(e, 0) + ")";
    case Operator::kComplement: return "~(" + operand(e, 0) + ")";
    case Operator::kConditional: return "(" + operand(e, 0) + " -> " + operand(e, 1) + " : " + operand(e, 2) + ")";
    case Operator::kPoll: return operand(e, 0) + (e.flag ? "??[" : "?[") + arguments(e.arguments) + "]";
    case Operator::kReceivable:
      return e.statement < model_.statements.size() ? "receivable(" + statement(model_.statements[e.statement]) + ")"
                                                    : "receivable(?)";
    case Operator::kRun: {
      const std::string name = e.proctype < model_.proctypes.size() ? model_.proctypes[e.proctype].name : "?";
      const std::string priority = e.value == 0 ? "" : fmt::format(" priority {}", e.value);
      return "run " + name + "(" + list(e.operands) + ")" + priority;
    }
    case Operator::kRemoteLocation: return "(" + remote_prefix(e) + "@" + location_name(e) + ")";
    case Operator::kRemoteVariable: {
      const Proctype* owner = e.proctype < model_.proctypes.size() ? &model_.proctypes[e.proctype] : nullptr;
      return remote_prefix(e) + ":" + reference(e.reference, owner);
    }
    case Operator::kExists: return "exists " + guard(static_cast<size_t>(e.value));
    case Operator::kTarget: {
      const bool known = guard_ != nullptr && static_cast<size_t>(e.value) < guard_->targets.size();
      return known ? guard_->targets[static_cast<size_t>(e.value)].name : fmt::format("target {}", e.value);
    }
    case Operator::kParameter: {
      std::string text = fmt::format("${}", e.value);
      for (const VariableReference::Index& index : e.reference.indices)
        text += "[" + expression(index.expression) + "]";
      return text;
    }
    default: return "?";
  }
}

std::string Printer::formula_of(const Formula& f, uint32_t index) {
  const auto unary = [&](const char* symbol) {
    const std::string operand = formula(f.left, index);
    return symbol + (operand.starts_with('(') ? operand : "(" + operand + ")");
  };
  const auto binary = [&](const char* symbol) {
    return "(" + formula(f.left, index) + symbol + formula(f.right, index) + ")";
  };
  switch (f.op) {
    case Formula::Op::kTrue: return "true";
    case Formula::Op::kFalse: return "false";
    case Formula::Op::kAtom: return expression(f.atom);
    case Formula::Op::kNot: return unary("!");
    case Formula::Op::kNext: return unary("X ");
    case Formula::Op::kAlways: return unary("[] ");
    case Formula::Op::kEventually: return unary("<> ");
    case Formula::Op::kAnd: return binary(" && ");
    case Formula::Op::kOr: return binary(" || ");
    case Formula::Op::kImplies: return binary(" -> ");
    case Formula::Op::kEquivalent: return binary(" <-> ");
    case Formula::Op::kUntil: return binary(" U ");
    case Formula::Op::kRelease: return binary(" V ");
    case Formula::Op::kWeakUntil: return binary(" W ");
  }
  return "?";
}

// With its condition closed (if not as written): $n is parameter n.
std::string Printer::guard(size_t number) {
  if (number >= model_.guards.size()) return "?";
  const SolverGuard& guard = model_.guards[number];
  std::string targets;
  for (const SolverGuard::Target& target : guard.targets) {
    targets += fmt::format("{}{}: {} .. {}", targets.empty() ? "" : ", ", target.name, expression(target.low),
                           expression(target.high));
  }
  if (conditions_as_written_) {
    return fmt::format("({}) {}", targets, guard.text.starts_with('(') ? guard.text : "(" + guard.text + ")");
  }
  guard_ = &guard;
  const std::string condition = expression(guard.condition);
  guard_ = nullptr;
  std::string parameters;
  for (size_t i = 0; i < guard.parameters.size(); ++i) {
    parameters += fmt::format("{} ${} = {}", i == 0 ? " with" : ",", i, expression(guard.parameters[i]));
  }
  return fmt::format("({}) ({}){}", targets, condition, parameters);
}

std::string Printer::statement(const Statement& s) {
  if (++depth_ > kMaxDepth) return "...";
  std::string text;
  switch (s.kind) {
    case StatementKind::kSkip: text = "(1)"; break;
    case StatementKind::kElse: text = "else"; break;
    case StatementKind::kCondition: {
      text = expression(s.expression);
      if (text.empty() || text.front() != '(') text = "(" + text + ")";
      break;
    }
    case StatementKind::kAssign:
      text = (s.discard_target ? "_" : reference(s.target, proctype_)) + " = " + expression(s.expression);
      break;
    case StatementKind::kSend:
      text = expression(s.channel) + (s.flag ? "!!" : "!") + list(s.operands) + arguments(s.arguments);
      break;
    case StatementKind::kReceive:
      text = expression(s.channel) + (s.flag ? "??" : "?") + (s.poll ? "<" : "") + arguments(s.arguments) +
             (s.poll ? ">" : "");
      break;
    case StatementKind::kAssert: text = "assert(" + expression(s.expression) + ")"; break;
    case StatementKind::kPrintf: {
      const std::string operands = list(s.operands);
      text = "printf(" + fmt::format("{:?}", std::string_view(s.format)) + (operands.empty() ? "" : "," + operands) +
             ")";
      break;
    }
    case StatementKind::kPrintm: text = "printm(" + expression(s.expression) + ")"; break;
    case StatementKind::kSetPriority: text = "set_priority(" + list(s.operands) + ")"; break;
    case StatementKind::kAtomicBlock: text = "d_step"; break;
    case StatementKind::kEmbeddedC: text = "c_code{" + s.text + "}"; break;
    case StatementKind::kEndProcess: text = "-end-"; break;
    case StatementKind::kChoose:
      text = (s.flag ? "least " : "choose ") + guard(s.guard_number);
      if (s.most_witnesses > 0) text += fmt::format(" max {}", s.most_witnesses);
      break;
  }
  --depth_;
  return text;
}

}  // namespace

std::string reference_text(const Model& model, const Proctype* proctype, const VariableReference& reference) {
  return Printer(model, proctype).reference(reference, proctype);
}

std::string expression_text(const Model& model, const Proctype* proctype, ExpressionId id) {
  return Printer(model, proctype).expression(id);
}

std::string build_formula_text(const Model& model, uint32_t formula) {
  return Printer(model, nullptr).formula(formula, kNoFormula);
}

std::string build_statement_text(const Model& model, const Proctype* proctype, StatementId id) {
  return id < model.statements.size() ? Printer(model, proctype).statement(model.statements[id]) : "?";
}

std::string statement_text(const Model& model, const Proctype* proctype, StatementId id) {
  if (id >= model.statements.size()) return "?";
  const std::string& text = model.statements[id].text;
  return text.empty() ? build_statement_text(model, proctype, id) : text;
}

std::string file_of(const Model& model, const SourcePlace& place) {
  return place.line > 0 && place.file < model.files.size() ? model.files[place.file] : std::string();
}

std::string place_text(const Model& model, const SourcePlace& place, std::string_view before,
                       std::string_view behind) {
  const std::string file = file_of(model, place);
  return file.empty() ? file : fmt::format("{}{}:{}{}", before, file, place.line, behind);
}

}  // namespace cmc
