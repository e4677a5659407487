#pragma once

#include <array>
#include <cstdint>

namespace cmc {

// Moves the bits of a mask to the right end, in their order (Warren, Hacker's Delight, 7-4, "compress"; Steele). The
// instruction PEXT does it, but not every processor has it, and some that have it take longer for it.
class BitExtractor {
 public:
  BitExtractor() = default;
  explicit BitExtractor(uint64_t mask) : mask_(mask) {
    uint64_t gaps = ~mask << 1;
    for (unsigned i = 0; i < moved_.size(); ++i) {
      uint64_t parity = gaps;  // of the gaps to the right of each bit
      for (unsigned shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
      moved_[i] = parity & mask;
      mask = (mask ^ moved_[i]) | moved_[i] >> (1U << i);
      gaps &= ~parity;
    }
  }

  [[gnu::always_inline, nodiscard]] uint64_t operator()(uint64_t bits) const {
    bits &= mask_;
    for (unsigned i = 0; i < moved_.size(); ++i) {
      const uint64_t moved = bits & moved_[i];
      bits = (bits ^ moved) | moved >> (1U << i);
    }
    return bits;
  }

 private:
  uint64_t mask_ = 0;
  std::array<uint64_t, 6> moved_{};  // by 2^i to the right
};

}  // namespace cmc
