#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cmc {
namespace {

uint32_t crc32_of_zlib(ByteView bytes, uint32_t before) {
  if (bytes.empty()) return before;  // for zlib a null pointer means the beginning
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)
constexpr size_t kFoldedAtOnce = 4 * sizeof(__m128i);

__m128i load_block(ByteView bytes, size_t offset) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + offset));
}
// `next` with what `folded`, some blocks before it, adds to the remainder.
[[gnu::target("pclmul")]] __m128i fold(__m128i folded, __m128i distance, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(folded, distance, 0x00);
  const __m128i high = _mm_clmulepi64_si128(folded, distance, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}
// By carry-less multiplication, 16 bytes are found that have the remainder of all blocks, and of these their
// remainder (Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ instruction", 2009;
// constants are reflected); zlib does the rest. REQUIRES: at least kFoldedAtOnce bytes.
[[gnu::target("pclmul")]] uint32_t crc32_folded(ByteView bytes, uint32_t before) {
  const __m128i by_four = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);  // x^(512 - 32), x^(512 + 32) mod P
  const __m128i by_one = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);   // likewise of 128
  __m128i lanes[4];
  for (size_t i = 0; i < 4; ++i) lanes[i] = load_block(bytes, i * sizeof(__m128i));
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(~before)));
  size_t offset = kFoldedAtOnce;
  for (; offset + kFoldedAtOnce <= bytes.size(); offset += kFoldedAtOnce) {
    for (size_t i = 0; i < 4; ++i)
      lanes[i] = fold(lanes[i], by_four, load_block(bytes, offset + i * sizeof(__m128i)));
  }
  __m128i folded = lanes[0];
  for (size_t i = 1; i < 4; ++i) folded = fold(folded, by_one, lanes[i]);
  for (; offset + sizeof(__m128i) <= bytes.size(); offset += sizeof(__m128i))
    folded = fold(folded, by_one, load_block(bytes, offset));

  // To 96 bits, to 64 bits, and by Barrett's method to 32.
  const __m128i by_half = _mm_set_epi64x(0, 0x0163cd6124);             // x^64 mod P
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);  // x^64 / P, P
  const __m128i low_words = _mm_set_epi32(0, -1, 0, -1);
  folded = _mm_xor_si128(_mm_srli_si128(folded, 8), _mm_clmulepi64_si128(folded, by_one, 0x10));
  folded =
      _mm_xor_si128(_mm_srli_si128(folded, 4), _mm_clmulepi64_si128(_mm_and_si128(folded, low_words), by_half, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(folded, low_words), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), barrett, 0x00);
  folded = _mm_srli_si128(_mm_xor_si128(folded, quotient), 4);
  return crc32_of_zlib(bytes.subspan(offset), ~static_cast<uint32_t>(_mm_cvtsi128_si32(folded)));
}
#endif

}  // namespace

uint64_t hash_bytes(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint32_t crc32(ByteView bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool folds = __builtin_cpu_supports("pclmul") != 0;
  if (folds && bytes.size() >= kFoldedAtOnce) return crc32_folded(bytes, before);
#endif
  return crc32_of_zlib(bytes, before);
}

}  // namespace cmc
