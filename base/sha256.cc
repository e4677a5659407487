#include "base/sha256.h"

#include "base/hex.h"
#include "base/openssl_sha.h"

namespace cmc {
namespace {

SHA256_CTX* as_context(std::array<unsigned char, 128>& bytes) { return reinterpret_cast<SHA256_CTX*>(bytes.data()); }

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) <= sizeof(context_));
  SHA256_Init(as_context(context_));
}

void Sha256::add(std::string_view bytes) { SHA256_Update(as_context(context_), bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), as_context(context_));
  return hex_text(digest);
}

std::string sha256_hex(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.hex();
}

}  // namespace cmc
