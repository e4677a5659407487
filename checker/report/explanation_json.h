#pragma once

#include <nlohmann/json_fwd.hpp>

#include "checker/report/explanation.h"

namespace cmc {

// `explanation[]`: sentences; `processes[]`: `process`, `pid`, `file`, `line`, `since` (a number of a step, 0: from
// the start), `waits_for[]`.
[[nodiscard]] nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace cmc
