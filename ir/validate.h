#pragma once

#include <string>
#include <vector>

#include "ir/model.h"

// The invariants of a Model that generators rely on: every index exists, every offset lies inside its region and
// nothing overlaps, every edge leads somewhere, expressions have the operands that they need and are trees.
// A front end that produces a model that breaks one has a bug: promela::compile() calls this in debug builds, with
// `cmc check --check-generator` and in tests.

namespace cmc {

// One sentence per violated invariant; empty: the model is valid.
[[nodiscard]] std::vector<std::string> validate(const Model& model);

}  // namespace cmc
