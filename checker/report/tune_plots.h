#pragma once

#include <vector>

#include "checker/report/plot.h"
#include "checker/report/tune_table.h"

namespace cmc {

// Time, memory, pages read and cache failures by the settings that are lists: lines for one list, heat maps for two,
// nothing for more. What no run tells has no plot.
[[nodiscard]] std::vector<Plot> tune_plots(const TuneTable& table);

}  // namespace cmc
