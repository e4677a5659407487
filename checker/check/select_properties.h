#pragma once

#include <vector>

#include "base/result.h"
#include "checker/check/request.h"
#include "checker/properties/properties.h"

namespace cmc {

// The properties that --property names, in the order of properties_of(); those by default if it names none. Error: a
// name that none has.
[[nodiscard]] Result<std::vector<PropertyEntry>> select_properties(const CheckRequest& request, const Model& model);

}  // namespace cmc
