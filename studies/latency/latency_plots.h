#pragma once

#include <vector>

#include "checker/report/style/plot.h"
#include "studies/latency/study.h"

namespace cmc {

// Of each channel its points, as scatter and histogram with the interval of the mean; the means of all as bars; the
// percentiles of all round trips; the medians by size. None: nothing was measured.
[[nodiscard]] std::vector<Plot> latency_plots(const latency::Study& study);

}  // namespace cmc
