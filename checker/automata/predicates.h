#pragma once

#include <vector>

#include "ir/model.h"

// Builds expressions of the model from others, which they share.

namespace cmc::automata {

// Of empty(q) nempty(q), as SPIN wants it.
[[nodiscard]] ExpressionId negation(Model& model, ExpressionId operand);
[[nodiscard]] ExpressionId conjunction(Model& model, const std::vector<ExpressionId>& operands);  // of none: 1
[[nodiscard]] ExpressionId disjunction(Model& model, const std::vector<ExpressionId>& operands);  // of none: 0

}  // namespace cmc::automata
