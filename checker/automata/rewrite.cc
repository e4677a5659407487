#include "checker/automata/rewrite.h"

#include <algorithm>
#include <cstddef>

namespace cmc::automata {

namespace {

constexpr FormulaId kNone = 0xffffffff;

}  // namespace

bool Rewriter::implies(FormulaId left, FormulaId right) {
  if (left == right || left == kFalse || right == kTrue) return true;
  if (left == kTrue || right == kFalse) return false;
  const auto known = implications_.find({left, right});
  if (known != implications_.end()) return known->second;
  return implications_[{left, right}] = find_implication(left, right);
}

bool Rewriter::find_implication(FormulaId left, FormulaId right) {
  const std::vector<FormulaId>& lefts = formulas_[left].operands;
  const std::vector<FormulaId>& rights = formulas_[right].operands;
  const auto implies_right = [&](FormulaId id) { return implies(id, right); };
  const auto implied_by_left = [&](FormulaId id) { return implies(left, id); };
  const Op left_op = formulas_.op(left);
  const Op right_op = formulas_.op(right);
  if (left_op == Op::kOr) return std::all_of(lefts.begin(), lefts.end(), implies_right);
  if (right_op == Op::kAnd) return std::all_of(rights.begin(), rights.end(), implied_by_left);
  if (left_op == Op::kAnd && std::any_of(lefts.begin(), lefts.end(), implies_right)) return true;
  if (right_op == Op::kOr && std::any_of(rights.begin(), rights.end(), implied_by_left)) return true;

  // Temporal operators are monotone.
  const bool temporal = left_op == Op::kNext || left_op == Op::kUntil || left_op == Op::kRelease;
  if (temporal && left_op == right_op &&
      std::equal(lefts.begin(), lefts.end(), rights.begin(),
                 [&](FormulaId l, FormulaId r) { return implies(l, r); })) {
    return true;
  }
  // a U b implies a or b. An eventual formula follows from what implies it at a later position.
  if (left_op == Op::kUntil && implies(lefts[1], right) && (formulas_.is_eventual(right) || implies(lefts[0], right)))
    return true;
  if (left_op == Op::kNext && formulas_.is_eventual(right) && implies(lefts[0], right)) return true;
  if (left_op == Op::kRelease && implies(lefts[1], right)) return true;
  // And the duals.
  if (right_op == Op::kRelease && implies(left, rights[1]) &&
      (formulas_.is_universal(left) || implies(left, rights[0])))
    return true;
  if (right_op == Op::kNext && formulas_.is_universal(left) && implies(left, rights[0])) return true;
  return right_op == Op::kUntil && implies(left, rights[1]);
}

FormulaId Rewriter::make(Op op, std::vector<FormulaId> operands) {
  return formulas_.intern({op, false, 0, std::move(operands)});
}

std::vector<FormulaId> Rewriter::negations(std::vector<FormulaId> ids) {
  for (FormulaId& id : ids) id = formulas_.negation(id);
  return ids;
}

FormulaId Rewriter::any_of(std::vector<FormulaId> operands) {
  return formulas_.negation(all_of(negations(std::move(operands))));
}

FormulaId Rewriter::release(FormulaId left, FormulaId right) {
  return formulas_.negation(until(formulas_.negation(left), formulas_.negation(right)));
}

FormulaId Rewriter::all_of(std::vector<FormulaId> operands) {
  do {
    std::vector<FormulaId> flat;
    for (const FormulaId id : operands) {
      if (formulas_.op(id) == Op::kAnd) {
        const std::vector<FormulaId>& inner = formulas_[id].operands;
        flat.insert(flat.end(), inner.begin(), inner.end());
      } else {
        flat.push_back(id);
      }
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    operands = std::move(flat);
    if (!absorb(operands)) return kFalse;
  } while (propagate_one(operands) || merge_one(operands));
  if (operands.empty()) return kTrue;
  return operands.size() == 1 ? operands[0] : make(Op::kAnd, std::move(operands));
}

bool Rewriter::absorb(std::vector<FormulaId>& operands) {
  std::vector<FormulaId> kept;
  for (const FormulaId id : operands) {
    const auto implies_id = [&](FormulaId other) { return implies(other, id); };
    if (id == kFalse) return false;
    for (const FormulaId other : operands) {
      if (other < id && implies(other, formulas_.negation(id))) return false;
    }
    // Of two that imply each other the first one stays.
    if (std::any_of(kept.begin(), kept.end(), implies_id)) continue;
    std::erase_if(kept, [&](FormulaId other) { return implies(id, other); });
    kept.push_back(id);
  }
  operands = std::move(kept);
  return true;
}

// Takes an operand of a disjunction away that another operand contradicts.
bool Rewriter::propagate_one(std::vector<FormulaId>& operands) {
  for (FormulaId& id : operands) {
    if (formulas_.op(id) != Op::kOr) continue;
    std::vector<FormulaId> possible = formulas_[id].operands;
    std::erase_if(possible, [&](FormulaId part) {
      const FormulaId opposite = formulas_.negation(part);
      return std::ranges::any_of(operands, [&](FormulaId other) { return other != id && implies(other, opposite); });
    });
    if (possible.size() == formulas_[id].operands.size()) continue;
    id = any_of(std::move(possible));
    return true;
  }
  return false;
}

// Replaces two operands by one formula that says the same.
bool Rewriter::merge_one(std::vector<FormulaId>& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = i + 1; j < operands.size(); ++j) {
      const FormulaId both = merged(operands[i], operands[j]);
      if (both == kNone) continue;
      operands.erase(operands.begin() + static_cast<ptrdiff_t>(j));
      operands[i] = both;
      return true;
    }
  }
  return false;
}

