#pragma once

#include <cstdint>

#include "base/result.h"
#include "checker/automata/automaton.h"
#include "ir/model.h"

// From a formula to a small Büchi automaton: read_formula.h, generalized.h, simplify.h, degeneralize.h.

namespace cmc::automata {

// Accepts the words on which the formula holds. `formula` indexes model.formulas. Error: the formula or its automaton
// is too large.
[[nodiscard]] Result<Automaton> automaton_of(const Model& model, uint32_t formula);

// Accepts the words on which the formula does not hold.
[[nodiscard]] Result<Automaton> automaton_of_violations(const Model& model, uint32_t formula);

}  // namespace cmc::automata
