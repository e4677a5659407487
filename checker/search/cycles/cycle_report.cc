#include "checker/search/cycles/cycle_report.h"

#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/failed_check.h"

namespace cmc {

void report_found_cycle(SearchControl& control, const std::function<void()>& report) {
  const std::string failure = failed_check_in(report);
  if (failure.empty()) return;
  Reason reason = reason_of_bug("there seems to be a cycle, but no path shows it: " + failure);
  control.stop(reason.kind, std::move(reason.text));
}

void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model, const StateLasso& lasso) {
  CHECK(lasso.loop + 1 < lasso.states.size());
  const StateSequence stem = lasso.states.part(0, lasso.loop + 1);
  const StateSequence loop = lasso.states.part(lasso.loop, lasso.states.size());
  std::vector<Step> path;
  path.reserve(lasso.states.size() + 1);
  path = steps_along(product, stem, model.hidden_bytes, {}, std::move(path));
  const size_t loop_start = path.size();
  path = steps_along(product, loop, model.hidden_bytes, lasso.served, std::move(path));
  control.report_cycle(std::move(path), loop_start, lasso.states.size() - 1);
}

}  // namespace cmc
