#pragma once

#include <cstdint>

namespace cmc {

// The bits at..at+width-1 of an array of words, 1 <= width <= 64. Without a branch; so a word behind them may be
// read.
[[nodiscard, gnu::always_inline]] inline uint64_t get_bits(const uint64_t* words, uint64_t at, unsigned width) {
  const uint64_t index = at / 64;
  const unsigned shift = at % 64;
  const uint64_t value = words[index] >> shift | words[index + 1] << 1 << (63 - shift);
  return value & (~uint64_t{0} >> (64 - width));
}

// Overwrites them.
[[gnu::always_inline]] inline void put_bits(uint64_t* words, uint64_t at, unsigned width, uint64_t value) {
  const uint64_t index = at / 64;
  const unsigned shift = at % 64;
  const uint64_t mask = ~uint64_t{0} >> (64 - width);
  words[index] = (words[index] & ~(mask << shift)) | value << shift;
  if (shift + width > 64) {
    words[index + 1] = (words[index + 1] & ~(mask >> (64 - shift))) | value >> (64 - shift);
  }
}

}  // namespace cmc
