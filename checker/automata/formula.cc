#include "checker/automata/formula.h"

#include <algorithm>
#include <utility>

namespace cmc::automata {

namespace {

constexpr FormulaId kUnknown = 0xffffffff;

Formulas::Op dual(Formulas::Op op) {
  switch (op) {
    case Formulas::Op::kAnd: return Formulas::Op::kOr;
    case Formulas::Op::kOr: return Formulas::Op::kAnd;
    case Formulas::Op::kUntil: return Formulas::Op::kRelease;
    case Formulas::Op::kRelease: return Formulas::Op::kUntil;
    case Formulas::Op::kLiteral:
    case Formulas::Op::kNext: break;
  }
  return op;
}

}  // namespace

Formulas::Formulas() {
  intern({Op::kOr, false, 0, {}});   // kFalse
  intern({Op::kAnd, false, 0, {}});  // kTrue
}

FormulaId Formulas::intern(Node node) {
  const auto [place, is_new] = ids_.try_emplace(std::move(node), static_cast<FormulaId>(nodes_.size()));
  if (is_new) {
    nodes_.push_back(place->first);
    traits_.push_back(traits_of(place->first));
    negations_.push_back(kUnknown);
  }
  return place->second;
}

// Makes both literals of the atom, so that they have neighbouring numbers: texts show atoms in their order.
FormulaId Formulas::literal(AtomId atom, bool negated) {
  const FormulaId positive = intern({Op::kLiteral, false, atom, {}});
  const FormulaId negative = intern({Op::kLiteral, true, atom, {}});
  return negated ? negative : positive;
}

FormulaId Formulas::negation(FormulaId id) {
  if (negations_[id] != kUnknown) return negations_[id];
  Node node = nodes_[id];
  node.op = dual(node.op);
  if (node.op == Op::kLiteral) node.negated = !node.negated;
  for (FormulaId& operand : node.operands) operand = negation(operand);
  if (node.op == Op::kAnd || node.op == Op::kOr) std::sort(node.operands.begin(), node.operands.end());
  const FormulaId result = intern(std::move(node));
  negations_[id] = result;
  negations_[result] = id;
  return result;
}

Formulas::Traits Formulas::traits_of(const Node& node) const {
  if (node.op == Op::kLiteral) return {false, false};
  Traits traits;
  for (const FormulaId operand : node.operands) {
    traits.eventual = traits.eventual && traits_[operand].eventual;
    traits.universal = traits.universal && traits_[operand].universal;
  }
  if (node.op == Op::kAnd || node.op == Op::kOr || node.op == Op::kNext) return traits;
  // Of `a U b` and `a R b`, b alone decides; but eventually b is eventual, and always b is universal, whatever b is.
  const Traits& right = traits_[node.operands[1]];
  traits.eventual = right.eventual || (node.op == Op::kUntil && node.operands[0] == kTrue);
  traits.universal = right.universal || (node.op == Op::kRelease && node.operands[0] == kFalse);
  return traits;
}

}  // namespace cmc::automata
