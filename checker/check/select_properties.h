#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/check/request.h"
#include "checker/properties/properties.h"

namespace cmc {

// The properties that --property names, in the order of properties_of(); those by default if it names none. Error: a
// name that none has.
[[nodiscard]] Result<std::vector<PropertyEntry>> select_properties(const CheckRequest& request, const Model& model);

// Why one search of the fast engine does not decide these properties; for the user. Empty: it does. `cannot` says
// what is special about such a search: "has no checkpoints".
[[nodiscard]] std::string obstacle_to_one_search(std::span<const PropertyEntry> entries, const Model& model,
                                                 std::string_view cannot);
// Likewise, why they do not take a search for safety, or along a trace; `can`: "is on several machines".
[[nodiscard]] std::string obstacle_to_search_for_safety(std::span<const PropertyEntry> entries, std::string_view can);

}  // namespace cmc
