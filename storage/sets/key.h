#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cmc {

inline constexpr unsigned kFirstWordBits = 62;  // of word 0: the key set uses the other two
inline constexpr unsigned kMaxKeyWords = 16;

// Keys are 1, 2, 4 or kMaxKeyWords words wide: each width is a template argument of every engine, and hardly a model
// needs between 5 and 8 words. Above kMaxKeyWords: a width that no key has.
[[nodiscard]] constexpr unsigned next_key_width(unsigned words) {
  return words < 4 || words >= kMaxKeyWords ? 2 * words : kMaxKeyWords;
}

// A state as the store sees it: W words of 64 bits, of which each store is told how many low bits are used. Word 0
// has at most kFirstWordBits. (checker/keys packs the numbers of the contents of a state's components into it.)
template <unsigned W>
struct Key {
  std::array<uint64_t, W> words{};

  [[nodiscard]] uint64_t& operator[](size_t word) { return words[word]; }
  [[nodiscard]] uint64_t operator[](size_t word) const { return words[word]; }
  [[nodiscard]] uint64_t* data() { return words.data(); }
  [[nodiscard]] const uint64_t* data() const { return words.data(); }
  [[nodiscard]] bool is_zero() const { return *this == Key{}; }

  // Comparison, word 0 first. std::array's operators call functions instead: memcmp, a loop.
  [[gnu::always_inline]] friend bool operator==(const Key& a, const Key& b) {
    uint64_t difference = 0;
    for (unsigned i = 0; i < W; ++i) difference |= a.words[i] ^ b.words[i];
    return difference == 0;
  }
  [[gnu::always_inline]] friend bool operator<(const Key& a, const Key& b) {
    for (unsigned i = 0; i + 1 < W; ++i) {
      if (a.words[i] != b.words[i]) return a.words[i] < b.words[i];
    }
    return a.words[W - 1] < b.words[W - 1];
  }

  [[gnu::always_inline]] Key& operator^=(const Key& other) {
    for (unsigned i = 0; i < W; ++i) words[i] ^= other.words[i];
    return *this;
  }
  [[gnu::always_inline]] friend Key operator^(Key a, const Key& b) { return a ^= b; }
  [[gnu::always_inline]] friend Key operator&(Key a, const Key& b) {
    for (unsigned i = 0; i < W; ++i) a.words[i] &= b.words[i];
    return a;
  }
  [[gnu::always_inline]] Key& operator|=(const Key& other) {
    for (unsigned i = 0; i < W; ++i) words[i] |= other.words[i];
    return *this;
  }
  [[gnu::always_inline]] friend Key operator|(Key a, const Key& b) { return a |= b; }
  // Whether no bit is in both.
  [[gnu::always_inline]] friend bool are_disjoint(const Key& a, const Key& b) {
    uint64_t common = 0;
    for (unsigned i = 0; i < W; ++i) common |= a.words[i] & b.words[i];
    return common == 0;
  }
  static Key all_bits() {
    Key all;
    for (unsigned i = 0; i < W; ++i) all.words[i] = ~uint64_t{0};
    return all;
  }
};

// A hash of words 1..
template <unsigned W>
[[nodiscard]] uint64_t fold_words(const Key<W>& key) {
  uint64_t more = 0;
  for (unsigned i = 1; i < W; ++i) more = (more ^ key[i]) * 0x9e3779b97f4a7c15ULL, more ^= more >> 32;
  return more;
}

}  // namespace cmc
