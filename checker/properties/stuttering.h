#pragma once

#include <optional>
#include <string>

#include "ir/model.h"

namespace cmc {

// Why the claim of `product` may tell apart how often a state is repeated, so that local steps of processes must not
// be merged beside it, and no steps left out; none: it cannot. It cannot if it is that of a formula without X, or if
// its automaton is closed under stuttering (checker/automata/stutter.h), and if no labels of processes count beside
// it.
[[nodiscard]] std::optional<std::string> obstacle_to_stuttering(const Model& product);

}  // namespace cmc
