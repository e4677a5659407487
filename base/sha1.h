#pragma once

#include <array>
#include <string>
#include <string_view>

namespace cmc {

// SHA-1 (FIPS 180-4), to identify texts. It does not protect against forgery.
[[nodiscard]] std::array<unsigned char, 20> sha1(std::string_view bytes);
// As 40 lower-case hexadecimal digits, as sha1sum prints it.
[[nodiscard]] std::string sha1_hex(std::string_view text);

}  // namespace cmc
