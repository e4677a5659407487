#include "checker/automata/atoms.h"

#include <algorithm>

#include "ir/condition.h"
#include "ir/constant.h"

namespace cmc::automata {

FormulaId Atoms::read(ExpressionId id) {
  if (const std::optional<int32_t> value = constant_value(model_, id)) return *value != 0 ? kTrue : kFalse;
  const Expression& e = model_.expressions[id];
  switch (e.op) {
    case Operator::kNot: return formulas_.negation(read(e.operands[0]));
    case Operator::kAnd:
    case Operator::kOr: {
      if (may_fail(model_, id)) return atom(id);
      const std::vector<FormulaId> parts = {read(e.operands[0]), read(e.operands[1])};
      return e.op == Operator::kAnd ? rewriter_.all_of(parts) : rewriter_.any_of(parts);
    }
    case Operator::kEqual:
    case Operator::kNotEqual: return read_equality(id);
    default: return atom(id);
  }
}

// x==0 is !x; x==1 is x if x is always 0 or 1.
FormulaId Atoms::read_equality(ExpressionId id) {
  const Expression& e = model_.expressions[id];
  for (size_t i = 0; i < 2; ++i) {
    const std::optional<int32_t> value = constant_value(model_, e.operands[i]);
    const ExpressionId other = e.operands[1 - i];
    if (!value || !(*value == 0 || (*value == 1 && is_boolean(other)))) continue;
    const bool same = (*value == 1) == (e.op == Operator::kEqual);
    return same ? read(other) : formulas_.negation(read(other));
  }
  return atom(id);
}

FormulaId Atoms::atom(ExpressionId id) {
  Literal literal = literal_of(id);
  const auto [place, is_new] =
      atoms_.try_emplace(std::move(literal.key), static_cast<AtomId>(expressions_.size()), literal.negated);
  if (is_new) expressions_.push_back(id);
  const auto& [number, negated] = place->second;
  return formulas_.literal(number, literal.negated != negated);
}

Atoms::Literal Atoms::literal_of(ExpressionId id) const {
  const Expression& e = model_.expressions[id];
  Literal literal;
  const auto binary = [&](Operator op, bool exchanged, bool negated) {
    literal.negated = negated;
    literal.key = {static_cast<uint32_t>(op)};
    append_structure(model_, e.operands[exchanged ? 1 : 0], literal.key);
    append_structure(model_, e.operands[exchanged ? 0 : 1], literal.key);
  };
  const auto unary = [&](Operator op, bool negated) {
    literal.negated = negated;
    literal.key = {static_cast<uint32_t>(op)};
    append_structure(model_, e.operands[0], literal.key);
  };
  switch (e.op) {
    case Operator::kLess: binary(Operator::kLess, false, false); break;
    case Operator::kGreater: binary(Operator::kLess, true, false); break;
    case Operator::kLessEqual: binary(Operator::kLess, true, true); break;
    case Operator::kGreaterEqual: binary(Operator::kLess, false, true); break;
    case Operator::kFull: unary(Operator::kFull, false); break;
    case Operator::kNotFull: unary(Operator::kFull, true); break;
    case Operator::kEmpty: unary(Operator::kEmpty, false); break;
    case Operator::kNotEmpty: unary(Operator::kEmpty, true); break;
    case Operator::kEqual:
    case Operator::kNotEqual: {
      binary(Operator::kEqual, false, e.op == Operator::kNotEqual);
      StructureKey exchanged = std::move(literal.key);
      binary(Operator::kEqual, true, e.op == Operator::kNotEqual);
      literal.key = std::min(literal.key, exchanged);
      break;
    }
    default: append_structure(model_, id, literal.key); break;
  }
  return literal;
}

bool Atoms::is_boolean(ExpressionId id) const {
  const Expression& e = model_.expressions[id];
  if (e.op == Operator::kVariable || e.op == Operator::kRemoteVariable) {
    return e.reference.type.bits == 1 && !e.reference.type.is_signed();
  }
  return e.op == Operator::kNot || e.op == Operator::kRemoteLocation ||
         (e.op >= Operator::kLess && e.op <= Operator::kOr) ||
         (e.op >= Operator::kFull && e.op <= Operator::kNotEmpty);
}

}  // namespace cmc::automata
