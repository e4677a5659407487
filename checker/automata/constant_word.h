#pragma once

#include <cstdint>

#include "ir/model.h"

namespace cmc::automata {

// Whether the formula holds on a run all of whose states are alike as far as its atoms tell. It takes no automaton to
// know that, so it is quick. False: there is none, or it was not found soon.
[[nodiscard]] bool has_constant_word(const Model& model, uint32_t formula);

}  // namespace cmc::automata
