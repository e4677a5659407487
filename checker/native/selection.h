#pragma once

#include <optional>
#include <string>

#include "checker/native/c_names.h"
#include "ir/model.h"

namespace cmc::native {

// The C source of a location's CmcSelect (interface.h), a function of this name, with marked comments. None: it would
// not pay, or cannot be done.
[[nodiscard]] std::optional<std::string> write_selection(const Model& model, const CNames& names, CNames::Owner owner,
                                                         const Location& location, const std::string& name);

}  // namespace cmc::native
