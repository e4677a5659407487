#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "storage/pages/bit_extractor.h"
#include "storage/sets/key.h"

namespace cmc {

// The affine hull over GF(2) of keys of W words: the least set of the form `origin + span of rows` that has them all,
// + being xor (Karr's affine relations, 1976, for bits; Gaussian elimination). Keys that are near each other have
// many bits that never change, or are the same as, or the opposite of, or the sum of others: those that follow from
// bits in front of them need not be stored. The others, the pivots, are the coordinates of a key. Two keys differ
// first in a pivot, so coordinates have the order of keys.
//
// Swarm (a process each that runs or has ended, keys of 92 bits): 23 pivots on a page of 4,096 keys.
template <unsigned W>
class AffineHull {
 public:
  static constexpr unsigned kMostRank = 64;

  // The hull of these, at least one; false: its rank is greater than kMostRank, and nothing else may be asked.
  [[nodiscard]] bool enclose(std::span<const Key<W>> keys) {
    clear();
    for (size_t i = 1; i < keys.size(); ++i) {
      if (!add_direction(difference(keys[i - 1], keys[i]))) return false;
    }
    origin_ = reduced(keys.front());
    rows_.clear();
    for (unsigned word = 0; word < W; ++word) {
      for (uint64_t left = pivots_[word]; left != 0; left &= ~leading(left)) {
        rows_.push_back(row_of_[word][static_cast<unsigned>(std::countr_zero(leading(left)))]);
      }
    }
    tabulate();
    return true;
  }
  [[nodiscard]] unsigned rank() const {
    unsigned all = 0;
    for (const uint64_t pivots : pivots_) all += static_cast<unsigned>(std::popcount(pivots));
    return all;
  }
  // How many of the last pivots are not in the same word as the first.
  [[nodiscard]] unsigned later_pivots() const {
    for (const uint64_t pivots : pivots_) {
      if (pivots != 0) return rank() - static_cast<unsigned>(std::popcount(pivots));
    }
    return 0;
  }

  // The pivots of a key, as a number of rank() bits.
  [[gnu::always_inline, nodiscard]] uint64_t coordinates(const Key<W>& key) const {
    uint64_t all = 0;
    for (unsigned word = 0; word < W; ++word) all |= extract_[word](key[word]) << places_[word];
    return all;
  }
  // The key of the hull that has these; REQUIRES: of rank() bits (others give any key).
  [[nodiscard]] Key<W> key(uint64_t coordinates) const {
    Key<W> key = parts_[0][coordinates % kEntries];
    for (unsigned digit = 1; digit < digits_; ++digit) {
      coordinates /= kEntries;
      add(key, parts_[digit][coordinates % kEntries]);
    }
    return key;
  }

  // Origin and rows, the first pivot first.
  void write(Bytes& to) const {
    put(origin_, to);
    for (const Key<W>& row : rows_) put(row, to);
  }
  // Removes them from `from`; false: they cannot be a hull.
  [[nodiscard]] bool read(unsigned rank, ByteView& from) {
    if (rank > kMostRank || from.size() < (rank + 1) * sizeof(Key<W>)) return false;
    clear();
    origin_ = take(from);
    for (; rank > 0; --rank) {
      const Key<W> row = take(from);
      const unsigned word = leading_word(row);
      pivots_[word] |= leading(row[word]);
      rows_.push_back(row);
    }
    if (this->rank() != rows_.size()) return false;  // a row of zeroes, or one pivot twice
    tabulate();
    return true;
  }

 private:
  static constexpr unsigned kDigitBits = 5;
  static constexpr unsigned kEntries = 1U << kDigitBits;

  static uint64_t leading(uint64_t bits) { return std::bit_floor(bits); }
  // The first that is not 0, or the last one.
  static unsigned leading_word(const Key<W>& words) {
    unsigned word = 0;
    while (word + 1 < W && words[word] == 0) ++word;
    return word;
  }
  [[gnu::always_inline]] static void add(Key<W>& to, const Key<W>& other) {
    for (unsigned i = 0; i < W; ++i) to[i] ^= other[i];
  }
  [[nodiscard]] static Key<W> difference(Key<W> a, const Key<W>& b) {
    add(a, b);
    return a;
  }
  static void put(const Key<W>& words, Bytes& to) {
    const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
    to.insert(to.end(), bytes, bytes + sizeof words);
  }
  static Key<W> take(ByteView& from) {
    const Key<W> words = load<Key<W>>(from.data());
    from = from.subspan(sizeof words);
    return words;
  }

  void clear() {
    pivots_ = {};
    rows_.clear();
  }
  // Without its pivots. A row has no pivot of another, so their order does not matter.
  [[nodiscard]] Key<W> reduced(const Key<W>& direction) const {
    Key<W> rest = direction;
    for (unsigned word = 0; word < W; ++word) {
      for (uint64_t left = direction[word] & pivots_[word]; left != 0; left &= left - 1) {
        add(rest, row_of_[word][static_cast<unsigned>(std::countr_zero(left))]);
      }
    }
    return rest;
  }
  [[nodiscard]] bool add_direction(const Key<W>& direction) {
    const Key<W> row = reduced(direction);
    const unsigned word = leading_word(row);
    if (row[word] == 0) return true;
    if (rank() == kMostRank) return false;
    const uint64_t pivot = leading(row[word]);
    for (unsigned other = 0; other < W; ++other) {
      for (uint64_t left = pivots_[other]; left != 0; left &= left - 1) {
        Key<W>& each = row_of_[other][static_cast<unsigned>(std::countr_zero(left))];
        if ((each[word] & pivot) != 0) add(each, row);
      }
    }
    row_of_[word][static_cast<unsigned>(std::countr_zero(pivot))] = row;
    pivots_[word] |= pivot;
    return true;
  }
  // What coordinates() and key() need, from origin_, rows_ and pivots_.
  void tabulate() {
    const unsigned rank = this->rank();
    digits_ = std::max(1U, (rank + kDigitBits - 1) / kDigitBits);
    for (unsigned digit = 0; digit < digits_; ++digit) {
      parts_[digit][0] = digit == 0 ? origin_ : Key<W>{};
      for (unsigned bit = 0; bit < kDigitBits; ++bit) {
        const unsigned coordinate = digit * kDigitBits + bit;
        const Key<W> row = coordinate < rank ? rows_[rank - 1 - coordinate] : Key<W>{};
        for (unsigned i = 0; i < 1U << bit; ++i) parts_[digit][i | 1U << bit] = difference(parts_[digit][i], row);
      }
    }
    unsigned place = 0;
    for (unsigned word = W; word-- > 0;) {
      extract_[word] = BitExtractor(pivots_[word]);
      places_[word] = place % 64;  // 64: there is no pivot in this word
      place += static_cast<unsigned>(std::popcount(pivots_[word]));
    }
  }

  Key<W> origin_{};           // its pivots are 0
  std::vector<Key<W>> rows_;  // the first pivot first; each has one pivot, its leading bit
  std::array<uint64_t, W> pivots_{};

  std::array<std::array<Key<W>, 64>, W> row_of_;  // by word and pivot, while a hull is made

  unsigned digits_ = 0;
  std::array<std::array<Key<W>, kEntries>, (kMostRank + kDigitBits - 1) / kDigitBits> parts_;
  std::array<BitExtractor, W> extract_;
  std::array<unsigned, W> places_;  // of the last pivot of a word in the coordinates
};

}  // namespace cmc
