#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/check.h"
#include "storage/cache/bit_field.h"
#include "storage/options/evaluator.h"
#include "storage/pages/state_hash.h"
#include "storage/sets/key.h"
#include "storage/sets/page_memory.h"

namespace cmc {

// A set of permuted keys, of at most `capacity` ones, that can evict some of them: "there" is certain, "not
// there" is certain only while nothing has been evicted. Not thread-safe.
//
// Compact by quotienting, as KeySet: the hash (word 0) modulo the number of buckets, which is odd, says where a key
// belongs, the quotient is stored. A bucket has W cache lines:
//
//   count (8 bits), reach (8), tags (8 each: low bits of the quotient), Meta (8 each), tails (tail_bits each)
//
// A tail is the rest of the quotient, the distance from the key's home bucket (6 bits), the used bits of words 1... A
// key goes to the first bucket behind its home with a free slot; the home's `reach` is the greatest distance that any
// of its keys has (or had), so that most look-ups read one line. Up to a load of 85 %, a key hardly ever finds no
// free slot within 63 buckets (none of 10 million; within 31 about 3 in a million): then insert() refuses. From then
// on, crowded(), replace() puts keys into their homes only, so that all slots are used in the end.
//
// 43-bit keys, capacity 10 million: 13 slots a line, 5 bytes per state with its counters.
//
// reclaim() works like CLOCK (Corbató, 1968): a hand goes round the table; the worst of the next 8 times as many
// entries are evicted, the others become older. Thus it looks at a bounded number of entries per evicted one, and
// "age" is the number of times that the hand has passed, about 8 in a whole life.
template <unsigned W>
class LossyCache {
 public:
  // word_bits[0] is not used: it is the hash.
  LossyCache(uint64_t capacity, Evaluator evaluator, unsigned hash_bits, const std::array<unsigned, W>& word_bits)
      : capacity_(capacity), evaluator_(evaluator), word_bits_(word_bits) {
    CHECK(capacity > 0 && hash_bits < 64);
    for (unsigned i = 1; i < W; ++i) more_bits_ += word_bits[i];
    const Geometry geometry(capacity, uint64_t{1} << hash_bits, more_bits_);
    buckets_ = geometry.buckets;
    rest_bits_ = geometry.rest_bits;
    tail_bits_ = geometry.tail_bits;
    slots_ = geometry.slots;
    crowded_at_ = std::min(capacity, buckets_ * slots_ * kCrowdedPercent / 100);
    reciprocal_ = ~uint64_t{0} / buckets_;
    furthest_ = static_cast<unsigned>(std::min<uint64_t>((1u << kDistanceBits) - 1, buckets_ - 1));
    tails_at_ = 8 * (metas_at() + slots_);
    memory_ = PageMemory((buckets_ * kWords + 1) * sizeof(uint64_t), 0);
    for (unsigned bits = 0; bits < 256; ++bits) {
      scores_[bits] = score(evaluator, Meta(static_cast<uint8_t>(bits)));
    }
  }

  // always_inline: GCC drops calls of a function that only prefetches.
  [[gnu::always_inline]] void prefetch(uint64_t hash) const {
    const uint64_t* const line = bucket(place(hash).bucket);
    for (unsigned i = 0; i < W; ++i) __builtin_prefetch(line + 8 * i, 1);
  }

  [[nodiscard]] bool contains(const Key<W>& key) { return find(key) != nullptr; }
  // Whether it is there; then its evaluation counts one more look-up.
  [[nodiscard]] bool meet(const Key<W>& key) {
    std::byte* const meta = find(key);
    if (meta == nullptr) return false;
    *meta = std::byte{met(evaluator_, Meta(std::to_integer<uint8_t>(*meta))).bits()};
    return true;
  }
  void set_outgoing(const Key<W>& key, uint64_t successors) {
    std::byte* const meta = find(key);
    if (meta == nullptr) return;
    *meta = std::byte{expanded(evaluator_, Meta(std::to_integer<uint8_t>(*meta)), successors).bits()};
  }

