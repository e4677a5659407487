#pragma once

#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "checker/generator/generator.h"
#include "ir/model.h"

// Whether a mutant does the same as its model, and if not, what it does instead.

namespace cmc::mutate {

// What is seen of a run: who moves, the values of all variables and channels behind each step, labels that a process
// is at and that properties look at, errors of steps, and whether a blocked state is a valid end.
struct Comparison {
  enum class Outcome : uint8_t {
    kEqual,      // there is a bisimulation between the reachable states: nobody can tell them apart
    kMore,       // `run` is one of the mutant, and the model has none that looks so
    kLess,       // the other way round; every run of the mutant is one of the model
    kSameRuns,   // the runs look the same, but choices are made at other times
    kUndecided,  // a limit was reached
  } outcome = Outcome::kUndecided;
  std::vector<Step> run;  // a shortest one; its last step is what only one of the two can do
};

struct ComparisonLimits {
  size_t most_nodes = 20'000;  // of each product
  double seconds = 10;
};

// No solver guards, claims or C code. The run is replayed by the reference interpreter on both before it is handed
// out.
[[nodiscard]] Comparison compare(const Model& model, const Model& mutant, const ComparisonLimits& limits);

}  // namespace cmc::mutate
