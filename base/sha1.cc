#include "base/sha1.h"

#include "base/hex.h"
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

std::string sha1_hex(std::string_view text) { return hex_text(sha1(text)); }

}  // namespace cmc
