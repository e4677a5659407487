#pragma once

#include <string>
#include <string_view>

// Texts of models in formats that have rules: models are written in any encoding, and may hold anything.

namespace cmc {

// Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// For HTML and SVG: with <, >, &, " and ' written as entities; control characters become U+FFFD, too.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace cmc
