#include "checker/search/lasso.h"

#include "base/check.h"

namespace cmc {

void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model,
                  std::span<const Bytes> states, size_t loop) {
  CHECK(loop + 1 < states.size());
  std::vector<Step> path = steps_along(product, states.first(loop + 1), model.hidden_bytes);
  const size_t loop_start = path.size();
  const std::vector<Step> back = steps_along(product, states.subspan(loop), model.hidden_bytes);
  path.insert(path.end(), back.begin(), back.end());
  control.report_cycle(std::move(path), loop_start);
}

}  // namespace cmc
