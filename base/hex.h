#pragma once

#include <span>
#include <string>

namespace cmc {

// As lower-case hexadecimal digits, two for each byte.
[[nodiscard]] inline std::string hex_text(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace cmc