FormulaId Rewriter::merged(FormulaId first, FormulaId second) {
  const Op op = formulas_.op(first);
  if (op == Op::kRelease && formulas_.op(second) == Op::kUntil) return merged(second, first);
  if (formulas_.is_eventually(first) && formulas_.op(second) == Op::kRelease &&
      formulas_.operand(first, 1) == formulas_.operand(second, 0)) {
    const FormulaId right = formulas_.operand(second, 1);
    return until(right, all_of({formulas_.operand(first, 1), right}));
  }
  if (op != formulas_.op(second)) return kNone;
  const std::vector<FormulaId> a = formulas_[first].operands;
  const std::vector<FormulaId> b = formulas_[second].operands;
  if (op == Op::kNext) return next(all_of({a[0], b[0]}));
  if (op == Op::kRelease && a[0] == b[0]) return release(a[0], all_of({a[1], b[1]}));
  if (op == Op::kUntil && a[1] == b[1]) return until(all_of({a[0], b[0]}), a[1]);
  const bool both_stay = formulas_.is_eventually(first) && formulas_.is_eventually(second) &&
                         formulas_.is_universal(a[1]) && formulas_.is_universal(b[1]);
  return op == Op::kUntil && both_stay ? eventually(all_of({a[1], b[1]})) : kNone;
}

FormulaId Rewriter::next(FormulaId operand) {
  if (operand == kFalse || operand == kTrue || formulas_.is_suspendable(operand)) return operand;
  return make(Op::kNext, {operand});
}

FormulaId Rewriter::until(FormulaId left, FormulaId right) {
  if (left == kFalse || formulas_.is_eventual(right) || implies(left, right)) return right;
  left = smaller_left(left, right);
  if (left == kFalse) return right;
  const Op left_op = formulas_.op(left);
  const Op right_op = formulas_.op(right);
  if (right_op == Op::kNext && (left == kTrue || left_op == Op::kNext)) {
    const FormulaId inner = left == kTrue ? kTrue : formulas_.operand(left, 0);
    return next(until(inner, formulas_.operand(right, 0)));
  }
  if (right_op == Op::kUntil) {
    const FormulaId middle = formulas_.operand(right, 0);
    if (implies(left, middle)) return right;
    if (implies(middle, left)) return until(left, formulas_.operand(right, 1));
  }
  if (left_op == Op::kUntil && formulas_.operand(left, 1) == right) return left;
  if (right_op == Op::kOr) return until_disjunction(left, right);
  if (right_op == Op::kAnd) return until_conjunction(left, right);
  if (left == kTrue && formulas_.is_always(right)) return eventually_always(right);
  return make(Op::kUntil, {left, right});
}

// As long as `right` does not hold: what follows from that need not be said, and what contradicts it cannot be.
FormulaId Rewriter::smaller_left(FormulaId left, FormulaId right) {
  const FormulaId not_right = formulas_.negation(right);
  if (implies(not_right, left)) return kTrue;
  std::vector<FormulaId> operands = formulas_[left].operands;
  if (formulas_.op(left) == Op::kAnd) {
    std::erase_if(operands, [&](FormulaId id) { return implies(not_right, id); });
    return all_of(std::move(operands));
  }
  if (formulas_.op(left) == Op::kOr) {
    std::erase_if(operands, [&](FormulaId id) { return implies(id, right); });
    return any_of(std::move(operands));
  }
  return left;
}

// a U (b || e) is (a U b) || e if e is eventual.
FormulaId Rewriter::until_disjunction(FormulaId left, FormulaId right) {
  std::vector<FormulaId> eventual = formulas_[right].operands;
  const auto rest =
      std::partition(eventual.begin(), eventual.end(), [&](FormulaId id) { return formulas_.is_eventual(id); });
  if (rest == eventual.begin()) return make(Op::kUntil, {left, right});
  const std::vector<FormulaId> others(rest, eventual.end());
  eventual.erase(rest, eventual.end());
  eventual.push_back(until(left, any_of(others)));
  return any_of(std::move(eventual));
}

// a U (b && s) is (a U b) && s if s is suspendable.
FormulaId Rewriter::until_conjunction(FormulaId left, FormulaId right) {
  std::vector<FormulaId> suspendable = formulas_[right].operands;
  const auto rest = std::partition(suspendable.begin(), suspendable.end(),
                                   [&](FormulaId id) { return formulas_.is_suspendable(id); });
  if (rest == suspendable.begin()) return make(Op::kUntil, {left, right});
  const std::vector<FormulaId> others(rest, suspendable.end());
  suspendable.erase(rest, suspendable.end());
  suspendable.push_back(until(left, all_of(others)));
  return all_of(std::move(suspendable));
}

// F G (a && e) is F G a && G e if e is eventual.
FormulaId Rewriter::eventually_always(FormulaId always_operand) {
  const FormulaId operand = formulas_.operand(always_operand, 1);
  std::vector<FormulaId> parts = formulas_[operand].operands;
  const bool conjunction = formulas_.op(operand) == Op::kAnd;
  const auto rest =
      std::partition(parts.begin(), parts.end(), [&](FormulaId id) { return formulas_.is_eventual(id); });
  if (!conjunction || rest == parts.begin()) return make(Op::kUntil, {kTrue, always_operand});
  const std::vector<FormulaId> others(rest, parts.end());
  parts.erase(rest, parts.end());
  return all_of({eventually(always(all_of(others))), always(all_of(parts))});
}

}  // namespace cmc::automata
