#pragma once

#include <vector>

#include "checker/cli/options/options.h"
#include "checker/suite/suite.h"

namespace cmc {

// The cases of all models that options.paths name, in the order of the paths and, in folders, of the names. What
// cannot be tested (no such file, no `expect:` line, a line that is not understood) is a case that has its error
// already; cases that --slow leaves out say so. `checks` gets what each case's check is given, where it is known.
struct TestCases {
  std::vector<suite::Case> cases;
  std::vector<Options> checks;  // by case
};
[[nodiscard]] TestCases collect_cases(const TestOptions& options);

}  // namespace cmc
