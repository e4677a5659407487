#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "solver-bridge/oracle/guard_oracle.h"

namespace cmc::solver {

struct InProcessSolver {
  std::unique_ptr<GuardOracle> oracle;
  std::string z3_version;
};

// An InProcessOracle from the module beside this program: only who asks for it loads Z3 (25 MB, 5 ms). `clock` must
// outlive it. Error: the module is missing, or of another program.
[[nodiscard]] Result<InProcessSolver> load_in_process_oracle(uint32_t rlimit, const Clock& clock);

}  // namespace cmc::solver
