#pragma once

#include <algorithm>
#include <cstdint>

namespace cmc {

// Divides keys between partitions on disk. Keys that differ in the lowest bits of word 0 only, or in words 1.., are
// in the same one, because pages store differences: with 16 bits and 32 partitions, 2.6 bytes a state instead of 4.6
// (leader 9, keys of 87 bits), 1.7 instead of 2.7 (Peterson 5, 60 bits). With 28 bits the partitions begin to differ
// in size, by more than a tenth.
class KeyPartitions {
 public:
  // far_bits: of word 0 at least so many decide about the partition, if there are as many.
  KeyPartitions(unsigned first_word_bits, uint32_t partitions, unsigned far_bits = kFarBits)
      : near_bits_(std::min(kMostNearBits, std::max(first_word_bits, far_bits) - far_bits)),
        partitions_(partitions) {}

  [[nodiscard]] uint32_t count() const { return partitions_; }
  // Decides about the partition. Independent of KeySet's permutation, which is a multiplication too.
  [[nodiscard]] uint64_t order(uint64_t first_word) const { return mix(first_word >> near_bits_); }
  [[nodiscard]] uint32_t of_order(uint64_t order) const {
    return static_cast<uint32_t>((static_cast<unsigned __int128>(order) * partitions_) >> 64);
  }
  [[nodiscard]] static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 29) * 0x94d049bb133111ebULL;
    return x ^ x >> 32;
  }

  static constexpr unsigned kFarBits = 20;

 private:
  static constexpr unsigned kMostNearBits = 16;

  unsigned near_bits_;  // of word 0, that do not matter
  uint32_t partitions_;
};

}  // namespace cmc
