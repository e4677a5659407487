#include "promela/syntax/ast.h"

#include <algorithm>

namespace cmc::promela {

namespace ast {

bool is_connective(const Expression& expression) {
  return expression.kind == ExpressionKind::kTemporal ||
         (expression.op == Op::kNot && expression.kind == ExpressionKind::kUnary) ||
         (expression.kind == ExpressionKind::kBinary && (expression.op == Op::kAnd || expression.op == Op::kOr));
}

std::unique_ptr<VariableRef> clone(const VariableRef& variable) {
  auto result = std::make_unique<VariableRef>();
  result->name = variable.name;
  result->location = variable.location;
  result->symbol = variable.symbol;
  result->target = variable.target;
  if (variable.index) result->index = clone(*variable.index);
  if (variable.field) result->field = clone(*variable.field);
  return result;
}

std::unique_ptr<Expression> clone(const Expression& expression) {
  auto result = std::make_unique<Expression>();
  result->kind = expression.kind;
  result->op = expression.op;
  result->random = expression.random;
  result->value = expression.value;
  result->depth = expression.depth;
  result->location = expression.location;
  result->name = expression.name;
  result->label = expression.label;
  for (const ExpressionPtr& operand : expression.operands) result->operands.push_back(clone(*operand));
  if (expression.variable) result->variable = clone(*expression.variable);
  for (const ReceiveArg& argument : expression.arguments) {
    result->arguments.push_back({argument.kind, argument.variable ? clone(*argument.variable) : nullptr,
                                 argument.value ? clone(*argument.value) : nullptr});
  }
  for (const GuardTarget& target : expression.targets) {
    result->targets.push_back({clone(*target.variable), clone(*target.low), clone(*target.high)});
  }
  return result;
}

bool depends_on_target(const VariableRef& variable) {
  return variable.target >= 0 || (variable.index && depends_on_target(*variable.index)) ||
         (variable.field && depends_on_target(*variable.field));
}

bool depends_on_target(const Expression& expression) {
  return (expression.variable && depends_on_target(*expression.variable)) ||
         std::ranges::any_of(expression.operands, [](const auto& operand) { return depends_on_target(*operand); }) ||
         std::ranges::any_of(expression.arguments, [](const ReceiveArg& argument) {
           return (argument.variable && depends_on_target(*argument.variable)) ||
                  (argument.value && depends_on_target(*argument.value));
         });
}

}  // namespace ast

std::string_view spelling(ast::Op op) {
#define CMC_SPELLING(name, text) text
  static constexpr std::string_view kTexts[] = {"", CMC_UNARY_OPERATORS(CMC_SPELLING),
                                                CMC_BINARY_OPERATORS(CMC_SPELLING), CMC_CHANNEL_QUERIES(CMC_SPELLING),
                                                CMC_TEMPORAL_OPERATORS(CMC_SPELLING)};
#undef CMC_SPELLING
  return kTexts[static_cast<size_t>(op)];
}

std::string to_text(const ast::VariableRef& variable) {
  std::string text = variable.name;
  if (variable.index) text += "[" + to_text(*variable.index) + "]";
  if (variable.field) text += "." + to_text(*variable.field);
  return text;
}

std::string to_text(const std::vector<ast::ReceiveArg>& arguments) {
  std::string text;
  for (const ast::ReceiveArg& argument : arguments) {
    if (!text.empty()) text += ",";
    switch (argument.kind) {
      case ast::ReceiveArg::Kind::kVariable: text += to_text(*argument.variable); break;
      case ast::ReceiveArg::Kind::kEval: text += "eval(" + to_text(*argument.value) + ")"; break;
      case ast::ReceiveArg::Kind::kConstant: text += to_text(*argument.value); break;
    }
  }
  return text;
}

std::string to_text(const std::vector<ast::GuardTarget>& targets) {
  std::string text;
  for (const ast::GuardTarget& target : targets) {
    if (!text.empty()) text += ", ";
    text += to_text(*target.variable) + ": " + to_text(*target.low) + " .. " + to_text(*target.high);
  }
  return text;
}

namespace {

std::string joined(const std::vector<ast::ExpressionPtr>& expressions) {
  std::string text;
  for (const ast::ExpressionPtr& expression : expressions) {
    if (!text.empty()) text += ",";
    text += to_text(*expression);
  }
  return text;
}

}  // namespace

std::string to_text(const ast::Expression& e) {
  using Kind = ast::ExpressionKind;
  switch (e.kind) {
    case Kind::kNumber: return std::to_string(e.value);
    case Kind::kMtypeConstant: return e.name;
    case Kind::kVariable: return to_text(*e.variable);
    case Kind::kUnary: return std::string(spelling(e.op)) + "(" + to_text(*e.operands[0]) + ")";
    case Kind::kBinary:
      return "(" + to_text(*e.operands[0]) + std::string(spelling(e.op)) + to_text(*e.operands[1]) + ")";
    case Kind::kConditional:
      return "( (" + to_text(*e.operands[0]) + ") -> (" + to_text(*e.operands[1]) + ") : (" +
             to_text(*e.operands[2]) + ") )";
    case Kind::kChannelQuery: return std::string(spelling(e.op)) + "(" + to_text(*e.variable) + ")";
    case Kind::kPoll: return to_text(*e.variable) + (e.random ? "??[" : "?[") + to_text(e.arguments) + "]";
    case Kind::kRun: return "run " + e.name + "(" + joined(e.operands) + ")";
    case Kind::kEnabled: return "enabled(" + joined(e.operands) + ")";
    case Kind::kPcValue: return "pc_value(" + joined(e.operands) + ")";
    case Kind::kGetPriority: return "get_priority(" + joined(e.operands) + ")";
    case Kind::kTimeout: return "timeout";
    case Kind::kNonProgress: return "np_";
    case Kind::kRemoteLabel:
      return e.name + (e.operands.empty() ? "" : "[" + joined(e.operands) + "]") + "@" + e.label;
    case Kind::kRemoteVariable:
      return e.name + (e.operands.empty() ? "" : "[" + joined(e.operands) + "]") + ":" + to_text(*e.variable);
    case Kind::kEmbeddedC: return "c_expr { " + e.name + " }";
    case Kind::kTemporal:
      if (e.operands.size() == 1) return std::string(spelling(e.op)) + " (" + to_text(*e.operands[0]) + ")";
      return "(" + to_text(*e.operands[0]) + " " + std::string(spelling(e.op)) + " " + to_text(*e.operands[1]) + ")";
    case Kind::kExists: return "exists (" + to_text(e.targets) + ") (" + to_text(*e.operands[0]) + ")";
    case Kind::kList: return "{" + joined(e.operands) + "}";
  }
  return "";
}

}  // namespace cmc::promela