  [[nodiscard]] bool full() const { return size_ >= capacity_; }
  [[nodiscard]] bool crowded() const { return size_ >= crowded_at_; }
  // REQUIRES: it is not there, and the cache is not full. False: no slot near its home is free.
  [[nodiscard]] bool insert(const Key<W>& key, Meta meta) {
    DCHECK(!full() && find(key) == nullptr);
    const Place at = place(key[0]);
    uint64_t number = at.bucket;
    for (unsigned distance = 0; distance <= furthest_; ++distance) {
      const unsigned count = count_of(bytes(bucket(number)));
      if (count < slots_) {
        put_last(number, count, at.quotient, distance, key, meta);
        std::byte& reach = bytes(bucket(at.bucket))[1];
        reach = std::max(reach, static_cast<std::byte>(distance));
        return true;
      }
      if (++number == buckets_) number = 0;
    }
    return false;
  }
  [[nodiscard]] bool insert(const Key<W>& key) { return insert(key, first_meta(evaluator_)); }

  // Removes the `count` worst of the next entries, all if there are fewer; sink(key, meta) for each. Returns how
  // many.
  template <class Sink>
  uint64_t reclaim(uint64_t count, Sink&& sink) {
    count = std::min(count, size_);
    if (count == 0) return 0;
    std::array<uint64_t, 256> histogram{};
    const uint64_t wanted = std::min(size_, count > size_ / kWindow ? size_ : kWindow * count);
    uint64_t window = 0;  // buckets
    uint64_t number = hand_;
    for (uint64_t seen = 0; seen < wanted && window < buckets_; ++window) {
      const std::byte* const header = bytes(bucket(number));
      const unsigned entries = count_of(header);
      for (unsigned slot = 0; slot < entries; ++slot) ++histogram[score_at(header, slot)];
      seen += entries;
      if (++number == buckets_) number = 0;
    }
    Cut cut{255, count, 0, 0};
    while (cut.quota > histogram[cut.score]) cut.quota -= histogram[cut.score--];
    cut.ties = histogram[cut.score];
    const uint64_t before = size_;
    number = hand_;
    for (uint64_t i = 0; i < window; ++i) {
      sweep_bucket(number, cut, sink);
      if (++number == buckets_) number = 0;
    }
    for (uint64_t i = 0; i < window; ++i) {
      shorten_reach(hand_);
      if (++hand_ == buckets_) hand_ = 0;
    }
    return before - size_;
  }

  // Puts a key in the place of the worst entry where it belongs, sink(key, meta) for that; the others there become
  // older. If there is room, and the cache is not full(), nothing has to go. REQUIRES: it is not there; the cache is
  // crowded(), or insert() has refused.
  template <class Sink>
  void replace(const Key<W>& key, Meta meta, Sink&& sink) {
    const Place at = place(key[0]);
    uint64_t number = at.bucket;
    if (const unsigned count = count_of(bytes(bucket(number))); count < slots_ && !full()) {
      put_last(number, count, at.quotient, 0, key, meta);
      return;
    }
    while (count_of(bytes(bucket(number))) == 0) number = number + 1 == buckets_ ? 0 : number + 1;
    uint64_t* const words = bucket(number);
    std::byte* const header = bytes(words);
    DCHECK(find(key) == nullptr);
    const uint8_t count = static_cast<uint8_t>(count_of(header));
    std::array<uint8_t, 32> metas;  // and the first tails: always as many, without a branch
    std::memcpy(metas.data(), header + metas_at(), metas.size());
    uint8_t worst = 0;
    unsigned its_score = 0;
    for (uint8_t slot = 0; slot < count; ++slot) {
      const unsigned score = scores_[metas[slot]] + 1u;
      worst = score > its_score ? slot : worst;
      its_score = std::max(its_score, score);
    }
    const Meta its_meta(metas[worst]);
    sink(entry_key(number, worst), its_meta);
    if (number != at.bucket) {  // which is empty
      erase(words, worst);
      shorten_reach(number);
      CHECK(insert(key, meta));
      return;
    }
    own_ += (meta.copy() ? 0 : 1) - (its_meta.copy() ? 0 : 1);
    for (unsigned slot = 0; slot < metas.size(); ++slot) {
      const uint8_t other = kNumbers[slot] < count ? Meta(metas[slot]).older().bits() : metas[slot];
      metas[slot] = kNumbers[slot] == worst ? meta.bits() : other;
    }
    std::memcpy(header + metas_at(), metas.data(), metas.size());
    header[2 + worst] = static_cast<std::byte>(at.quotient);
    put_tail(words, worst, at.quotient, 0, key);
    shorten_reach(number);
  }

