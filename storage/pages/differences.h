#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "storage/pages/page.h"
#include "storage/sets/key.h"

// Ascending sequences of W words, as differences (FORMAT.md): the codes of all values, then the bytes of those that
// are not small. In front of them, written the same way, the last element of each group of 64: a look-up reads only
// groups that can have what it looks for.
//
// The value of a word is its difference from that of the element before as long as all words in front of it are
// equal, and the xor from then on. That codes are apart from values makes reading fast: where a value begins depends
// on additions only. With varints, each of which has to be read to know where the next one begins, look-ups took 5.6
// ns an entry (Peterson 5 in a tenth of its memory).

namespace cmc {

inline constexpr uint32_t kGroupSize = 64;

// What the code of a value, 4 bits, says: 0 to 7 multiples of a unit, 2^unit_bits, or the number of bytes that it
// has, less 7.
struct ValueCode {
  static constexpr unsigned kSmall = 8;

  [[nodiscard]] static unsigned of(uint64_t value, unsigned unit_bits) {
    const uint64_t units = value >> unit_bits;
    if (units < kSmall && units << unit_bits == value) return static_cast<unsigned>(units);
    return kSmall - 1 + (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
  }

  // By code. Tables, because a look-up in a page hardly does anything else.
  static constexpr std::array<uint8_t, 16> kBytes = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  static constexpr std::array<uint64_t, 16> kMasks = [] {
    std::array<uint64_t, 16> masks{};
    for (unsigned code = kSmall; code < 16; ++code) masks[code] = ~uint64_t{0} >> (64 - 8 * kBytes[code]);
    return masks;
  }();
  using Units = std::array<uint64_t, 16>;
  // By unit_bits.
  static constexpr std::array<Units, 64> kUnits = [] {
    std::array<Units, 64> all{};
    for (unsigned bits = 0; bits < 64; ++bits) {
      for (unsigned code = 0; code < kSmall; ++code) all[bits][code] = uint64_t{code} << bits;
    }
    return all;
  }();
  // `at`: 8 readable bytes.
  [[gnu::always_inline]] static uint64_t value(unsigned code, const Units& units, const std::byte* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return (bits & kMasks[code]) + units[code];
  }
};

template <unsigned W>
class DifferenceWriter {
 public:
  // Of differences, most of which are multiples of 2^unit_bits. REQUIRES: nothing was added.
  void set_unit(unsigned unit_bits) { unit_bits_ = unit_bits; }
  // That `next` takes behind `last`, less the codes, with differences in units of 1.
  [[nodiscard]] static size_t bytes_between(const Key<W>& last, const Key<W>& next) {
    bool same = true;
    size_t bytes = 0;
    for (unsigned i = 0; i < W; ++i) bytes += ValueCode::kBytes[ValueCode::of(value(last, next, i, same), 0)];
    return bytes;
  }
  void add(const Key<W>& element) {
    if (values_.size() < value_bytes_ + 8 * W) values_.resize(2 * (value_bytes_ + 8 * W));
    bool same = true;
    for (unsigned i = 0; i < W; ++i) {
      const uint64_t difference = value(last_, element, i, same);
      std::memcpy(values_.data() + value_bytes_, &difference, sizeof difference);
      const unsigned code = ValueCode::of(difference, unit_bits_);
      value_bytes_ += ValueCode::kBytes[code];
      if (value_count_++ % 2 == 0) {
        codes_.push_back(static_cast<std::byte>(code));
      } else {
        codes_.back() |= static_cast<std::byte>(code << 4);
      }
    }
    last_ = element;
  }
  [[nodiscard]] uint64_t count() const { return value_count_ / W; }
  [[nodiscard]] const Key<W>& last() const { return last_; }
  // Appends all elements to `to` and begins again.
  void finish(Bytes& to) {
    to.insert(to.end(), codes_.begin(), codes_.end());
    to.insert(to.end(), values_.begin(), values_.begin() + static_cast<ptrdiff_t>(value_bytes_));
    codes_.clear();
    value_bytes_ = value_count_ = 0;
    last_ = {};
  }

 private:
  // `same`: whether the words in front of it are.
  static uint64_t value(const Key<W>& last, const Key<W>& next, unsigned word, bool& same) {
    const uint64_t difference = same ? next[word] - last[word] : next[word] ^ last[word];
    same = same && difference == 0;
    return difference;
  }

