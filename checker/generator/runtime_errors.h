#pragma once

#include <cstdint>
#include <string>

#include "checker/generator/generator.h"

namespace cmc {

// The text of a RuntimeError in a statement; kNoStatement: outside of all statements. `value` is the offending index,
// priority, channel id or value that does not fit, the number of a channel's fields or of witnesses; 0 for the other
// kinds.
[[nodiscard]] std::string error_message(const Model& model, RuntimeErrorKind kind, StatementId statement,
                                        int32_t value);

// "256 does not fit in a byte; 0 is stored"
[[nodiscard]] std::string overflow_text(const Model& model, const ScalarType& type, int32_t value);

}  // namespace cmc
