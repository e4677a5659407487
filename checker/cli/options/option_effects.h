#pragma once

#include <vector>

#include "base/result.h"
#include "checker/cli/options/options.h"
#include "checker/report/tune/tune_table.h"

namespace cmc {

// Error: an option of check has no effect beside the others. `check` would be told something that it cannot do, and
// runs of `tune` would differ by chance only. `settings`: the options of one check, or the lists of a grid.
[[nodiscard]] Status check_effects(Command command, const std::vector<TuneSetting>& settings);

}  // namespace cmc
