#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "solver-bridge/guard_oracle.h"

namespace cmc::solver {

// An InProcessOracle from the module beside this program: only who asks for it loads Z3 (25 MB, 5 ms). `clock` must
// outlive it.
[[nodiscard]] Result<std::unique_ptr<GuardOracle>> load_in_process_oracle(uint32_t rlimit, const Clock& clock);

}  // namespace cmc::solver
