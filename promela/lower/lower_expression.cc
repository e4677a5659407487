#include "promela/lower/lower_expression.h"

#include "base/check.h"

namespace cmc::promela {

using ast::ExpressionKind;

namespace {

// A C string literal's content with its escapes resolved.
std::string unquoted(const std::string& literal) {
  std::string text;
  for (size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 2 >= literal.size()) {
      text += literal[i];
      continue;
    }
    switch (literal[++i]) {
      case 'n': text += '\n'; break;
      case 't': text += '\t'; break;
      case 'r': text += '\r'; break;
      default: text += literal[i]; break;
    }
  }
  return text;
}

}  // namespace

ExpressionId ExpressionLowering::add(Expression expression) {
  DCHECK(model_.expressions.size() < kNoExpression);
  model_.expressions.push_back(std::move(expression));
  return static_cast<ExpressionId>(model_.expressions.size() - 1);
}

StatementId ExpressionLowering::add(Statement statement) {
  DCHECK(model_.statements.size() < kNoStatement);
  model_.statements.push_back(std::move(statement));
  return static_cast<StatementId>(model_.statements.size() - 1);
}

ExpressionId ExpressionLowering::constant(int32_t value) {
  Expression expression;
  expression.value = value;
  return add(std::move(expression));
}

ExpressionId ExpressionLowering::leaf(Operator op) {
  Expression expression;
  expression.op = op;
  return add(std::move(expression));
}

ExpressionId ExpressionLowering::negation(ExpressionId operand) {
  Expression expression;
  expression.op = Operator::kNot;
  expression.operands = {operand};
  return add(std::move(expression));
}

ExpressionId ExpressionLowering::binary(Operator op, ExpressionId left, ExpressionId right) {
  Expression expression;
  expression.op = op;
  expression.operands = {left, right};
  return add(std::move(expression));
}

// ---------------------------------------------------------------------------------------------------- references

VariableReference ExpressionLowering::reference(const ast::VariableRef& variable) {
  return reference(variable, [this](const ast::Expression& index) { return lower(index); });
}

VariableReference ExpressionLowering::reference(const ast::VariableRef& variable, const LowerIndex& lower_index) {
  const Symbol* last = nullptr;
  VariableReference result = reference(variable, lower_index, &last);
  result.type = last->type;
  return result;
}

VariableReference ExpressionLowering::reference(const ast::VariableRef& variable, const LowerIndex& lower_index,
                                                const Symbol** last) {
  CHECK(variable.symbol != nullptr);  // sema resolved every name, or reported it
  const Symbol& root = *variable.symbol;
  VariableReference result;
  result.space = root.proctype >= 0 ? Space::kLocal : Space::kGlobal;
  for (const ast::VariableRef* part = &variable; part != nullptr; part = part->field.get()) {
    DCHECK(part->symbol != nullptr);
    const Symbol& symbol = *part->symbol;
    *last = &symbol;
    result.offset += symbol.offset;
    result.variable += symbol.first_leaf;
    if (!part->index || !symbol.is_array) continue;
    const uint32_t stride = symbol.element_bytes();
    if (part->index->kind == ExpressionKind::kNumber && part->index->value >= 0 &&
        static_cast<uint32_t>(part->index->value) < symbol.count) {
      result.offset += static_cast<uint32_t>(part->index->value) * stride;
    } else {
      result.indices.push_back({lower_index(*part->index), symbol.count, stride});
    }
  }
  return result;
}

void ExpressionLowering::append_leaves(const Symbol& symbol, VariableReference base,
                                       std::vector<VariableReference>& out) {
  for (uint32_t i = 0; i < symbol.count; ++i) {
    if (symbol.structure == nullptr) {
      out.push_back(base);
      out.back().type = symbol.type;
    } else {
      for (const Symbol& field : symbol.structure->fields) {
        VariableReference inner = base;
        inner.offset += field.offset;
        inner.variable += field.first_leaf;
        append_leaves(field, std::move(inner), out);
      }
    }
    base.offset += symbol.element_bytes();
  }
}

