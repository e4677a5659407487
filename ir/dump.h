#pragma once

#include <iosfwd>

#include "ir/model.h"

namespace cmc {

// Prints everything in a model, for people and for golden tests: layout, channels, proctypes, locations and
// edges. The same model gives the same text. Robust: does not need a valid model.
void dump(const Model& model, std::ostream& out);

}  // namespace cmc
