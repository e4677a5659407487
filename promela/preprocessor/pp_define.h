#pragma once

#include <memory>
#include <vector>

#include "promela/preprocessor/pp_token.h"
#include "promela/text/diagnostic.h"

namespace cmc::promela {

// Parses a #define line: `line` holds the tokens after the word `define`, `where` is that word.
// Null if it is malformed (reported).
[[nodiscard]] std::shared_ptr<Macro> parse_definition(const std::vector<CToken>& line, Location where,
                                                      Diagnostics& diagnostics);

// Whether C allows the redefinition without a warning: the macros are equal up to the amount of whitespace.
[[nodiscard]] bool same_definition(const Macro& a, const Macro& b);

}  // namespace cmc::promela
