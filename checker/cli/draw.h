#pragma once

#include <atomic>
#include <span>
#include <string>

#include "base/result.h"
#include "checker/report/style/plot.h"

namespace cmc {

// Draws every plot into the folder, which is made: NAME.svg, NAME.png and the script that gnuplot drew them from,
// NAME.gp. Error: gnuplot is missing or fails, a file cannot be written. Stops when interrupted.
[[nodiscard]] Status draw_plots(std::span<const Plot> plots, const std::string& folder,
                                const std::atomic<bool>& interrupted);

}  // namespace cmc