std::vector<VariableReference> ExpressionLowering::flatten(const ast::VariableRef& variable) {
  const Symbol* last = nullptr;
  VariableReference base = reference(
      variable, [this](const ast::Expression& index) { return lower(index); }, &last);
  std::vector<VariableReference> leaves;
  const ast::VariableRef* innermost = &variable;
  while (innermost->field) innermost = innermost->field.get();
  Symbol one = *last;
  if (innermost->index) one.count = 1;
  append_leaves(one, std::move(base), leaves);
  return leaves;
}

std::vector<VariableReference> ExpressionLowering::flatten(const Symbol& symbol) {
  VariableReference base;
  base.space = symbol.proctype >= 0 ? Space::kLocal : Space::kGlobal;
  base.offset = symbol.offset;
  base.variable = symbol.first_leaf;
  std::vector<VariableReference> leaves;
  append_leaves(symbol, std::move(base), leaves);
  return leaves;
}

// ---------------------------------------------------------------------------------------------------- expressions

ExpressionId ExpressionLowering::lower_variable(const ast::VariableRef& variable) {
  if (variable.name == "_pid") return context_ == Context::kClaim ? constant(0) : leaf(Operator::kOwnPid);
  if (variable.name == "_nr_pr") return leaf(Operator::kProcessCount);
  if (variable.name == "_last") return leaf(Operator::kLast);
  if (variable.name == "_priority") return context_ == Context::kClaim ? constant(1) : leaf(Operator::kOwnPriority);
  Expression expression;
  expression.op = Operator::kVariable;
  expression.reference = reference(variable);
  return add(std::move(expression));
}

ExpressionId ExpressionLowering::channel(const ast::VariableRef& variable) { return lower_variable(variable); }

ExpressionId ExpressionLowering::lower(const ast::Expression& e) {
  Expression result;
  switch (e.kind) {
    case ExpressionKind::kNumber: return constant(e.value);
    case ExpressionKind::kMtypeConstant:
      result.value = e.value;
      result.text = e.name;
      return add(std::move(result));
    case ExpressionKind::kVariable: return lower_variable(*e.variable);
    case ExpressionKind::kUnary:
    case ExpressionKind::kBinary: result.op = ir_operator(e.op); break;
    case ExpressionKind::kConditional: result.op = Operator::kConditional; break;
    case ExpressionKind::kChannelQuery:
      result.op = ir_operator(e.op);
      result.operands.push_back(channel(*e.variable));
      break;
    case ExpressionKind::kPoll:
      result.op = Operator::kPoll;
      result.flag = e.random;
      result.operands.push_back(channel(*e.variable));
      result.arguments = arguments(e.arguments);
      break;
    case ExpressionKind::kRun:
      result.op = Operator::kRun;
      result.proctype = names_.proctype_id(e.name);
      result.value = e.value;
      result.operands = arguments(e.operands);
      return add(std::move(result));
    case ExpressionKind::kEnabled: result.op = Operator::kEnabled; break;
    case ExpressionKind::kPcValue: result.op = Operator::kLocationOf; break;
    case ExpressionKind::kGetPriority: result.op = Operator::kPriorityOf; break;
    case ExpressionKind::kTimeout: result.op = Operator::kTimeout; break;
    case ExpressionKind::kNonProgress: result.op = Operator::kNonProgress; break;
    case ExpressionKind::kRemoteLabel:
      result.op = Operator::kRemoteLocation;
      result.proctype = names_.proctype_id(e.name);
      result.value = names_.label_state(e.name, e.label);
      break;
    case ExpressionKind::kRemoteVariable:
      result.op = Operator::kRemoteVariable;
      result.proctype = names_.proctype_id(e.name);
      result.reference = reference(*e.variable);
      break;
    case ExpressionKind::kEmbeddedC:
      result.op = Operator::kEmbeddedC;
      result.text = e.name;
      break;
    case ExpressionKind::kExists: return exists(guard(e.targets, *e.operands[0]));
    case ExpressionKind::kTemporal: {  // in an atom: a -> b is !a || b, a <-> b is !a == !b; others are refused
                                       // before
      CHECK(e.op == ast::Op::kImplies || e.op == ast::Op::kEquivalent);
      const ExpressionId left = negation(lower(*e.operands[0])), right = lower(*e.operands[1]);
      return e.op == ast::Op::kImplies ? binary(Operator::kOr, left, right)
                                       : binary(Operator::kEqual, left, negation(right));
    }
    case ExpressionKind::kList: return constant(0);  // refused before
  }
  for (const ast::ExpressionPtr& operand : e.operands) result.operands.push_back(lower(*operand));
  return add(std::move(result));
}

