#pragma once

#include <span>
#include <vector>

#include "checker/report/logs/log_table.h"
#include "checker/report/style/plot.h"

namespace cmc {

// What can be drawn of the logs. For each: created states by size; with a time series visited, open and candidate
// states and memory over time, and, if there was a disk, pages over time. For all together: who decided the offers,
// and pages.
[[nodiscard]] std::vector<Plot> log_plots(std::span<const NamedLog> logs);

}  // namespace cmc
