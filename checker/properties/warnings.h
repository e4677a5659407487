#pragma once

#include <string>
#include <vector>

#include "checker/properties/properties.h"
#include "checker/search/result.h"

namespace cmc {

// Sentences about a property that was decided: what makes its verdict say less, or something else, than it seems to.
[[nodiscard]] std::vector<std::string> warnings_of(const PropertyEntry& entry, const Model& product,
                                                   const SearchResult& result);

// About a formula that holds, some atoms of which are never true: those of which the formula itself does not say so.
// `[] !broken` does; `[] (request -> <> answer)` holds for nothing if there is no request.
[[nodiscard]] std::vector<std::string> warnings_of_atoms(const Model& product,
                                                         const std::vector<ExpressionId>& never_true);

}  // namespace cmc