  // visit(key, meta) for all.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (uint64_t number = 0; number < buckets_; ++number) {
      const std::byte* const header = bytes(bucket(number));
      for (unsigned slot = 0; slot < count_of(header); ++slot) {
        visit(entry_key(number, slot), meta_at(header, slot));
      }
    }
  }

  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] uint64_t own() const { return own_; }  // without copies
  [[nodiscard]] uint64_t capacity() const { return capacity_; }
  [[nodiscard]] uint64_t memory_bytes() const { return memory_.size(); }

  // What a cache for keys takes whose word 0 has `hash_bits` bits, and the others `more_bits`.
  [[nodiscard]] static uint64_t bytes_for(uint64_t capacity, unsigned hash_bits, unsigned more_bits) {
    return Geometry(capacity, uint64_t{1} << hash_bits, more_bits).buckets * kWords * sizeof(uint64_t);
  }
  // The greatest capacity that takes no more than that; at least 1.
  [[nodiscard]] static uint64_t capacity_for(uint64_t bytes, unsigned hash_bits, unsigned more_bits) {
    uint64_t capacity = 1;
    for (uint64_t step = std::bit_floor(bytes) / 2; step > 0; step /= 2) {
      if (bytes_for(capacity + step, hash_bits, more_bits) <= bytes) capacity += step;
    }
    return capacity;
  }
  // Goes over all entries: for tests.
  void check_invariants() const {
    uint64_t size = 0;
    uint64_t own = 0;
    for (uint64_t number = 0; number < buckets_; ++number) {
      const std::byte* const header = bytes(bucket(number));
      CHECK(count_of(header) <= slots_);
      for (unsigned slot = 0; slot < count_of(header); ++slot) {
        const unsigned distance = distance_of(bucket(number), slot);
        const uint64_t home = (number + buckets_ - distance) % buckets_;
        CHECK(distance <= std::to_integer<unsigned>(bytes(bucket(home))[1]));
        CHECK(place(entry_key(number, slot)[0]).bucket == home);
        ++size;
        own += meta_at(header, slot).copy() ? 0 : 1;
      }
    }
    CHECK(size == size_ && own == own_);
    CHECK(size_ <= capacity_);
  }

 private:
  static constexpr unsigned kWords = 8 * W;   // of a bucket
  static constexpr unsigned kMostSlots = 30;  // tags are compared 32 at a time, behind the first two bytes
  static constexpr unsigned kDistanceBits = 6;
  static constexpr unsigned kCrowdedPercent = 85;
  static constexpr uint64_t kWindow = 8;
  static constexpr std::array<uint8_t, 32> kNumbers = [] {
    std::array<uint8_t, 32> numbers{};
    for (uint8_t i = 0; i < 32; ++i) numbers[i] = i;
    return numbers;
  }();

  struct Place {
    uint64_t bucket = 0;
    uint64_t quotient = 0;
  };

  // The fewest buckets that have room for the capacity: the more there are, the shorter the quotients.
  struct Geometry {
    Geometry(uint64_t capacity, uint64_t hashes, unsigned more_bits) {
      for (unsigned wanted = kMostSlots; wanted > 0; --wanted) {
        buckets = (capacity + wanted - 1) / wanted | 1;
        const unsigned quotient_bits = std::max(8u, static_cast<unsigned>(std::bit_width((hashes - 1) / buckets)));
        rest_bits = quotient_bits - 8 + kDistanceBits;
        tail_bits = rest_bits + more_bits;
        slots = std::min(kMostSlots, (512 * W - 16) / (16 + tail_bits));
        if (slots >= wanted) return;
      }
      CHECK(false);
    }
    uint64_t buckets = 1;
    unsigned rest_bits = 0;
    unsigned tail_bits = 0;
    unsigned slots = 0;
  };

  [[nodiscard]] Place place(uint64_t hash) const {
    uint64_t quotient = static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * reciprocal_) >> 64);
    uint64_t rest = hash - quotient * buckets_;
    while (rest >= buckets_) rest -= buckets_, ++quotient;  // once at most, or twice
    return {rest, quotient};
  }

  [[nodiscard]] uint64_t* bucket(uint64_t number) const {
    return static_cast<uint64_t*>(memory_.data()) + number * kWords;
  }
  static std::byte* bytes(uint64_t* words) { return reinterpret_cast<std::byte*>(words); }
  static unsigned count_of(const std::byte* header) { return std::to_integer<unsigned>(header[0]); }
  [[nodiscard]] size_t metas_at() const { return 2 + slots_; }
  [[nodiscard]] Meta meta_at(const std::byte* header, unsigned slot) const {
    return Meta(std::to_integer<uint8_t>(header[metas_at() + slot]));
  }
  [[nodiscard]] uint8_t score_at(const std::byte* header, unsigned slot) const {
    return scores_[std::to_integer<uint8_t>(header[metas_at() + slot])];
  }
  [[nodiscard]] uint64_t tail_at(unsigned slot) const { return tails_at_ + uint64_t{slot} * tail_bits_; }

  // Its Meta, or null.
  [[nodiscard]] std::byte* find(const Key<W>& key) {
    const Place at = place(key[0]);
    uint64_t number = at.bucket;
    const unsigned reach = std::to_integer<unsigned>(bytes(bucket(number))[1]);
    for (unsigned distance = 0;; ++distance) {
      uint64_t* const words = bucket(number);
      uint32_t equal = tags_equal(bytes(words), static_cast<uint8_t>(at.quotient));
      while (equal != 0) {
        const unsigned slot = static_cast<unsigned>(std::countr_zero(equal));
        equal &= equal - 1;
        if (tail_equals(words, slot, at.quotient >> 8 << kDistanceBits | distance, key)) {
          return bytes(words) + metas_at() + slot;
        }
      }
      if (distance == reach) return nullptr;
      if (++number == buckets_) number = 0;
    }
  }
  [[nodiscard]] uint32_t tags_equal(const std::byte* header, uint8_t tag) const {
    const uint32_t used = (uint32_t{1} << count_of(header)) - 1;
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(header + 2));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(header + 18));
    return used & (static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, wanted))) |
                   static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, wanted))) << 16);
