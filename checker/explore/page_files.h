#pragma once

#include <string_view>

// The files of the folder page, which the build puts into the program.

namespace cmc::explore {

extern const std::string_view kPage;
extern const std::string_view kStyle;
extern const std::string_view kScript;

}  // namespace cmc::explore
