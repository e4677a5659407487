#pragma once

#include <memory>

#include "checker/generator/generator.h"

// Step mode `spin`: hides the states inside an atomic sequence. When a process holds atomicity after a step, it goes
// on at once, along all its paths, until it gives atomicity up or blocks. The successors are the ends of these paths,
// each with the steps of its whole path. Paths are not merged: each counts as a transition, as SPIN counts them. An
// atomic sequence that returns to a state on its own path, or is longer than 10^6 steps, is cut there and sets
// endless_atomic or long_atomic. A sequence that returns loses nothing: what follows on that state is explored, with
// all its errors, from where it was on the path before.

namespace cmc {

[[nodiscard]] std::unique_ptr<SuccessorGenerator> close_atomic_chains(std::unique_ptr<SuccessorGenerator> generator,
                                                                      const Model& model);

}  // namespace cmc