std::vector<ExpressionId> ExpressionLowering::arguments(const std::vector<ast::ExpressionPtr>& arguments) {
  std::vector<ExpressionId> result;
  for (const ast::ExpressionPtr& argument : arguments) append_argument(*argument, result);
  return result;
}

void ExpressionLowering::append_argument(const ast::Expression& argument, std::vector<ExpressionId>& out) {
  if (argument.kind != ExpressionKind::kVariable || argument.variable->symbol == nullptr) {
    out.push_back(lower(argument));
    return;
  }
  for (VariableReference& leaf_reference : flatten(*argument.variable)) {
    Expression expression;
    expression.op = Operator::kVariable;
    expression.reference = std::move(leaf_reference);
    out.push_back(add(std::move(expression)));
  }
}

std::vector<ReceiveArgument> ExpressionLowering::arguments(const std::vector<ast::ReceiveArg>& arguments) {
  std::vector<ReceiveArgument> result;
  for (const ast::ReceiveArg& argument : arguments) {
    ReceiveArgument lowered;
    if (argument.kind != ast::ReceiveArg::Kind::kVariable) {
      lowered.kind = ReceiveArgument::Kind::kMatch;
      lowered.match = lower(*argument.value);
      result.push_back(std::move(lowered));
    } else if (argument.variable->name == "_") {
      result.push_back(std::move(lowered));
    } else {
      for (VariableReference& leaf_reference : flatten(*argument.variable)) {
        if (context_ != Context::kTrace) {  // where nothing is stored
          lowered.kind = ReceiveArgument::Kind::kStore;
          lowered.store = std::move(leaf_reference);
        }
        result.push_back(lowered);
      }
    }
  }
  return result;
}

