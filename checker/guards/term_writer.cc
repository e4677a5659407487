#include "checker/guards/term_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/print.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::guards {

using solver::smt2_constant;

namespace {

enum class Shape : uint8_t { kNumber, kTruth };  // of operands and of results

struct OperatorRow {
  Operator op;
  const char* form;  // {0}, {1}: the operands
  Shape operands;
  Shape result;
};

constexpr OperatorRow kUnary[] = {
    {Operator::kNegate, "(bvneg {0})", Shape::kNumber, Shape::kNumber},
    {Operator::kComplement, "(bvnot {0})", Shape::kNumber, Shape::kNumber},
    {Operator::kNot, "(not {0})", Shape::kTruth, Shape::kTruth},
};

constexpr OperatorRow kBinary[] = {
    {Operator::kAdd, "(bvadd {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kSubtract, "(bvsub {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kMultiply, "(bvmul {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kDivide, "(bvsdiv {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kModulo, "(bvsrem {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kBitAnd, "(bvand {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kBitOr, "(bvor {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kBitXor, "(bvxor {0} {1})", Shape::kNumber, Shape::kNumber},
    {Operator::kShiftLeft, "(bvshl {0} (bvand {1} #x0000001f))", Shape::kNumber, Shape::kNumber},
    {Operator::kShiftRight, "(bvashr {0} (bvand {1} #x0000001f))", Shape::kNumber, Shape::kNumber},
    {Operator::kLess, "(bvslt {0} {1})", Shape::kNumber, Shape::kTruth},
    {Operator::kLessEqual, "(bvsle {0} {1})", Shape::kNumber, Shape::kTruth},
    {Operator::kGreater, "(bvsgt {0} {1})", Shape::kNumber, Shape::kTruth},
    {Operator::kGreaterEqual, "(bvsge {0} {1})", Shape::kNumber, Shape::kTruth},
    {Operator::kEqual, "(= {0} {1})", Shape::kNumber, Shape::kTruth},
    {Operator::kNotEqual, "(distinct {0} {1})", Shape::kNumber, Shape::kTruth},
};

template <size_t n>
const OperatorRow* find(const OperatorRow (&table)[n], Operator op) {
  const auto* row = std::find_if(table, table + n, [op](const OperatorRow& each) { return each.op == op; });
  return row == table + n ? nullptr : row;
}

std::string choice(const std::string& condition, const std::string& then, const std::string& otherwise) {
  return then == otherwise ? then : fmt::format("(ite {} {} {})", condition, then, otherwise);
}

std::string has_quotient(const std::string& a, const std::string& b) {
  return fmt::format("(and (distinct {} #x00000000) (not (and (= {} {}) (= {} {}))))", b, a, smt2_constant(INT32_MIN),
                     b, smt2_constant(-1));
}

std::string operand(const Term& term, Shape shape) { return shape == Shape::kTruth ? term.truth() : term.number(); }

}  // namespace

std::string Term::number() const { return boolean ? fmt::format("(ite {} #x00000001 #x00000000)", text) : text; }

std::string Term::truth() const { return boolean ? text : fmt::format("(distinct {} #x00000000)", text); }

std::string all_of(const std::vector<std::string>& conditions) {
  std::vector<std::string> left;
  for (const std::string& each : conditions) {
    if (each != "true") left.push_back(each);
  }
  if (left.empty()) return "true";
  return left.size() == 1 ? left[0] : fmt::format("(and {})", fmt::join(left, " "));
}

Result<Term> TermWriter::write(ExpressionId id, std::span<const ExpressionId> parameters) {
  parameters_ = parameters;
  Term result = term(id);
  if (error_) return Error{*error_};
  return result;
}

Term TermWriter::fail(std::string why) {
  if (!error_) error_ = std::move(why);
  return {};
}

std::string TermWriter::define(const char* sort, std::string value) {
  const bool is_name = value.find('(') == std::string::npos;
  if (is_name) return value;
  std::string name = fmt::format("v{}", defined_++);
  definitions_ += fmt::format("(define-fun {} () {} {})\n", name, sort, value);
  return name;
}

Term TermWriter::define(std::string value, bool boolean, const std::vector<std::string>& conditions) {
  return {define(boolean ? "Bool" : "(_ BitVec 32)", std::move(value)), boolean, define("Bool", all_of(conditions))};
}

Term TermWriter::term(ExpressionId id) {
  if (error_) return {};
  const Expression& expression = model_.expressions[id];
  switch (expression.op) {
    case Operator::kConstant: return {smt2_constant(expression.value)};
    case Operator::kVariable: return indexed(id, expression.reference.offset);
    case Operator::kParameter: return indexed(id, static_cast<uint32_t>(expression.value));
    case Operator::kTarget: return symbol(id, static_cast<uint32_t>(expression.value));
    case Operator::kAnd:
    case Operator::kOr:
    case Operator::kConditional: return lazy(expression);
    default: break;
  }
  if (find(kUnary, expression.op) != nullptr) return unary(expression.op, term(expression.operands[0]));
  if (find(kBinary, expression.op) != nullptr) {
    const Term a = term(expression.operands[0]);
    return binary(expression, a, term(expression.operands[1]));
  }
  return symbol(id, 0);
}

Term TermWriter::leaf(ExpressionId id, uint32_t offset) {
  const bool is_known = model_.expressions[id].op == Operator::kParameter && !parameters_.empty();
  return is_known ? term(parameters_[offset]) : symbol(id, offset);
}

Term TermWriter::symbol(ExpressionId id, uint32_t offset) {
  if (std::optional<Term> known = symbols_.symbol(id, offset)) return *known;
  return fail("what a solver cannot be asked: " + expression_text(model_, nullptr, id));
}

Term TermWriter::unary(Operator op, const Term& a) {
  const OperatorRow& row = *find(kUnary, op);
  return define(fmt::format(fmt::runtime(row.form), operand(a, row.operands)), row.result == Shape::kTruth,
                {a.defined});
}

Term TermWriter::binary(const Expression& expression, const Term& a, const Term& b) {
  const OperatorRow& row = *find(kBinary, expression.op);
  std::vector<std::string> conditions = {a.defined, b.defined};
  if (expression.op == Operator::kDivide || expression.op == Operator::kModulo) {
    const Expression& divisor = model_.expressions[expression.operands[1]];
    const bool harmless = divisor.op == Operator::kConstant && divisor.value != 0 && divisor.value != -1;
    if (!harmless) conditions.push_back(has_quotient(a.number(), b.number()));
  }
  return define(fmt::format(fmt::runtime(row.form), operand(a, row.operands), operand(b, row.operands)),
                row.result == Shape::kTruth, conditions);
}

Term TermWriter::lazy(const Expression& expression) {
  const Term first = term(expression.operands[0]);
  const Term second = term(expression.operands[1]);
  const std::string truth = first.truth();
  if (expression.op == Operator::kConditional) {
    const Term third = term(expression.operands[2]);
    const bool boolean = second.boolean && third.boolean;
    return define(boolean ? choice(truth, second.text, third.text) : choice(truth, second.number(), third.number()),
                  boolean, {first.defined, choice(truth, second.defined, third.defined)});
  }
  const bool conjunction = expression.op == Operator::kAnd;
  const std::string skipped = conjunction ? fmt::format("(not {})", truth) : truth;
  return define(
      fmt::format("({} {} {})", conjunction ? "and" : "or", truth, second.truth()), true,
      {first.defined, second.defined == "true" ? "true" : fmt::format("(or {} {})", skipped, second.defined)});
}

Term TermWriter::indexed(ExpressionId id, uint32_t offset) {
  const std::vector<VariableReference::Index>& dimensions = model_.expressions[id].reference.indices;
  if (dimensions.empty()) return leaf(id, offset);
  std::vector<std::string> indices;
  std::vector<std::string> conditions;
  uint64_t count = 1;
  for (const VariableReference::Index& each : dimensions) {
    const Term index = term(each.expression);
    indices.push_back(index.number());
    conditions.push_back(index.defined);
    conditions.push_back(
        fmt::format("(bvult {} {})", indices.back(), smt2_constant(static_cast<int32_t>(each.count))));
    count = std::min(count * each.count, kMaxElements + 1);
  }
  elements_ += count;
  if (elements_ > kMaxElements) {
    return fail(fmt::format("more than {} elements of arrays are in question", kMaxElements));
  }
  const Term chosen = element(id, indices, 0, offset);
  conditions.push_back(chosen.defined);
  return define(chosen.text, false, conditions);
}

// Behind the first `dimension` indices.
Term TermWriter::element(ExpressionId id, const std::vector<std::string>& indices, size_t dimension,
                         uint32_t offset) {
  if (dimension == indices.size()) return leaf(id, offset);
  const VariableReference::Index& index = model_.expressions[id].reference.indices[dimension];
  return choose(indices[dimension], 0, index.count,
                [&](uint32_t number) { return element(id, indices, dimension + 1, offset + number * index.stride); });
}

// REQUIRES: low <= index < high. Halves keep the terms shallow.
Term TermWriter::choose(const std::string& index, uint32_t low, uint32_t high, const ElementAt& element_at) {
  if (low + 1 >= high) return element_at(low);
  const uint32_t middle = low + (high - low) / 2;
  const Term below = choose(index, low, middle, element_at);
  const Term above = choose(index, middle, high, element_at);
  const std::string is_below = fmt::format("(bvult {} {})", index, smt2_constant(static_cast<int32_t>(middle)));
  return {choice(is_below, below.number(), above.number()), false, choice(is_below, below.defined, above.defined)};
}

}  // namespace cmc::guards