  unsigned unit_bits_ = 0;
  Bytes codes_;
  Bytes values_;
  size_t value_bytes_ = 0;
  size_t value_count_ = 0;
  Key<W> last_{};
};

template <unsigned W>
struct DifferenceReader {
  // REQUIRES: left > 0.
  [[gnu::always_inline]] void step() {
    advance(number, values, element, element);
    --left;
  }
  // Reads the next `count`, of those that are left, into `to`.
  void read(uint32_t count, Key<W>* to) {
    // What changes with each element is in registers.
    uint64_t next_number = number;
    const std::byte* next_value = values;
    Key<W> last = element;
    left -= count;
    if constexpr (W == 1) {
      for (; count >= 2 && next_number % 2 == 0; count -= 2, next_number += 2) {
        const unsigned both = std::to_integer<unsigned>(codes[next_number / 2]);
        *to++ = {last[0] += ValueCode::value(both & 15, *units, next_value)};
        next_value += ValueCode::kBytes[both & 15];
        *to++ = {last[0] += ValueCode::value(both >> 4, *units, next_value)};
        next_value += ValueCode::kBytes[both >> 4];
      }
    }
    const Key<W>* before = &last;  // a copy of what was just written would have to wait for it
    for (; count > 0; --count, ++to) {
      advance(next_number, next_value, *before, *to);
      before = to;
    }
    number = next_number;
    values = next_value;
    element = *before;
  }
  // Until the element is not before that, or there is none left.
  void seek(const Key<W>& wanted) {
    if (number > 0 && !(element < wanted)) return;
    // What changes with each element is in registers.
    uint64_t next_number = number;
    const std::byte* next_value = values;
    Key<W> last = element;
    uint32_t rest = left;
    const auto next = [&] {
      advance(next_number, next_value, last, last);
      --rest;
    };
    if (rest > 0 && next_number == 0) next();
    if constexpr (W == 1) {
      if (rest > 0 && next_number % 2 == 1 && last < wanted) next();
      if (next_number % 2 == 0) {  // two at a time, as long as both are before that
        for (; rest >= 2; rest -= 2, next_number += 2) {
          const unsigned both = std::to_integer<unsigned>(codes[next_number / 2]);
          const unsigned low = both & 15;
          const unsigned high = both >> 4;
          const std::byte* const high_value = next_value + ValueCode::kBytes[low];
          const uint64_t second =
              last[0] + ValueCode::value(low, *units, next_value) + ValueCode::value(high, *units, high_value);
          if (second >= wanted[0]) break;
          last[0] = second;
          next_value = high_value + ValueCode::kBytes[high];
        }
      }
    }
    while (rest > 0 && last < wanted) next();
    number = next_number;
    values = next_value;
    element = last;
    left = rest;
  }

  const std::byte* codes = nullptr;   // of all
  const std::byte* values = nullptr;  // of the next element
  uint64_t number = 0;                // of its first value
  uint32_t left = 0;                  // elements
  const ValueCode::Units* units = &ValueCode::kUnits[0];
  Key<W> element{};  // the last one that was read

 private:
  // `next` may be `last`.
  [[gnu::always_inline]] void advance(uint64_t& next_number, const std::byte*& next_value, const Key<W>& last,
                                      Key<W>& next) const {
    bool same = true;
    for (unsigned i = 0; i < W; ++i, ++next_number) {
      const unsigned code = std::to_integer<unsigned>(codes[next_number / 2]) >> 4 * (next_number % 2) & 15;
      const uint64_t change = ValueCode::value(code, *units, next_value);
      next_value += ValueCode::kBytes[code];
      next[i] = same ? last[i] + change : last[i] ^ change;
      same = same & (change == 0);
    }
  }
};

// Writes an ascending sequence.
template <unsigned W>
class SequenceEncoder {
 public:
  void set_unit(unsigned unit_bits) {
    group_ends_.set_unit(unit_bits);
    all_.set_unit(unit_bits);
  }
  void add(const Key<W>& element) {
    if (all_.count() > 0 && all_.count() % kGroupSize == 0) group_ends_.add(all_.last());
    all_.add(element);
  }
  // Appends all elements to `to` and begins again.
  void finish(Bytes& to) {
    group_ends_.finish(to);
    all_.finish(to);
  }