// As in SPIN, whatever is no plain constant stands for any value; a structure, for its fields.
std::vector<ReceiveArgument> ExpressionLowering::patterns(const std::vector<ast::ExpressionPtr>& message) {
  std::vector<ReceiveArgument> result;
  for (const ast::ExpressionPtr& part : message) {
    if (part->kind == ExpressionKind::kNumber || part->kind == ExpressionKind::kMtypeConstant) {
      result.push_back({ReceiveArgument::Kind::kMatch, lower(*part), {}});
    } else {
      const bool variable = part->kind == ExpressionKind::kVariable && part->variable->symbol != nullptr;
      result.resize(result.size() + (variable ? flatten(*part->variable).size() : 1));
    }
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------- statements

StatementId ExpressionLowering::lower(const ast::Statement& s) {
  Statement result;
  result.place = s.location.place;
  result.text = statement_text(s);
  switch (s.kind) {
    case ast::StatementKind::kElse: result.kind = ::cmc::StatementKind::kElse; break;
    case ast::StatementKind::kAssign:
      DCHECK(s.variable != nullptr && s.expression != nullptr);
      if (s.variable->name == "_priority") {
        result.kind = ::cmc::StatementKind::kSetPriority;
        result.operands = {leaf(Operator::kOwnPid), lower(*s.expression)};
        break;
      }
      result.kind = ::cmc::StatementKind::kAssign;
      result.discard_target = s.variable->name == "_";
      if (!result.discard_target) result.target = reference(*s.variable);
      result.expression = lower(*s.expression);
      break;
    case ast::StatementKind::kSend:
      result.kind = ::cmc::StatementKind::kSend;
      result.flag = s.sorted;
      result.channel = channel(*s.variable);
      if (context_ == Context::kTrace) {
        result.arguments = patterns(s.operands);
      } else {
        result.operands = arguments(s.operands);
      }
      break;
    case ast::StatementKind::kReceive:
      result.kind = ::cmc::StatementKind::kReceive;
      result.flag = s.random;
      result.poll = s.poll;
      result.channel = channel(*s.variable);
      result.arguments = arguments(s.arguments);
      break;
    case ast::StatementKind::kExpression:
      if (s.expression->kind == ExpressionKind::kNumber && s.expression->value == 1) break;  // skip
      result.kind = ::cmc::StatementKind::kCondition;
      result.expression = lower(*s.expression);
      break;
    case ast::StatementKind::kAssert:
      result.kind = ::cmc::StatementKind::kAssert;
      result.expression = lower(*s.expression);
      break;
    case ast::StatementKind::kPrintf:
      result.kind = ::cmc::StatementKind::kPrintf;
      result.format = unquoted(s.text);
      for (const ast::ExpressionPtr& operand : s.operands) result.operands.push_back(lower(*operand));
      break;
    case ast::StatementKind::kPrintm:
      result.kind = ::cmc::StatementKind::kPrintm;
      result.expression = lower(*s.expression);
      if (s.expression->kind == ExpressionKind::kVariable && s.expression->variable->symbol != nullptr) {
        result.mtype_set = reference(*s.expression->variable).type.mtype_set;
      } else if (s.expression->kind == ExpressionKind::kMtypeConstant) {
        for (size_t set = 0; set < model_.mtype_sets.size(); ++set) {
          for (const std::string& name : model_.mtype_sets[set]) {
            if (name == s.expression->name) result.mtype_set = static_cast<uint8_t>(set);
          }
        }
      }
      break;
    case ast::StatementKind::kSetPriority:
      result.kind = ::cmc::StatementKind::kSetPriority;
      DCHECK(s.operands.size() == 2);
      result.operands = {lower(*s.operands[0]), lower(*s.operands[1])};
      break;
    case ast::StatementKind::kEmbeddedC: result.kind = ::cmc::StatementKind::kEmbeddedC; break;
    case ast::StatementKind::kChoose:
      result.kind = ::cmc::StatementKind::kChoose;
      result.flag = s.least;
      result.most_witnesses = s.most_witnesses;
      result.guard_number = guard(s.targets, *s.expression);
      for (const ast::GuardTarget& target : s.targets) result.targets.push_back(reference(*target.variable));
      break;
    default: break;  // jumps
  }
  return add(std::move(result));
}

std::string statement_text(const ast::Statement& s) {
  const auto list = [](const std::vector<ast::ExpressionPtr>& expressions) {
    std::string text;
    for (const ast::ExpressionPtr& expression : expressions) text += (text.empty() ? "" : ",") + to_text(*expression);
    return text;
  };
  switch (s.kind) {
    case ast::StatementKind::kAssign: return to_text(*s.variable) + " = " + to_text(*s.expression);
    case ast::StatementKind::kSend: return to_text(*s.variable) + (s.sorted ? "!!" : "!") + list(s.operands);
    case ast::StatementKind::kReceive:
      return to_text(*s.variable) + (s.random ? "??" : "?") + (s.poll ? "<" : "") + to_text(s.arguments) +
             (s.poll ? ">" : "");
    case ast::StatementKind::kExpression: {
      const std::string text = to_text(*s.expression);
      return text.starts_with('(') ? text : "(" + text + ")";
    }
    case ast::StatementKind::kElse: return "else";
    case ast::StatementKind::kAssert: return "assert(" + to_text(*s.expression) + ")";
    case ast::StatementKind::kPrintf:
      return "printf(" + s.text + (s.operands.empty() ? "" : "," + list(s.operands)) + ")";
    case ast::StatementKind::kPrintm: return "printm(" + to_text(*s.expression) + ")";
    case ast::StatementKind::kSetPriority: return "set_priority(" + list(s.operands) + ")";
    case ast::StatementKind::kIf: return "if";
    case ast::StatementKind::kDo:
    case ast::StatementKind::kSelect: return "do";
    case ast::StatementKind::kFor: return "for";
    case ast::StatementKind::kBreak: return "break";
    case ast::StatementKind::kGoto: return "goto " + s.label;
    case ast::StatementKind::kAtomic: return "atomic";
    case ast::StatementKind::kDStep: return "d_step";
    case ast::StatementKind::kUnless: return "unless";
    case ast::StatementKind::kEmbeddedC: return "c_code {" + s.text + "}";
    case ast::StatementKind::kChoose:
      return (s.least ? "least (" : "choose (") + to_text(s.targets) + ") where (" + to_text(*s.expression) + ")" +
             (s.most_witnesses > 0 ? " max " + std::to_string(s.most_witnesses) : "");
    case ast::StatementKind::kLabel: return s.label + ":";
    case ast::StatementKind::kBlock: return "{...}";
    default: return "";
  }
}

}  // namespace cmc::promela
