#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cmc {

// SHA-256 (FIPS 180-4) of bytes that come in pieces: tells damaged files from whole ones.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // As 64 lower-case hexadecimal digits, as sha256sum prints it. To be called once, last.
  [[nodiscard]] std::string hex();

 private:
  alignas(uint64_t) std::array<unsigned char, 128> context_;  // OpenSSL's
};

[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace cmc
