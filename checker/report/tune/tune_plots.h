#pragma once

#include <vector>

#include "checker/report/style/plot.h"
#include "checker/report/tune/tune_table.h"

namespace cmc {

// Time, memory, bytes on disk, pages read and cache failures by the settings that are lists: lines for one list, a
// heat map for two, one for each value of the first for three, nothing for more. The best run is marked. What no run
// tells has no plot.
[[nodiscard]] std::vector<Plot> tune_plots(const TuneTable& table);

}  // namespace cmc
