#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/hash.h"
#include "checker/checkpoint/stream.h"
#include "storage/sets/key.h"

// Keys in ascending order, as RUN_FORMAT.md has them: blocks of up to kKeysOfBlock, each key but the first of a block
// as its difference to the one before.

namespace cmc {

inline constexpr uint32_t kKeysOfBlock = 4096;

// A key as one number of 64 * W bits, whose most significant word is word 0.
namespace wide {

// a - b. REQUIRES: b <= a.
template <unsigned W>
[[nodiscard]] Key<W> difference(Key<W> a, const Key<W>& b) {
  uint64_t borrow = 0;
  for (unsigned i = W; i-- > 0;) {
    const uint64_t word = a[i] - b[i] - borrow;
    borrow = a[i] < b[i] || (a[i] == b[i] && borrow != 0) ? 1 : 0;
    a[i] = word;
  }
  return a;
}
// a + b; false: it does not fit.
template <unsigned W>
[[nodiscard]] bool add(Key<W>& a, const Key<W>& b) {
  uint64_t carry = 0;
  for (unsigned i = W; i-- > 0;) {
    const unsigned __int128 sum = static_cast<unsigned __int128>(a[i]) + b[i] + carry;
    a[i] = static_cast<uint64_t>(sum);
    carry = static_cast<uint64_t>(sum >> 64);
  }
  return carry == 0;
}
template <unsigned W>
[[nodiscard]] unsigned bit_width(const Key<W>& key) {
  for (unsigned i = 0; i < W; ++i) {
    if (key[i] != 0) return 64 * (W - 1 - i) + static_cast<unsigned>(std::bit_width(key[i]));
  }
  return 0;
}

}  // namespace wide

template <unsigned W>
class KeyWriter {
 public:
  explicit KeyWriter(OutStream& to) : to_(to) {}

  // REQUIRES: it is greater than the one before.
  void add(const Key<W>& key) {
    DCHECK(total_ == 0 || last_ < key);
    if (count_ == kKeysOfBlock) finish();
    if (count_ == 0) {
      for (unsigned i = 0; i < W; ++i) coded_.append(reinterpret_cast<const char*>(&key.words[i]), sizeof(uint64_t));
    } else {
      put(wide::difference(key, last_));
    }
    last_ = key;
    ++count_;
    ++total_;
  }
  // The last block.
  void finish() {
    if (count_ == 0) return;
    to_.fixed(count_);
    to_.fixed(static_cast<uint32_t>(coded_.size()));
    const ByteView bytes = std::as_bytes(std::span(coded_));
    to_.fixed(crc32(bytes));
    to_.raw(bytes);
    coded_.clear();
    count_ = 0;
  }
  [[nodiscard]] uint64_t total() const { return total_; }

 private:
  void put(const Key<W>& difference) {
    const unsigned bits = wide::bit_width(difference);
    for (unsigned at = 0;; at += 7) {
      const unsigned word = W - 1 - at / 64;
      uint64_t seven = difference[word] >> at % 64;
      if (at % 64 > 57 && word > 0) seven |= difference[word - 1] << (64 - at % 64);
      const bool last = at + 7 >= bits;
      coded_ += static_cast<char>((seven & 0x7f) | (last ? 0 : 0x80));
      if (last) return;
    }
  }

  OutStream& to_;
  std::string coded_;  // of the block
  uint32_t count_ = 0;
  uint64_t total_ = 0;
  Key<W> last_{};
};

// Reads `total` keys that a KeyWriter wrote.
template <unsigned W>
class KeyReader {
 public:
  KeyReader(InStream& from, uint64_t total) : from_(from), left_(total) {}

  // False: there is none left, or the stream is in error.
  [[nodiscard]] bool next(Key<W>& key) {
    if (left_ == 0 || !from_.ok()) return false;
    if (count_ == 0 ? !open_block() : !step()) {
      from_.fail();
      return false;
    }
    --left_;
    --count_;
    key = last_;
    return true;
  }

 private:
  static constexpr size_t kMostKeyBytes = (64 * W + 6) / 7;

  [[nodiscard]] bool open_block() {
    count_ = from_.fixed<uint32_t>();
    const uint32_t bytes = from_.fixed<uint32_t>();
    const uint32_t crc = from_.fixed<uint32_t>();
    if (count_ == 0 || count_ > kKeysOfBlock || count_ > left_ || bytes > sizeof(Key<W>) + count_ * kMostKeyBytes)
      return false;
    coded_.resize(bytes);
    from_.raw(std::as_writable_bytes(std::span(coded_)));
    if (crc32(std::as_bytes(std::span(coded_))) != crc || bytes < sizeof(Key<W>)) return false;
    for (unsigned i = 0; i < W; ++i) last_[i] = load<uint64_t>(std::as_bytes(std::span(coded_)).data() + 8 * i);
    at_ = sizeof(Key<W>);
    return from_.ok();
  }
  [[nodiscard]] bool step() {
    Key<W> difference{};
    for (unsigned at = 0; at < 64 * W; at += 7) {
      if (at_ == coded_.size()) return false;
      const auto byte = static_cast<uint8_t>(coded_[at_++]);
      const uint64_t seven = byte & 0x7f;
      const unsigned word = W - 1 - at / 64;
      difference[word] |= seven << at % 64;
      if (at % 64 > 57 && word > 0) difference[word - 1] |= seven >> (64 - at % 64);
      if (byte < 0x80) return wide::bit_width(difference) > 0 && wide::add(last_, difference);
    }
    return false;
  }

  InStream& from_;
  uint64_t left_;
  std::string coded_;  // of the block
  size_t at_ = 0;
  uint32_t count_ = 0;  // of the block, left
  Key<W> last_{};
};

}  // namespace cmc