 private:
  DifferenceWriter<W> group_ends_;  // but that of the last group
  DifferenceWriter<W> all_;
};

// Reads it.
template <unsigned W>
class SequenceDecoder {
 public:
  // False: these cannot be `count` elements. From then on any bytes are safe. REQUIRES: 8 readable bytes behind them;
  // unit_bits < 64.
  [[nodiscard]] bool open(ByteView bytes, uint32_t count, unsigned unit_bits) {
    reader_ = {};
    group_ = 0;
    group_ends_.clear();
    DifferenceReader<W> ends{.units = &ValueCode::kUnits[unit_bits]};
    DifferenceReader<W> all{.units = &ValueCode::kUnits[unit_bits]};
    if (!begin(bytes, count > 0 ? (count - 1) / kGroupSize : 0, ends)) return false;
    if (!begin(bytes, count, all) || !bytes.empty()) return false;
    while (ends.left > 0) {
      ends.step();
      group_ends_.push_back(ends.element);
    }
    reader_ = all;
    values_ = all.values;
    count_ = count;
    return true;
  }
  // To the beginning.
  void rewind() {
    group_ = 0;
    reader_.values = values_;
    reader_.number = 0;
    reader_.left = count_;
    reader_.element = {};
  }
  // False: there is none left.
  [[gnu::always_inline, nodiscard]] bool next() {
    if (reader_.left == 0) return false;
    reader_.step();
    return true;
  }
  // Reads the next ones; returns how many, less than there is room for only if none is left.
  [[nodiscard]] size_t read(std::span<Key<W>> to) {
    const uint32_t count = static_cast<uint32_t>(std::min<size_t>(to.size(), reader_.left));
    reader_.read(count, to.data());
    return count;
  }
  // Whether it is there. REQUIRES: not before those that were asked for since the beginning. Not together with
  // next().
  [[nodiscard]] bool contains(const Key<W>& wanted) {
    skip_groups(wanted);
    reader_.seek(wanted);
    return reader_.number > 0 && reader_.element == wanted;
  }
  [[nodiscard]] const Key<W>& element() const { return reader_.element; }

 private:
  // A reader of `count` elements at the beginning of `bytes`, which are removed from there. False: all are fewer
  // bytes. Lengths are summed up sixteen at a time, so it costs little to note where groups begin.
  [[nodiscard]] bool begin(ByteView& bytes, uint32_t count, DifferenceReader<W>& reader) {
    constexpr uint64_t kEach = 0x0101010101010101;
    constexpr size_t kGroupCodes = kGroupSize * W / 2;
    static_assert(kGroupCodes % 8 == 0);
    const uint64_t code_bytes = (uint64_t{count} * W + 1) / 2;
    if (bytes.size() < code_bytes) return false;
    group_begins_.clear();
    uint64_t sum = 0;
    const auto add = [&sum](uint64_t codes) {
      const uint64_t long_ones = codes >> 3 & 0x1111111111111111;
      const uint64_t less_one = codes & long_ones * 7;  // bytes of each less one, if it is not small
      const uint64_t low = (less_one & 15 * kEach) + (long_ones & kEach);
      const uint64_t high = (less_one >> 4 & 15 * kEach) + (long_ones >> 4 & kEach);
      sum += (low + high) * kEach >> 56;
    };
    for (size_t i = 0; i < code_bytes;) {
      group_begins_.push_back(static_cast<uint32_t>(sum));
      const size_t end = std::min(i + kGroupCodes, code_bytes);
      for (; i + 8 <= end; i += 8) add(load<uint64_t>(bytes.data() + i));
      if (i == end) continue;
      uint64_t codes = 0;
      std::memcpy(&codes, bytes.data() + i, end - i);
      add(codes);
      i = end;
    }
    if (sum > bytes.size() - code_bytes) return false;
    reader.codes = bytes.data();
    reader.values = bytes.data() + code_bytes;
    reader.left = count;
    bytes = bytes.subspan(code_bytes + sum);
    return true;
  }
  // To the first group that does not end before that.
  void skip_groups(const Key<W>& wanted) {
    const size_t before = group_;
    while (group_ < group_ends_.size() && group_ends_[group_] < wanted) ++group_;
    if (group_ == before) return;
    const uint32_t skipped = static_cast<uint32_t>(group_) * kGroupSize;
    reader_.values = values_ + group_begins_[group_];
    reader_.number = uint64_t{skipped} * W;
    reader_.left = count_ - skipped;
    reader_.element = group_ends_[group_ - 1];
  }

  DifferenceReader<W> reader_;
  const std::byte* values_ = nullptr;  // of the first element
  uint32_t count_ = 0;
  size_t group_ = 0;                    // that the last look-up ended in
  std::vector<Key<W>> group_ends_;      // without the last one
  std::vector<uint32_t> group_begins_;  // behind values_
};

}  // namespace cmc
