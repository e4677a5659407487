#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "checker/base/bytes.h"
#include "storage/page.h"

// Sorted keys on a page (FORMAT.md), as differences: the lengths of all values, then all values, each in as many bytes as it needs. In
// front of them, written the same way, the last key of each group of 64: a look-up reads only groups that can have what it looks for.
//
// The value of a word is its difference from that of the key before as long as all words in front of it are equal, and the xor from
// then on. That lengths are apart from values makes reading fast: where a value begins depends on additions only. With varints, each
// of which has to be read to know where the next one begins, look-ups took 5.6 ns an entry (Peterson 5 in a tenth of its memory).

namespace cmc {

inline constexpr uint32_t kKeysPerGroup = 64;

template <unsigned W>
class DifferenceWriter {
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
  [[nodiscard]] uint64_t count() const { return value_count_ / W; }
  [[nodiscard]] const Words& last() const { return last_; }
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

// Small, so that what changes with each key can be in registers: work with a copy.
template <unsigned W>
struct DifferenceReader {
  using Words = std::array<uint64_t, W>;

  // REQUIRES: left > 0.
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

  const std::byte* lengths = nullptr;  // of all
  const std::byte* values = nullptr;   // of the next key
  uint64_t number = 0;                 // of its first value
  uint32_t left = 0;                   // keys
  Words key{};                         // the last one that was read

 private:
  static constexpr std::array<uint64_t, 16> kMasks = [] {
    std::array<uint64_t, 16> masks{};
    for (unsigned bytes = 1; bytes <= 8; ++bytes) masks[bytes] = ~uint64_t{0} >> (64 - 8 * bytes);
    return masks;
  }();
  [[gnu::always_inline]] static uint64_t value(const std::byte* at, unsigned bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits & kMasks[bytes];
  }
};

template <unsigned W>
class KeyEncoder {
 public:
  static constexpr size_t kMostBytes = 2 * DifferenceWriter<W>::kMostBytes;  // that a key adds

  void add(const std::array<uint64_t, W>& key) {
    if (keys_.count() > 0 && keys_.count() % kKeysPerGroup == 0) group_ends_.add(keys_.last());
    keys_.add(key);
  }
  [[nodiscard]] size_t bytes() const { return group_ends_.bytes() + keys_.bytes(); }
  // Appends all keys to `to` and begins again.
  void finish(Bytes& to) {
    group_ends_.finish(to);
    keys_.finish(to);
  }
  [[nodiscard]] uint64_t memory_bytes() const { return group_ends_.memory_bytes() + keys_.memory_bytes(); }

 private:
  DifferenceWriter<W> group_ends_;  // but that of the last group
  DifferenceWriter<W> keys_;
};

template <unsigned W>
class KeyDecoder {
 public:
  using Words = std::array<uint64_t, W>;

  // False: these cannot be `count` keys. From then on any bytes are safe. REQUIRES: 8 readable bytes behind them.
  [[nodiscard]] bool open(ByteView entries, uint32_t count) {
    reader_ = {};
    group_ = 0;
    group_ends_.clear();
    DifferenceReader<W> ends;
    DifferenceReader<W> keys;
    if (!begin(entries, count > 0 ? (count - 1) / kKeysPerGroup : 0, ends)) return false;
    if (!begin(entries, count, keys) || !entries.empty()) return false;
    while (ends.left > 0) {
      ends.step();
      group_ends_.push_back(ends.key);
    }
    reader_ = keys;
    values_ = keys.values;
    count_ = count;
    return true;
  }
  // False: there is none left.
  [[gnu::always_inline, nodiscard]] bool next() {
    if (reader_.left == 0) return false;
    reader_.step();
    return true;
  }
  // Goes on until the key is not before this one, which is not before those that were wanted earlier. False: all are. Not together with
  // next().
  [[nodiscard]] bool seek(const Words& wanted) {
    skip_groups(wanted);
    DifferenceReader<W> reader = reader_;
    if (reader.number == 0 && reader.left > 0) reader.step();
    if constexpr (W == 1) reader.skip_pairs(wanted[0]);
    while (is_before<W>(reader.key, wanted) && reader.left > 0) reader.step();
    reader_ = reader;
    return reader.number > 0 && !is_before<W>(reader.key, wanted);
  }
  [[nodiscard]] const Words& key() const { return reader_.key; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return group_ends_.capacity() * sizeof(Words) + group_begins_.capacity() * sizeof(uint32_t);
  }

 private:
  // A reader of `count` keys at the beginning of `entries`, which are removed from there. False: all are fewer bytes, or a value is longer
  // than 8. Lengths are summed up eight bytes at a time, so it costs little to note where groups begin.
  [[nodiscard]] bool begin(ByteView& entries, uint32_t count, DifferenceReader<W>& reader) {
    constexpr uint64_t kEach = 0x0101010101010101;
    constexpr size_t kGroupLengths = kKeysPerGroup * W / 2;
    static_assert(kGroupLengths % 8 == 0);
    const uint64_t length_bytes = (uint64_t{count} * W + 1) / 2;
    if (entries.size() < length_bytes) return false;
    group_begins_.clear();
    uint64_t sum = 0;
    uint64_t too_long = 0;
    for (size_t i = 0; i < length_bytes; i += 8) {
      if (i % kGroupLengths == 0) group_begins_.push_back(static_cast<uint32_t>(sum));
      uint64_t bytes = 0;
      std::memcpy(&bytes, entries.data() + i, std::min<size_t>(8, length_bytes - i));
      const uint64_t low = bytes & 15 * kEach;
      const uint64_t high = bytes >> 4 & 15 * kEach;
      too_long |= (low + (127 - 8) * kEach) | (high + (127 - 8) * kEach);
      sum += (low + high) * kEach >> 56;
    }
    if ((too_long & 128 * kEach) != 0 || sum > entries.size() - length_bytes) return false;
    reader = {entries.data(), entries.data() + length_bytes, 0, count, {}};
    entries = entries.subspan(length_bytes + sum);
    return true;
  }
  // To the first group that does not end before that.
  void skip_groups(const Words& wanted) {
    const size_t before = group_;
    while (group_ < group_ends_.size() && is_before<W>(group_ends_[group_], wanted)) ++group_;
    if (group_ == before) return;
    const uint32_t keys = static_cast<uint32_t>(group_) * kKeysPerGroup;
    reader_ = {reader_.lengths, values_ + group_begins_[group_], uint64_t{keys} * W, count_ - keys, group_ends_[group_ - 1]};
  }

  DifferenceReader<W> reader_;
  const std::byte* values_ = nullptr;  // of the first key
  uint32_t count_ = 0;
  size_t group_ = 0;                   // that the last seek() ended in
  std::vector<Words> group_ends_;      // without the last one
  std::vector<uint32_t> group_begins_;  // behind values_
};

}  // namespace cmc
