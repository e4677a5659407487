#include "checker/properties/atom_watcher.h"

#include <algorithm>

#include "checker/properties/formula_check.h"
#include "checker/reference/reference.h"

namespace cmc {

AtomWatcher::AtomWatcher(const Model& product, uint32_t formula)
    : product_(product), missing_(atoms_of(product, formula)) {
  std::erase_if(missing_, [&](ExpressionId atom) { return product.expressions[atom].op == Operator::kConstant; });
  done_ = missing_.empty();
}

void AtomWatcher::on_claim(ByteView state, bool timeout) {
  looked_.store(true, std::memory_order_relaxed);
  if (done_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  std::erase_if(missing_, [&](ExpressionId atom) {
    const auto value = evaluate_expressions(product_, state, kNoProcess, std::span(&atom, 1), timeout);
    return !value || value->front() != 0;
  });
  done_ = missing_.empty();
}

std::vector<ExpressionId> AtomWatcher::never_true() const {
  const std::scoped_lock lock(mutex_);
  return looked_ ? missing_ : std::vector<ExpressionId>();
}

}  // namespace cmc
