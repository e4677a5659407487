#pragma once

#include <algorithm>
#include <string>
#include <variant>

#include "checker/report/report.h"

namespace cmc {

// Whether --trail-order asked for few switches between processes.
[[nodiscard]] inline bool is_ordered_by_switches(const RunDescription& run) {
  return std::ranges::any_of(run.options, [](const RunDescription::Option& option) {
    const auto* const value = std::get_if<std::string>(&option.value);
    return option.name == "trail_order" && value != nullptr && *value == "switches";
  });
}

}  // namespace cmc