#else
    uint32_t equal = 0;
    for (unsigned slot = 0; slot < slots_; ++slot) {
      if (header[2 + slot] == std::byte{tag}) equal |= uint32_t{1} << slot;
    }
    return equal & used;
#endif
  }
  [[nodiscard]] bool tail_equals(const uint64_t* words, unsigned slot, uint64_t rest, const Key<W>& key) const {
    uint64_t at = tail_at(slot);
    if (get_bits(words, at, rest_bits_) != rest) return false;
    at += rest_bits_;
    for (unsigned i = 1; i < W; ++i) {
      if (word_bits_[i] == 0) continue;
      if (get_bits(words, at, word_bits_[i]) != key[i]) return false;
      at += word_bits_[i];
    }
    return true;
  }

  // Into a bucket with `count` entries, which has room.
  void put_last(uint64_t number, unsigned count, uint64_t quotient, unsigned distance, const Key<W>& key, Meta meta) {
    DCHECK(number < buckets_ && count < slots_ && distance <= furthest_);
    DCHECK(size_ < capacity_);
    uint64_t* const words = bucket(number);
    std::byte* const header = bytes(words);
    put_tail(words, count, quotient, distance, key);
    header[2 + count] = static_cast<std::byte>(quotient);
    header[metas_at() + count] = std::byte{meta.bits()};
    header[0] = static_cast<std::byte>(count + 1);
    ++size_;
    own_ += meta.copy() ? 0 : 1;
  }
  void put_tail(uint64_t* words, unsigned slot, uint64_t quotient, unsigned distance, const Key<W>& key) {
    uint64_t at = tail_at(slot);
    put_bits(words, at, rest_bits_, quotient >> 8 << kDistanceBits | distance);
    at += rest_bits_;
    for (unsigned i = 1; i < W; ++i) {
      if (word_bits_[i] == 0) continue;
      put_bits(words, at, word_bits_[i], key[i]);
      at += word_bits_[i];
    }
  }
  [[nodiscard]] unsigned distance_of(const uint64_t* words, unsigned slot) const {
    return static_cast<unsigned>(get_bits(words, tail_at(slot), kDistanceBits));
  }
  [[nodiscard]] Key<W> entry_key(uint64_t number, unsigned slot) const {
    const uint64_t* const words = bucket(number);
    uint64_t at = tail_at(slot);
    const uint64_t rest = get_bits(words, at, rest_bits_);
    at += rest_bits_;
    const uint64_t distance = rest & ((1u << kDistanceBits) - 1);
    const uint64_t home = number >= distance ? number - distance : number + buckets_ - distance;
    const uint64_t tag = std::to_integer<uint64_t>(reinterpret_cast<const std::byte*>(words)[2 + slot]);
    Key<W> key{};
    key[0] = (rest >> kDistanceBits << 8 | tag) * buckets_ + home;
    for (unsigned i = 1; i < W; ++i) {
      if (word_bits_[i] == 0) continue;
      key[i] = get_bits(words, at, word_bits_[i]);
      at += word_bits_[i];
    }
    return key;
  }
  // The last entry takes its place.
  void erase(uint64_t* words, unsigned slot) {
    std::byte* const header = bytes(words);
    DCHECK(slot < count_of(header) && size_ > 0);
    const unsigned last = count_of(header) - 1;
    own_ -= meta_at(header, slot).copy() ? 0 : 1;
    if (slot != last) {
      header[2 + slot] = header[2 + last];
      header[metas_at() + slot] = header[metas_at() + last];
      for (unsigned done = 0; done < tail_bits_; done += 64) {
        const unsigned width = std::min(64u, tail_bits_ - done);
        put_bits(words, tail_at(slot) + done, width, get_bits(words, tail_at(last) + done, width));
      }
    }
    header[0] = static_cast<std::byte>(last);
    --size_;
  }

  // Evicted are all with a greater score, and `quota` of those `ties` that have this one, evenly: buckets next to
  // each other must not get empty while others are full.
  struct Cut {
    unsigned score = 0;
    uint64_t quota = 0;
    uint64_t ties = 0;
    uint64_t sum = 0;
    bool takes_tie() {
      sum += quota;
      if (sum < ties) return false;
      sum -= ties;
      return true;
    }
  };
  template <class Sink>
  void sweep_bucket(uint64_t number, Cut& cut, Sink&& sink) {
    uint64_t* const words = bucket(number);
    std::byte* const header = bytes(words);
    for (unsigned slot = count_of(header); slot-- > 0;) {
      const unsigned its_score = score_at(header, slot);
      if (its_score > cut.score || (its_score == cut.score && cut.takes_tie())) {
        sink(entry_key(number, slot), meta_at(header, slot));
        erase(words, slot);
      } else {
        header[metas_at() + slot] = std::byte{meta_at(header, slot).older().bits()};
      }
    }
  }
  // Keys far from home may have gone.
  void shorten_reach(uint64_t number) {
    std::byte& reach = bytes(bucket(number))[1];
    while (reach != std::byte{0}) {
      const unsigned distance = std::to_integer<unsigned>(reach);
      uint64_t* const words = bucket((number + distance) % buckets_);
      for (unsigned slot = 0; slot < count_of(bytes(words)); ++slot) {
        if (distance_of(words, slot) == distance) return;
      }
      reach = static_cast<std::byte>(distance - 1);
    }
  }

  const uint64_t capacity_;
  uint64_t crowded_at_ = 0;
  const Evaluator evaluator_;
  const std::array<unsigned, W> word_bits_;
  unsigned more_bits_ = 0;  // in words 1..
  uint64_t buckets_ = 1;
  uint64_t reciprocal_ = 0;  // 2^64 / buckets_, or less by one
  unsigned rest_bits_ = 0;
  unsigned tail_bits_ = 0;
  unsigned slots_ = 0;
  unsigned furthest_ = 0;
  uint64_t tails_at_ = 0;  // bits from the beginning of a bucket
  PageMemory memory_;
  uint64_t size_ = 0;
  uint64_t own_ = 0;
  uint64_t hand_ = 0;                  // bucket
  std::array<uint8_t, 256> scores_{};  // by Meta
};

}  // namespace cmc
