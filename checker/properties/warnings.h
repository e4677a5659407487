#pragma once

#include <string>
#include <vector>

#include "checker/properties/properties.h"
#include "checker/result/result.h"

namespace cmc {

// Sentences about a property that was decided: what makes its verdict say less, or something else, than it seems to.
[[nodiscard]] std::vector<std::string> warnings_of(const PropertyEntry& entry, const Model& product,
                                                   const SearchResult& result);

// About values that did not fit: the first ones, and how many statements more there are.
[[nodiscard]] std::vector<std::string> warnings_of_overflows(const Model& model, const SearchResult& result);

// Whether the formula itself says that the atom is never true. `[] !broken` does; `[] (request -> <> answer)` does
// not, and holds for nothing if there is no request.
[[nodiscard]] bool rules_out(const Model& product, uint32_t formula, ExpressionId atom);

// About a formula that holds, and its atoms that are never true although it does not say so.
[[nodiscard]] std::vector<std::string> warnings_of_atoms(const Model& product,
                                                         const std::vector<ExpressionId>& never_true);

}  // namespace cmc
