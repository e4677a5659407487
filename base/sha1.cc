#include "base/sha1.h"

#include "base/openssl_sha.h"

namespace cmc {

std::array<unsigned char, 20> sha1(std::string_view bytes) {
  static_assert(SHA_DIGEST_LENGTH == 20);
  std::array<unsigned char, 20> digest{};
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, bytes.data(), bytes.size());
  SHA1_Final(digest.data(), &context);
  return digest;
}

std::string sha1_hex(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : sha1(text)) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace cmc
