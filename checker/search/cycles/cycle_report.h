#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "checker/result/control.h"
#include "checker/result/state_sequence.h"

namespace cmc {

// A run of a product that never ends: states, each a successor of the one before; the last one is state `loop` again.
struct StateLasso {
  StateSequence states;
  size_t loop = 0;
  // Bit pid of served[i]: in the step from state loop + i this process takes part, or it cannot move there. 0 or
  // nothing: it does not matter which of several steps to the same state it is.
  std::vector<uint64_t> served;
};

// Runs `report`, which makes the path of a cycle that was found, and reports it. If a CHECK fails there, the search
// ends without the cycle, and a reason says why.
void report_found_cycle(SearchControl& control, const std::function<void()>& report);

// Reports the lasso as an error with its path.
void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model, const StateLasso& lasso);

}  // namespace cmc
