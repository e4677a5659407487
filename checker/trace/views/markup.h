#pragma once

#include <string>
#include <string_view>

namespace cmc {

// For HTML and SVG: with <, >, &, " and ' written as entities; control characters and what is no UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace cmc
