#pragma once

#include <memory>
#include <vector>

#include "promela/diagnostic.h"
#include "promela/pp_token.h"

namespace cmc::promela {

// The macro that a #define line says; `line` is what follows the word `define`, `where` that word.
// Null if it is malformed (reported).
[[nodiscard]] std::shared_ptr<Macro> parse_definition(const std::vector<CToken>& line, Location where,
                                                      Diagnostics& diagnostics);

// As C defines it for a redefinition that needs no warning: equal up to the amount of whitespace.
[[nodiscard]] bool same_definition(const Macro& a, const Macro& b);

}  // namespace cmc::promela
