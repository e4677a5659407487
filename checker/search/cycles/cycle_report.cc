#include "checker/search/cycles/cycle_report.h"

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

void report_lasso(SearchContext& context, SuccessorGenerator& product, const StateSequence& states, size_t loop,
                  std::span<const uint64_t> served) {
  CHECK(loop + 1 < states.size());
  const uint32_t hidden_bytes = context.model.hidden_bytes;
  std::vector<Step> path = steps_along(product, states.part(0, loop + 1), hidden_bytes);
  const size_t loop_start = path.size();
  path = steps_along(product, states.part(loop, states.size()), hidden_bytes, served, std::move(path));
  context.control.report_cycle(std::move(path), loop_start, states.size() - 1);
}

}  // namespace cmc
