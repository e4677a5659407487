#pragma once

#include <string>

#include "base/result.h"
#include "checker/cli/options.h"

// Values of the options of `cmc solver latency`.

namespace cmc {

// Lists with commas between the words.
[[nodiscard]] Status set_channels(Options& options, const std::string& list);
[[nodiscard]] Status set_sizes(Options& options, const std::string& list);
[[nodiscard]] Status set_placements(Options& options, const std::string& list);
// Whole numbers from 1 on.
[[nodiscard]] Status set_latency_count(Options& options, const std::string& text, uint32_t& count);
[[nodiscard]] Status set_peer(Options& options, const std::string& text);
[[nodiscard]] Status set_serve(Options& options, const std::string& text);

}  // namespace cmc
