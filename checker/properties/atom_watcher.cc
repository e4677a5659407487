#include "checker/properties/atom_watcher.h"

#include "checker/properties/formula_check.h"
#include "checker/properties/warnings.h"
#include "checker/reference/reference.h"

namespace cmc {

namespace {

// How many variables, locations and channels an expression looks at; more than 1 if that is not known.
int looks(const Model& model, ExpressionId id) {
  const Expression& expression = model.expressions[id];
  int count = 0;
  for (const ExpressionId operand : expression.operands) count += looks(model, operand);
  for (const VariableReference::Index& index : expression.reference.indices)
    count += 2 * looks(model, index.expression);
  switch (expression.op) {
    case Operator::kVariable:
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable: return count + 1;
    case Operator::kTimeout:
    case Operator::kNonProgress:
    case Operator::kLast:
    case Operator::kEnabled:
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kExists:
    case Operator::kPoll:
    case Operator::kProcessCount: return count + 2;
    default: return count;
  }
}

}  // namespace

AtomWatcher::AtomWatcher(const Model& product, uint32_t formula)
    : product_(product), formula_(formula), missing_(atoms_of(product, formula)) {
  std::erase_if(missing_, [&](ExpressionId atom) { return looks(product, atom) != 1; });
}

// Whether the atom is true, or has no value.
bool AtomWatcher::is_settled(ByteView state, ExpressionId atom) const {
  const auto value = evaluate_expressions(product_, state, kNoProcess, std::span(&atom, 1));
  return !value || value->front() != 0;
}

void AtomWatcher::on_state(ByteView state) {
  if (done_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  // The state is decoded once for all of them, but if one has no value.
  const auto values = evaluate_expressions(product_, state, kNoProcess, missing_);
  size_t kept = 0;
  for (size_t i = 0; i < missing_.size(); ++i) {
    const ExpressionId atom = missing_[i];
    if (!(values ? (*values)[i] != 0 : is_settled(state, atom))) missing_[kept++] = atom;
  }
  missing_.resize(kept);
  if (++states_ == kPatience) forget_ruled_out();
  done_ = missing_.empty();
}

void AtomWatcher::forget_ruled_out() {
  std::erase_if(missing_, [&](ExpressionId atom) { return rules_out(product_, formula_, atom); });
}

std::vector<ExpressionId> AtomWatcher::never_true() {
  const std::scoped_lock lock(mutex_);
  if (states_ == 0) return {};
  forget_ruled_out();
  return missing_;
}

}  // namespace cmc
