#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ir/property.h"

namespace cmc::automata {

// An infinite word: positions 0 .. length-1, then again and again those from loop_start on.
struct Lasso {
  size_t length = 0;      // at least 1
  size_t loop_start = 0;  // below length
  // Whether the atom is not 0 at the position.
  std::function<bool(size_t position, ExpressionId atom)> truth;
};

// Whether the formula holds at position 0 of the word. Computed from the definition of the operators, by fixpoints
// over the positions, and shares nothing with the translation into automata: it is their judge. `formulas` is
// Model::formulas, `root` indexes it. Takes one bit for each position and each node of the formula.
[[nodiscard]] bool holds_on(const Lasso& word, const std::vector<Formula>& formulas, uint32_t root);

}  // namespace cmc::automata
