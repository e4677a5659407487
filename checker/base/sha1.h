#pragma once

#include <string>
#include <string_view>

namespace cmc {

// SHA-1 as 40 lower-case hexadecimal digits, as sha1sum prints it. Identifies texts; no protection against forgery.
[[nodiscard]] std::string sha1_hex(std::string_view text);

}  // namespace cmc
