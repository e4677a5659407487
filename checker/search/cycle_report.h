#pragma once

#include <vector>

#include "base/bytes.h"
#include "checker/search/control.h"

namespace cmc {

// A run of a product that never ends: states, each a successor of the one before; the last one is states[loop] again.
struct StateLasso {
  std::vector<Bytes> states;
  size_t loop = 0;
  // Bit pid of served[i]: in the step from states[loop + i] this process takes part, or it cannot move there. 0 or
  // nothing: it does not matter which of several steps to the same state it is.
  std::vector<uint64_t> served;
};

// The same cycle, or another accepting one, with a shorter way to it, as far as breadth-first searches through a
// bounded number of states find them (Gastin, Moro, Zeitoun, "Minimization of counterexamples in SPIN", 2004, go
// further). With `keep_loop` the loop keeps its states: it has to be fair.
[[nodiscard]] StateLasso shortened(StateLasso lasso, SuccessorGenerator& product, const Model& model, bool keep_loop);

// Reports the lasso as an error with its path.
void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model, const StateLasso& lasso);

}  // namespace cmc
