#pragma once

#include <memory>

#include "checker/generator/generator.h"

// Step mode `spin`: the states inside an atomic sequence are not handed out. Wherever a successor leaves a process in
// possession of atomicity, that process goes on at once, along all its paths, until it gives atomicity up or blocks;
// what is handed out is where each path ends, with the steps of the whole path. Paths are not merged: they count as
// transitions each, as SPIN counts them. An atomic sequence that returns to a state on its own path, or is longer
// than 10^6 steps, is cut there and sets endless_atomic or long_atomic. A sequence that returns loses nothing: what
// follows on that state is explored, with all its errors, from where it was on the path before.

namespace cmc {

[[nodiscard]] std::unique_ptr<SuccessorGenerator> close_atomic_chains(std::unique_ptr<SuccessorGenerator> generator,
                                                                      const Model& model);

}  // namespace cmc
