#include "checker/spin/verifier_expression.h"

#include <optional>

#include <fmt/format.h>

#include "ir/print.h"

namespace cmc::spin {
namespace {

std::string negated(const std::string& text) { return " !(" + text + ")"; }

class Printer {
 public:
  Printer(const Model& model, const Proctype* proctype) : model_(model), proctype_(proctype) {}

  std::string text(ExpressionId id) {
    if (id >= model_.expressions.size() || depth_ > kMaxDepth) return "?";
    ++depth_;
    std::string result = text_of(model_.expressions[id], id);
    --depth_;
    return result;
  }

 private:
  static constexpr int kMaxDepth = 1'000;

  std::string text_of(const Expression& expression, ExpressionId id) {
    const auto operand = [&](size_t i) { return text(expression.operands.at(i)); };
    switch (expression.op) {
      case Operator::kConstant: return std::to_string(expression.value);  // also an mtype's
      case Operator::kNot: return negated(operand(0));
      case Operator::kNegate: return " -(" + operand(0) + ")";
      case Operator::kComplement: return " ~(" + operand(0) + ")";
      case Operator::kConditional: return fmt::format("( ({}) ? ({}) : ({}) )", operand(0), operand(1), operand(2));
      case Operator::kLength: return "q_len(" + operand(0) + ")";
      case Operator::kFull: return "q_full(" + operand(0) + ")";
      case Operator::kTimeout: return "((trpt->tau)&1)";
      default: break;
    }
    const char* const symbol = operator_symbol(expression.op);
    if (symbol == nullptr || expression.operands.size() != 2) return expression_text(model_, proctype_, id);
    return "(" + operand(0) + symbol + operand(1) + ")";
  }

  const Model& model_;
  const Proctype* proctype_;
  int depth_ = 0;
};

const Formula* node(const Model& model, uint32_t formula) {
  return formula < model.formulas.size() ? &model.formulas[formula] : nullptr;
}

// A formula without temporal operators as one expression; none: it has some.
std::optional<std::string> condition_text(const Model& model, uint32_t formula) {
  const Formula* const it = node(model, formula);
  if (it == nullptr) return std::nullopt;
  switch (it->op) {
    case Formula::Op::kTrue: return "1";
    case Formula::Op::kFalse: return "0";
    case Formula::Op::kAtom: return verifier_expression(model, nullptr, it->atom);
    default: break;
  }
  const std::optional<std::string> left = condition_text(model, it->left);
  if (!left) return std::nullopt;
  if (it->op == Formula::Op::kNot) return negated(*left);
  const std::optional<std::string> right = condition_text(model, it->right);
  if (!right) return std::nullopt;
  if (it->op == Formula::Op::kAnd) return fmt::format("({}&&{})", *left, *right);
  if (it->op == Formula::Op::kOr) return fmt::format("({}||{})", *left, *right);
  if (it->op == Formula::Op::kImplies) return fmt::format("({}||{})", negated(*left), *right);
  return std::nullopt;
}

// SPIN's parser takes conditions apart as it does formulas.
std::string parsed_condition(const Model& model, ExpressionId id) {
  const Expression& expression = model.expressions.at(id);
  const auto operand = [&](size_t i) { return parsed_condition(model, expression.operands.at(i)); };
  switch (expression.op) {
    case Operator::kNot: return fmt::format("! ({})", operand(0));
    case Operator::kAnd: return fmt::format("({}) && ({})", operand(0), operand(1));
    case Operator::kOr: return fmt::format("({}) || ({})", operand(0), operand(1));
    default: return expression_text(model, nullptr, id);
  }
}

}  // namespace

std::string verifier_expression(const Model& model, const Proctype* proctype, ExpressionId id) {
  return Printer(model, proctype).text(id);
}

std::string formula_violation(const Model& product, const Property& formula, ExpressionId last_condition) {
  const Formula* const root = node(product, formula.formula);
  if (root != nullptr && root->op == Formula::Op::kAlways) {
    if (const auto invariant = condition_text(product, root->left)) return negated(negated(*invariant));
  }
  return negated(verifier_expression(product, nullptr, last_condition));
}

std::string parsed_formula(const Model& model, uint32_t formula) {
  const Formula* const it = node(model, formula);
  if (it == nullptr) return "?";
  const auto unary = [&](const char* symbol) {
    return fmt::format("{} ({})", symbol, parsed_formula(model, it->left));
  };
  const auto binary = [&](const char* symbol) {
    return fmt::format("({}) {} ({})", parsed_formula(model, it->left), symbol, parsed_formula(model, it->right));
  };
  switch (it->op) {
    case Formula::Op::kTrue: return "1";
    case Formula::Op::kFalse: return "0";
    case Formula::Op::kAtom: return parsed_condition(model, it->atom);
    case Formula::Op::kNot: return unary("!");
    case Formula::Op::kAlways: return unary("[]");
    case Formula::Op::kEventually: return unary("<>");
    case Formula::Op::kNext: return unary("X");
    case Formula::Op::kAnd: return binary("&&");
    case Formula::Op::kOr: return binary("||");
    case Formula::Op::kEquivalent: return binary("<->");
    case Formula::Op::kUntil: return binary("U");
    case Formula::Op::kRelease: return binary("V");
    case Formula::Op::kImplies:
      return fmt::format("(! ({})) || ({})", parsed_formula(model, it->left), parsed_formula(model, it->right));
    case Formula::Op::kWeakUntil:
      return fmt::format("([] ({})) || ({})", parsed_formula(model, it->left), binary("U"));
  }
  return "?";
}

}  // namespace cmc::spin
