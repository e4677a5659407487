#pragma once

#include <cstdint>
#include <memory>

#include "checker/generator/generator.h"

// Reduction `dead-variables`: a local variable that will not be read again before it is overwritten is set to 0, so
// that states that differ only in it become one (as SPIN does by default; Holzmann, "The engineering of a model
// checker: the Gnu i-protocol case study revisited", 1999).
//
// Which variables are dead at a location follows from the usual backward data-flow analysis: a variable is live
// before an edge if the edge reads it, or if it is live at the edge's target and the edge does not overwrite it for
// certain. An array or a structure's field in an array counts as one variable that is never overwritten; what another
// process can see (remote references) and what a `provided` clause reads is always live.
//
// With DeadGlobals::kReset this is done, too, to globals that no expression reads but to count: only `x = x + ...`
// and `x = x - ...` read such an x. (What is overwritten before it is read is not looked for.) It is for searches
// without cycles: what is counted may grow for ever, so that a run need not come back to a state to which the search
// comes back.
//
// Why verdicts are kept: by definition no step of any process, now or later, depends on a dead variable, so the state
// with 0 in its place has the same future, step by step; also the errors are the same.

namespace cmc {

enum class DeadGlobals : uint8_t { kKept, kReset };

[[nodiscard]] std::unique_ptr<SuccessorGenerator> reset_dead_variables(std::unique_ptr<SuccessorGenerator> generator,
                                                                       const Model& model,
                                                                       DeadGlobals globals = DeadGlobals::kKept);

}  // namespace cmc
