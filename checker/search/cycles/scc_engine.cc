#include "checker/search/cycles/scc_engine.h"

namespace cmc {

uint32_t fair_processes(const Model& model, Fairness fairness) {
  if (fairness == Fairness::kNone) return 0;
  const bool runs =
      std::ranges::any_of(model.expressions, [](const Expression& each) { return each.op == Operator::kRun; });
  return runs ? kMostFairProcesses
              : std::min<uint32_t>(static_cast<uint32_t>(model.active.size()), kMostFairProcesses);
}

}  // namespace cmc
