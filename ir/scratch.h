#pragma once

#include <cstdint>

#include "ir/model.h"

// Whether hidden variables are scratch: values that a step writes before it reads them, and that nobody reads after
// it, as in `d_step { t = x; x = y; y = t }`.

namespace cmc {

// Whether a step may depend on what a hidden variable held before it. If none does, states that differ in hidden
// variables only have equal futures, so that searches may take them as equal.
//
// A step is an edge, with the whole body of a d_step. With `closes_chains` it goes on through `atomic` as long as the
// process cannot block or hand over control, whatever the state; where that is not certain, a step ends. A variable
// counts as written if it is written on every path from the step's beginning. Errs on the side of true.
[[nodiscard]] bool depends_on_hidden(const Model& model, bool closes_chains);

// How many bytes in front of a state vector say nothing about what a state may do, statement by statement: those of
// the hidden variables, or, if any of them is read, none.
[[nodiscard]] uint32_t ignored_bytes(const Model& model);

}  // namespace cmc
