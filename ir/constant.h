#pragma once

#include <cstdint>
#include <optional>

#include "ir/model.h"

namespace cmc {

// The value of an expression that is the same in every state, as far as its constants tell; what `&&`, `||` and `->`
// do not look at need not be constant. None: it depends on the state, or would be an error.
[[nodiscard]] std::optional<int32_t> constant_value(const Model& model, ExpressionId id);

}  // namespace cmc
