#pragma once

#include <cstdint>

#include "ir/model.h"

namespace cmc {

// Adds the automaton of the runs that violate a property of kind ltl to the claims of `model`. Returns its number.
[[nodiscard]] uint32_t add_formula_claim(Model& model, const Property& property);

}  // namespace cmc
