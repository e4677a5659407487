#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "checker/base/bytes.h"
#include "storage/page.h"

// Sorted keys on a page (FORMAT.md): the lengths of all values, then all values, each in as many bytes as it needs.
//
// The value of a word is its difference from that of the key before as long as all words in front of it are equal, and the xor from
// then on. That lengths are apart from values makes reading fast: where a value begins depends on additions only. With varints, each
// of which has to be read to know where the next one begins, look-ups took 5.6 ns an entry (Peterson 5 in a tenth of its memory).

namespace cmc {

template <unsigned W>
class KeyEncoder {
 public:
  using Words = std::array<uint64_t, W>;
  static constexpr size_t kMostBytes = (W + 1) / 2 + 8 * W;  // of a key

  void add(const Words& key) {
    if (values_.size() < value_bytes_ + 8 * W) values_.resize(2 * (value_bytes_ + 8 * W));
    bool same = true;
    for (unsigned i = 0; i < W; ++i) {
      const uint64_t value = same ? key[i] - last_[i] : key[i] ^ last_[i];
      same = same && value == 0;
      std::memcpy(values_.data() + value_bytes_, &value, sizeof value);
      const unsigned bytes = (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
      value_bytes_ += bytes;
      if (value_count_++ % 2 == 0) {
        lengths_.push_back(static_cast<std::byte>(bytes));
      } else {
        lengths_.back() |= static_cast<std::byte>(bytes << 4);
      }
    }
    last_ = key;
  }
  [[nodiscard]] size_t bytes() const { return lengths_.size() + value_bytes_; }
  // Appends all keys to `to` and begins again.
  void finish(Bytes& to) {
    to.insert(to.end(), lengths_.begin(), lengths_.end());
    to.insert(to.end(), values_.begin(), values_.begin() + static_cast<ptrdiff_t>(value_bytes_));
    lengths_.clear();
    value_bytes_ = value_count_ = 0;
    last_ = {};
  }
  [[nodiscard]] uint64_t memory_bytes() const { return lengths_.capacity() + values_.capacity(); }

 private:
  Bytes lengths_;
  Bytes values_;
  size_t value_bytes_ = 0;
  size_t value_count_ = 0;
  Words last_{};
};

template <unsigned W>
class KeyDecoder {
 public:
  using Words = std::array<uint64_t, W>;

  // False: these cannot be `count` keys. From then on any bytes are safe. REQUIRES: 8 readable bytes behind them.
  [[nodiscard]] bool open(ByteView entries, uint32_t count) {
    const uint64_t values = uint64_t{count} * W;
    const uint64_t length_bytes = (values + 1) / 2;
    left_ = 0;
    if (entries.size() < length_bytes) return false;
    if (!lengths_make(entries.first(length_bytes), entries.size() - length_bytes)) return false;
    lengths_ = entries.data();
    values_ = entries.data() + length_bytes;
    number_ = 0;
    left_ = count;
    key_ = {};
    return true;
  }
  // False: there is none left.
  [[gnu::always_inline, nodiscard]] bool next() {
    if (left_ == 0) return false;
    Reader reader(*this);
    reader.step();
    reader.save(*this);
    return true;
  }
  // Goes on until the key is not before this one. False: all are.
  [[nodiscard]] bool seek(const Words& wanted) {
    if (number_ == 0 && !next()) return false;
    Reader reader(*this);
    if constexpr (W == 1) reader.skip_pairs(wanted[0]);
    while (is_before<W>(reader.key, wanted)) {
      if (reader.left == 0) {
        reader.save(*this);
        return false;
      }
      reader.step();
    }
    reader.save(*this);
    return true;
  }
  [[nodiscard]] const Words& key() const { return key_; }

 private:
  static constexpr std::array<uint64_t, 16> kMasks = [] {
    std::array<uint64_t, 16> masks{};
    for (unsigned bytes = 1; bytes <= 8; ++bytes) masks[bytes] = ~uint64_t{0} >> (64 - 8 * bytes);
    return masks;
  }();

  // Whether all lengths, two in a byte, are at most 8, and that is their sum. Eight bytes at a time.
  static bool lengths_make(ByteView lengths, uint64_t wanted) {
    constexpr uint64_t kEach = 0x0101010101010101;
    uint64_t sum = 0;
    uint64_t too_long = 0;
    for (size_t i = 0; i < lengths.size(); i += 8) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, lengths.data() + i, std::min<size_t>(8, lengths.size() - i));
      const uint64_t low = bytes & 15 * kEach;
      const uint64_t high = bytes >> 4 & 15 * kEach;
      too_long |= (low + (127 - 8) * kEach) | (high + (127 - 8) * kEach);
      sum += (low + high) * kEach >> 56;
    }
    return (too_long & 128 * kEach) == 0 && sum == wanted;
  }

  // What changes with each key, in registers.
  struct Reader {
    explicit Reader(const KeyDecoder& from)
        : lengths(from.lengths_), values(from.values_), number(from.number_), left(from.left_), key(from.key_) {}
    void save(KeyDecoder& to) const {
      to.values_ = values;
      to.number_ = number;
      to.left_ = left;
      to.key_ = key;
    }
    [[gnu::always_inline]] static uint64_t value(const std::byte* at, unsigned bytes) {
      uint64_t bits = 0;
      std::memcpy(&bits, at, sizeof bits);
      return bits & kMasks[bytes];
    }
    [[gnu::always_inline]] void step() {
      bool same = true;
      for (unsigned i = 0; i < W; ++i, ++number) {
        const unsigned bytes = std::to_integer<unsigned>(lengths[number / 2]) >> 4 * (number % 2) & 15;
        const uint64_t change = value(values, bytes);
        values += bytes;
        key[i] = same ? key[i] + change : key[i] ^ change;
        same = same & (change == 0);
      }
      --left;
    }
    // Two keys of one word at a time, as long as both are before that.
    [[gnu::always_inline]] void skip_pairs(uint64_t wanted) {
      if (key[0] >= wanted) return;
      if (number % 2 == 1 && left > 0) step();
      for (; left >= 2; left -= 2, number += 2) {
        const unsigned both = std::to_integer<unsigned>(lengths[number / 2]);
        const unsigned low = both & 15;
        const unsigned high = both >> 4;
        const uint64_t second = key[0] + value(values, low) + value(values + low, high);
        if (second >= wanted) break;
        key[0] = second;
        values += low + high;
      }
    }
    const std::byte* const lengths;
    const std::byte* values;
    uint64_t number;
    uint32_t left;
    Words key;
  };

  const std::byte* lengths_ = nullptr;
  const std::byte* values_ = nullptr;
  uint64_t number_ = 0;  // of a value
  uint32_t left_ = 0;
  Words key_{};
};

}  // namespace cmc
