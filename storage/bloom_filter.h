#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/check.h"
#include "storage/page_memory.h"

namespace cmc {

// A set of 64-bit hashes that errs towards "there": "not there" is certain (Bloom, "Space/time trade-offs in hash
// coding with allowable errors", 1970). Blocked (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom
// filters", 2007): all k bits of a hash are in one cache line of 512 bits, so that a query misses the cache once;
// with 10 bits per entry and k = 4 1.5 % of queries err instead of 1.2 %. Not thread-safe, but for prefetch().
//
// When 15 of 16 bits are set, so that hardly any query is resolved, it is not looked at any more: it says "there" to
// everything.
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
  BloomFilter(uint64_t bits, unsigned hashes)
      : blocks_(std::max<uint64_t>(1, (bits + kBlockBits - 1) / kBlockBits)),
        hashes_(hashes),
        memory_(blocks_ * kBlockBits / 8, 0) {
    CHECK(hashes >= 1 && hashes <= kMostHashes);
  }

  [[gnu::always_inline]] void prefetch(uint64_t hash) const {
    if (!saturated()) __builtin_prefetch(block(hash), 1);
  }

  // Whether the hash may be there.
  [[nodiscard]] bool query(uint64_t hash) {
    ++figures_.queries;
    if (saturated()) return true;
    const uint64_t* const words = block(hash);
    uint64_t all = 1;
    for_each_bit(hash, [&](uint64_t bit) { all &= words[bit / 64] >> bit % 64; });
    if ((all & 1) != 0) return true;
    ++figures_.resolved;
    return false;
  }

  void insert(uint64_t hash) {
    ++figures_.entries;
    if (saturated()) return;
    uint64_t* const words = block(hash);
    // Without branches, which could not be predicted. Two of the functions may give the same bit.
    uint64_t old = 0;
    for_each_bit(hash, [&](uint64_t bit) { old |= words[bit / 64] >> bit % 64; });
    uint64_t set = 0;
    for_each_bit(hash, [&](uint64_t bit) {
      const uint64_t before = words[bit / 64];
      set += ~before >> bit % 64 & 1;
      words[bit / 64] = before | uint64_t{1} << bit % 64;
    });
    figures_.bits_set += set;
    figures_.partial_collisions += old & static_cast<uint64_t>(set > 0) & 1;
    if (figures_.bits_set > bits() / 16 * 15) saturated_.store(true, std::memory_order_relaxed);
  }

  // A hash all of whose bits are set.
  void count_insertion() { ++figures_.entries; }

  // Whether it is not worth its time to make another one with the same content.
  [[nodiscard]] bool nearly_saturated() const { return figures_.bits_set > bits() / 4 * 3; }
  // As if all bits were set.
  void saturate() {
    figures_.bits_set = bits();
    saturated_.store(true, std::memory_order_relaxed);
  }

  [[nodiscard]] const Figures& figures() const { return figures_; }
  [[nodiscard]] uint64_t bits() const { return blocks_ * kBlockBits; }
  [[nodiscard]] unsigned hashes() const { return hashes_; }
  [[nodiscard]] uint64_t memory_bytes() const { return memory_.size(); }

 private:
  [[nodiscard]] bool saturated() const { return saturated_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t* block(uint64_t hash) const {
    const uint64_t number = static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * blocks_) >> 64);
    return static_cast<uint64_t*>(memory_.data()) + number * (kBlockBits / 64);
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

  uint64_t blocks_;
  unsigned hashes_;
  PageMemory memory_;
  Figures figures_;
  std::atomic<bool> saturated_{false};
};

}  // namespace cmc
