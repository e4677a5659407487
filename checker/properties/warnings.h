#pragma once

#include <string>
#include <vector>

#include "checker/properties/properties.h"
#include "checker/search/result.h"

namespace cmc {

// Sentences about a property that was decided: what makes its verdict say less, or something else, than it seems to.
[[nodiscard]] std::vector<std::string> warnings_of(const PropertyEntry& entry, const Model& product,
                                                   const SearchResult& result);

}  // namespace cmc
