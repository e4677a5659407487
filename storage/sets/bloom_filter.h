#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/sets/page_memory.h"

namespace cmc {

// A set of 64-bit hashes that errs towards "there": "not there" is certain (Bloom, "Space/time trade-offs in hash
// coding with allowable errors", 1970). Blocked (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom
// filters", 2007): all k bits of a hash are in one cache line of 512 bits, so that a query misses the cache once;
// with 10 bits per entry and k = 4 1.5 % of queries err instead of 1.2 %. Not thread-safe.
//
// A filter whose hashes are not at hand any more grows by a further part (Almeida et al., "Scalable Bloom Filters",
// 2007): new hashes go there, and a query looks at all parts.
//
// When 15 of 16 bits are set, so that hardly any query is resolved, the filter is saturated: it says "there" to
// everything, and gives its memory back.
//
// The high bits of a hash choose the block, 9 others each bit: k = 1 is a plain bitmap.
class BloomFilter {
 public:
  static constexpr unsigned kMostHashes = 8;
  static constexpr uint64_t kBlockBits = 512;

  struct Figures {
    uint64_t partial_collisions = 0;  // inserted with some but not all bits set already
    uint64_t bits_set = 0;
    uint64_t entries = 0;
    uint64_t queries = 0;
    uint64_t resolved = 0;  // answered "not there"
  };

  // `bits` is rounded up to whole blocks.
  BloomFilter(uint64_t bits, unsigned hashes) : hashes_(hashes), newest_(bits) {
    CHECK(hashes >= 1 && hashes <= kMostHashes);
  }

  [[gnu::always_inline]] void prefetch(uint64_t hash) const {
    if (saturated_) return;
    __builtin_prefetch(newest_.block(hash), 1);
    for (const Part& part : older_) __builtin_prefetch(part.block(hash));
  }

  // Whether the hash may be there.
  [[nodiscard]] bool query(uint64_t hash) {
    ++figures_.queries;
    if (saturated_ || may_have(newest_, hash)) return true;
    for (const Part& part : older_) {
      if (may_have(part, hash)) return true;
    }
    ++figures_.resolved;
    return false;
  }

  void insert(uint64_t hash) {
    ++figures_.entries;
    if (saturated_) return;
    uint64_t* const words = newest_.block(hash);
    // Without branches, which could not be predicted. Two of the functions may give the same bit.
    uint64_t old = 0;
    for_each_bit(hash, [&](uint64_t bit) { old |= words[bit / 64] >> bit % 64; });
    uint64_t set = 0;
    for_each_bit(hash, [&](uint64_t bit) {
      const uint64_t before = words[bit / 64];
      set += ~before >> bit % 64 & 1;
      words[bit / 64] = before | uint64_t{1} << bit % 64;
    });
    newest_.bits_set += set;
    figures_.bits_set += set;
    figures_.partial_collisions += old & static_cast<uint64_t>(set > 0) & 1;
    if (newest_.bits_set > newest_.bits() / 16 * 15) release();
  }

  // As query(), but not counted.
  [[nodiscard]] bool contains(uint64_t hash) const {
    return saturated_ || may_have(newest_, hash) ||
           std::ranges::any_of(older_, [&](const Part& part) { return may_have(part, hash); });
  }
  // A hash all of whose bits are set.
  void count_insertion() { ++figures_.entries; }

  // Whether so many bits of the newest part are set that a filter that may grow should: half of them.
  [[nodiscard]] bool crowded() const { return newest_.bits_set > newest_.bits() / 2; }
  // Adds a part for the hashes to come.
  void extend(uint64_t bits) {
    if (saturated_) return;
    older_.push_back(std::exchange(newest_, Part(bits)));
  }
  // Counts on where a filter of the same hashes stopped; bits set and partial collisions are this one's.
  void continue_counting(const BloomFilter& other) {
    figures_.entries = other.figures_.entries;
    figures_.queries = other.figures_.queries;
    figures_.resolved = other.figures_.resolved;
  }

  // Whether it is not worth its time to make another one with the same content.
  [[nodiscard]] bool nearly_saturated() const { return saturated_ || figures_.bits_set > bits() / 4 * 3; }
  [[nodiscard]] bool saturated() const { return saturated_; }
  // As if all bits were set.
  void saturate() {
    figures_.bits_set = bits();
    release();
  }
  // Of a saturated filter.
  [[nodiscard]] uint64_t freed_bytes() const { return freed_bits_ / 8; }

  [[nodiscard]] const Figures& figures() const { return figures_; }
  [[nodiscard]] uint64_t bits() const {
    if (saturated_) return freed_bits_;
    uint64_t total = newest_.bits();
    for (const Part& part : older_) total += part.bits();
    return total;
  }
  [[nodiscard]] uint64_t newest_bits() const { return newest_.bits(); }
  [[nodiscard]] unsigned hashes() const { return hashes_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    uint64_t total = newest_.memory.size();
    for (const Part& part : older_) total += part.memory.size();
    return total;
  }
  // Counts bits: for tests.
  void check_invariants() const {
    CHECK(figures_.resolved <= figures_.queries);
    CHECK(figures_.partial_collisions <= figures_.entries);
    if (saturated_) {
      CHECK(memory_bytes() == 0);
      return;
    }
    uint64_t set = newest_.count_bits();
    CHECK(set == newest_.bits_set);
    for (const Part& part : older_) set += part.count_bits();
    CHECK(set == figures_.bits_set);
  }

 private:
  struct Part {
    explicit Part(uint64_t bits)
        : blocks(std::max<uint64_t>(1, (bits + kBlockBits - 1) / kBlockBits)), memory(blocks * kBlockBits / 8, 0) {}
    [[nodiscard]] uint64_t bits() const { return blocks * kBlockBits; }
    [[nodiscard]] uint64_t* block(uint64_t hash) const {
      const uint64_t number = static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * blocks) >> 64);
      return static_cast<uint64_t*>(memory.data()) + number * (kBlockBits / 64);
    }
    [[nodiscard]] uint64_t count_bits() const {
      const uint64_t* const words = static_cast<const uint64_t*>(memory.data());
      uint64_t set = 0;
      for (uint64_t i = 0; i < bits() / 64; ++i) set += static_cast<uint64_t>(std::popcount(words[i]));
      return set;
    }
    uint64_t blocks;
    PageMemory memory;
    uint64_t bits_set = 0;
  };

  void release() {
    if (saturated_) return;
    freed_bits_ = bits();
    saturated_ = true;
    older_.clear();
    newest_.memory = {};
  }
  [[nodiscard, gnu::always_inline]] bool may_have(const Part& part, uint64_t hash) const {
    const uint64_t* const words = part.block(hash);
    uint64_t all = 1;
    for_each_bit(hash, [&](uint64_t bit) { all &= words[bit / 64] >> bit % 64; });
    return (all & 1) != 0;
  }
  // The block is chosen by the high bits; the bits in it by a product of all, so that few hashes share a pattern.
  template <class Visit>
  [[gnu::always_inline]] void for_each_bit(uint64_t hash, Visit&& visit) const {
    uint64_t bits = hash * 0x9e3779b97f4a7c15ULL;
    for (unsigned i = 0; i < hashes_; ++i) {
      visit(bits >> (64 - 9));
      bits = i % 2 == 0 ? std::rotl(bits, 9) : bits * 0xd6e8feb86659fd93ULL;
    }
  }

  unsigned hashes_;
  Part newest_;
  std::vector<Part> older_;
  Figures figures_;
  bool saturated_ = false;
  uint64_t freed_bits_ = 0;
};

}  // namespace cmc
