#include "base/hash.h"

#include <algorithm>
#include <string>

#include "base/sha1.h"

#include "tests/catch.h"

namespace cmc {
namespace {

uint64_t hash_text(const std::string& text) { return hash_bytes(std::as_bytes(std::span(text))); }

TEST_CASE("hash: hash_bytes is XXH3: the published values") {
  CHECK(hash_text("") == 0x2d06800538d394c2);
  CHECK(hash_text("a") == 0xe6c632b61e964e1f);
  CHECK(hash_text("abc") == 0x78af5f94892f3950);
}

TEST_CASE("hash: hash_bytes sees every byte and the length") {
  for (size_t size = 1; size <= 300; ++size) {
    std::string text(size, '\0');
    const uint64_t zeros = hash_text(text);
    CHECK(zeros != hash_text(std::string(size - 1, '\0')));
    for (size_t i = 0; i < size; i += 7) {
      text[i] = 1;
      CHECK(hash_text(text) != zeros);
      text[i] = 0;
    }
  }
}

TEST_CASE("hash: CRC-32 has the check values of its catalogue") {
  const auto crc = [](const std::string& text, uint32_t before = 0) {
    return crc32(std::as_bytes(std::span(text)), before);
  };
  CHECK(crc("123456789") == 0xcbf43926);
  CHECK(crc("") == 0);
  CHECK(crc32({}, 7) == 7);
  CHECK(crc("6789", crc("12345")) == 0xcbf43926);
}

// Pieces of fewer than 64 bytes are zlib's.
TEST_CASE("hash: CRC-32 of the whole is that of its pieces") {
  std::string text;
  for (size_t size = 0; size <= 700; ++size) {
    const ByteView whole = std::as_bytes(std::span(text));
    for (const uint32_t before : {uint32_t{0}, uint32_t{1} << 31, uint32_t{0x12345678}}) {
      uint32_t in_pieces = before;
      for (size_t at = 0; at < size; at += 61)
        in_pieces = crc32(whole.subspan(at, std::min<size_t>(61, size - at)), in_pieces);
      CHECK(crc32(whole, before) == in_pieces);
    }
    text += static_cast<char>(size * size * 7 + size);
  }
}

TEST_CASE("hash: sha1_hex gives the values of the standard") {
  CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
}

}  // namespace
}  // namespace cmc
