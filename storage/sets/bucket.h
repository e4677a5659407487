#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/check.h"

// The pieces of a KeySet (key_set.h): its buckets and its invertible hash.

namespace cmc {

// Of an odd number, modulo 2^64, by Newton's iteration: each step doubles the number of correct low bits.
constexpr uint64_t inverse_of(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

// A bijection on numbers of `bits` bits whose high bits depend on every bit of the argument: multiplications by odd
// numbers and a shift to the right, all invertible.
class InvertibleMixer {
 public:
  explicit InvertibleMixer(unsigned bits) : mask_(~uint64_t{0} >> (64 - bits)), shift_((bits + 1) / 2) {}

  [[nodiscard]] uint64_t mask() const { return mask_; }
  [[nodiscard]] uint64_t mix(uint64_t x) const {
    x = (x * kFirst) & mask_;
    x ^= x >> shift_;
    return (x * kSecond) & mask_;
  }
  [[nodiscard]] uint64_t unmix(uint64_t x) const {
    x = (x * kSecondInverse) & mask_;
    x ^= x >> shift_;  // shift_ is at least half of the bits: its own inverse
    return (x * kFirstInverse) & mask_;
  }

 private:
  static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15ULL;
  static constexpr uint64_t kSecond = 0xd6e8feb86659fd93ULL;
  static constexpr uint64_t kFirstInverse = inverse_of(kFirst);
  static constexpr uint64_t kSecondInverse = inverse_of(kSecond);

  uint64_t mask_;
  unsigned shift_;
};

// How a bucket of some cache lines is divided, in bits from its beginning:
//
//   count (7 bits), lock (1), tags (8 each, `slots` of them), tails (tail_bits each), values (value_bits each)
//
// A tail is the rest of the hash and the bit that tells displaced keys (rest_bits), then the used bits of words 1...
// Values fill whole words at the end of the bucket, and none lies in two words: so a value is read and changed by one
// atomic access, whatever is appended meanwhile.
struct BucketShape {
  static constexpr unsigned kMostSlots = 63;

  unsigned words = 0;  // of a bucket
  unsigned slots = 0;
  unsigned rest_bits = 0;
  unsigned tail_bits = 0;
  unsigned tails_begin = 0;
  unsigned value_bits = 0;
  unsigned values_per_word = 0;
  unsigned values_begin = 0;  // word

  static constexpr unsigned kMostValueBits = 32;

  BucketShape() = default;
  BucketShape(unsigned lines, unsigned rest_bits_, unsigned more_bits, unsigned value_bits_ = 0)
      : words(8 * lines),
        rest_bits(rest_bits_),
        tail_bits(rest_bits_ + more_bits),
        value_bits(value_bits_),
        values_per_word(value_bits_ == 0 ? 0 : 64 / value_bits_) {
    slots = (512 * lines - 8) / (8 + tail_bits);
    if (slots > kMostSlots) slots = kMostSlots;
    while (slots > 0 && 8 + slots * (8 + tail_bits) + 64 * value_words() > 512 * lines) --slots;
    CHECK(slots > 0 && value_bits <= kMostValueBits);
    tails_begin = 8 + 8 * slots;
    values_begin = 8 * lines - value_words();
  }

 private:
  [[nodiscard]] unsigned value_words() const {
    return value_bits == 0 ? 0 : (slots + values_per_word - 1) / values_per_word;
  }
};

// What is stored of a key.
template <unsigned W>
struct BucketRecord {
  uint8_t tag = 0;
  uint64_t rest = 0;
  std::array<uint64_t, W - 1> more{};  // words 1..
};

// Reads and writes one bucket, of keys of at most W words. Slots below the count never change, so they can be read
// while another thread appends: then all accesses are to whole words. They need not be for a thread that has the
// bucket, and what is behind it, for itself (kAlone).
template <unsigned W, bool kAlone = false>
class BucketAccess {
 public:
  using Record = BucketRecord<W>;

  BucketAccess(uint64_t* words, const BucketShape& shape, const std::array<unsigned, W>& word_bits)
      : words_(words), shape_(shape), word_bits_(word_bits) {}

  [[nodiscard]] unsigned count() const {
    if constexpr (kAlone) return std::to_integer<unsigned>(bytes()[0]) & kCountMask;
    return first_word(std::memory_order_acquire) & kCountMask;
  }

  // Whether the record is in one of the slots begin..end-1.
  [[nodiscard, gnu::always_inline]] bool find(const Record& record, unsigned begin, unsigned end) const {
    uint64_t candidates = tags_equal(record.tag) & ((uint64_t{1} << end) - (uint64_t{1} << begin));
    while (candidates != 0) {
      const unsigned slot = static_cast<unsigned>(std::countr_zero(candidates));
      candidates &= candidates - 1;
      if (tail_equals(slot, record)) return true;
    }
    return false;
  }

  static constexpr unsigned kNowhere = ~0U;
  // The slot below `end` that has the record, or kNowhere.
  [[nodiscard]] unsigned slot_of(const Record& record, unsigned end) const {
    uint64_t candidates = tags_equal(record.tag) & ((uint64_t{1} << end) - 1);
    for (; candidates != 0; candidates &= candidates - 1) {
      const unsigned slot = static_cast<unsigned>(std::countr_zero(candidates));
      if (tail_equals(slot, record)) return slot;
    }
    return kNowhere;
  }

  // The value of a slot below the count. REQUIRES (of all that have to do with values): value_bits > 0.
  [[nodiscard]] uint64_t value(unsigned slot) const {
    const ValuePlace place(shape_, slot);
    return word(place.word) >> place.shift & place.mask;
  }
  // Whether any value is not 0.
  [[nodiscard]] bool has_values() const {
    uint64_t any = 0;
    for (unsigned index = shape_.values_begin; index < shape_.words; ++index) any |= word(index);
    return any != 0;
  }
  // To change(value); returns the value before. Any number of threads may do so at the same time: change() may be
  // called again. A value that stays is not written.
  template <class Change>
  uint64_t change_value(unsigned slot, Change&& change) {
    const ValuePlace place(shape_, slot);
    std::atomic_ref<uint64_t> word(words_[place.word]);
    uint64_t old = word.load(std::memory_order_seq_cst);
    for (;;) {
      const uint64_t before = old >> place.shift & place.mask;
      const uint64_t after = change(before);
      DCHECK((after & ~place.mask) == 0);
      if (after == before) return before;
      const uint64_t changed = (old & ~(place.mask << place.shift)) | after << place.shift;
      if (word.compare_exchange_weak(old, changed, std::memory_order_seq_cst)) return before;
    }
  }

  [[nodiscard, gnu::always_inline]] Record get(unsigned slot) const {
    Record record;
    if constexpr (kAlone) {
      record.tag = std::to_integer<uint8_t>(bytes()[1 + slot]);
    } else {
      record.tag = static_cast<uint8_t>(bits(8 + 8 * slot, 8));
    }
    unsigned at = shape_.tails_begin + slot * shape_.tail_bits;
    if (tail_is_one()) {
      uint64_t tail = bits(at, shape_.tail_bits);
      record.rest = tail & ~(~uint64_t{0} << shape_.rest_bits);
      tail >>= shape_.rest_bits;
      for (unsigned i = 1; i < W && word_bits_[i] > 0; ++i) {
        record.more[i - 1] = tail & ~(~uint64_t{0} << word_bits_[i]);
        tail >>= word_bits_[i];
      }
      return record;
    }
    record.rest = bits(at, shape_.rest_bits);
    at += shape_.rest_bits;
    for (unsigned i = 1; i < W && word_bits_[i] > 0; ++i) {
      record.more[i - 1] = bits(at, word_bits_[i]);
      at += word_bits_[i];
    }
    return record;
  }

  // Writes slot number `count`, then the new count, which also unlocks.
  [[gnu::always_inline]] void append(const Record& record, unsigned count) {
    DCHECK(count < shape_.slots);
    unsigned at = shape_.tails_begin + count * shape_.tail_bits;
    if (tail_is_one()) {
      put(at, shape_.tail_bits, tail_of(record));
    } else {
      put(at, shape_.rest_bits, record.rest);
      at += shape_.rest_bits;
      for (unsigned i = 1; i < W && word_bits_[i] > 0; ++i) {
        put(at, word_bits_[i], record.more[i - 1]);
        at += word_bits_[i];
      }
    }
    if constexpr (kAlone) {  // bytes: a word that holds what was stored a moment ago would have to wait for it
      bytes()[1 + count] = std::byte{record.tag};
      bytes()[0] = static_cast<std::byte>(count + 1);
    } else {
      put(8 + 8 * count, 8, record.tag);
      unlock(count + 1);
    }
  }

  // Returns the count.
  unsigned lock() {
    std::atomic_ref<uint64_t> word(words_[0]);
    for (;;) {
      uint64_t old = word.load(std::memory_order_relaxed);
      if ((old & kLock) == 0 && word.compare_exchange_weak(old, old | kLock, std::memory_order_acquire)) {
        return static_cast<unsigned>(old) & kCountMask;
      }
    }
  }
  void unlock(unsigned count) {
    std::atomic_ref<uint64_t> word(words_[0]);
    const uint64_t old = word.load(std::memory_order_relaxed);
    word.store((old & ~(kLock | kCountMask)) | count, std::memory_order_release);
  }

 private:
  struct ValuePlace {
    ValuePlace(const BucketShape& shape, unsigned slot)
        : word(shape.values_begin + slot / shape.values_per_word),
          shift(slot % shape.values_per_word * shape.value_bits),
          mask((uint64_t{1} << shape.value_bits) - 1) {
      DCHECK(shape.value_bits > 0 && slot < shape.slots);
    }
    unsigned word;
    unsigned shift;
    uint64_t mask;
  };

  static constexpr unsigned kMostUnaligned = 57;  // bits of 8 bytes, whichever bit of the first one they begin with
  static constexpr uint32_t kCountMask = 0x7f;
  static constexpr uint64_t kLock = 0x80;

  [[nodiscard]] uint32_t first_word(std::memory_order order) const {
    return static_cast<uint32_t>(std::atomic_ref<uint64_t>(words_[0]).load(order));
  }
  [[nodiscard]] uint64_t word(unsigned index) const {
    return std::atomic_ref<uint64_t>(words_[index]).load(std::memory_order_relaxed);
  }
  void set_word(unsigned index, uint64_t value) {
    std::atomic_ref<uint64_t>(words_[index]).store(value, std::memory_order_relaxed);
  }

  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(words_); }
  [[nodiscard, gnu::always_inline]] uint64_t unaligned(unsigned byte) const {
    uint64_t value;
    std::memcpy(&value, bytes() + byte, sizeof(value));
    return value;
  }
  // The bits at positions at..at+width-1, 1 <= width <= 64. Without a branch; so it may read a word behind the
  // bucket.
  [[nodiscard, gnu::always_inline]] uint64_t bits(unsigned at, unsigned width) const {
    if constexpr (kAlone) {
      if (width <= kMostUnaligned) [[likely]]
        return unaligned(at / 8) >> at % 8 & (~uint64_t{0} >> (64 - width));
    }
    const unsigned index = at / 64;
    const unsigned shift = at % 64;
    const uint64_t value = word(index) >> shift | word(index + 1) << 1 << (63 - shift);
    return value & (~uint64_t{0} >> (64 - width));
  }
  // Where nothing has been written yet, all bits are zero.
  [[gnu::always_inline]] void put(unsigned at, unsigned width, uint64_t value) {
    DCHECK(width == 64 || value >> width == 0);
    if constexpr (kAlone) {
      if (width <= kMostUnaligned) [[likely]] {
        const uint64_t changed = unaligned(at / 8) | value << at % 8;
        std::memcpy(bytes() + at / 8, &changed, sizeof(changed));
        return;
      }
    }
    const unsigned index = at / 64;
    const unsigned shift = at % 64;
    set_word(index, word(index) | value << shift);
    if (shift + width > 64) set_word(index + 1, word(index + 1) | value >> (64 - shift));
  }

  // Whether the pieces of a tail are read and written at once: each writes into the bytes of the one before, and
  // would wait for it.
  [[nodiscard, gnu::always_inline]] bool tail_is_one() const { return W > 1 && shape_.tail_bits <= kMostUnaligned; }
  [[nodiscard, gnu::always_inline]] uint64_t tail_of(const Record& record) const {
    uint64_t tail = record.rest;
    unsigned at = shape_.rest_bits;
    for (unsigned i = 1; i < W && word_bits_[i] > 0; ++i) {
      tail |= record.more[i - 1] << at;
      at += word_bits_[i];
    }
    return tail;
  }

  [[nodiscard, gnu::always_inline]] bool tail_equals(unsigned slot, const Record& record) const {
    unsigned at = shape_.tails_begin + slot * shape_.tail_bits;
    if (tail_is_one()) return bits(at, shape_.tail_bits) == tail_of(record);
    if (bits(at, shape_.rest_bits) != record.rest) return false;
    at += shape_.rest_bits;
    for (unsigned i = 1; i < W && word_bits_[i] > 0; ++i) {
      if (bits(at, word_bits_[i]) != record.more[i - 1]) return false;
      at += word_bits_[i];
    }
    return true;
  }

  // Bit n: the tag of slot n equals `tag`. Reads 33 bytes, or, if there are more than 32 slots, 65; what is not a tag
  // is masked by the caller.
  [[nodiscard, gnu::always_inline]] uint64_t tags_equal(uint8_t tag) const {
    uint64_t equal = 0;
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
    const char* const tags = reinterpret_cast<const char*>(words_) + 1;
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    const auto block = [&](unsigned number) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + 16 * number));
      return uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)))} << 16 * number;
    };
    equal = block(0) | block(1);
    if (shape_.slots > 32) [[unlikely]]
      equal |= block(2) | block(3);
#else
    for (unsigned slot = 0; slot < shape_.slots; ++slot) {
      if (bits(8 + 8 * slot, 8) == tag) equal |= uint64_t{1} << slot;
    }
#endif
    return equal;
  }

  uint64_t* words_;
  const BucketShape& shape_;
  const std::array<unsigned, W>& word_bits_;
};

}  // namespace cmc
