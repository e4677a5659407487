#pragma once

#include <cstdint>

namespace cmc {

// Numbers that vary enough for the gaps between samples, and for nothing else: the same ones in every run, at the
// cost of a multiplication (Press et al., "Numerical Recipes in C", 1992, 7.1: "an even quicker generator"). The low
// bits repeat soon.
class QuickRandom {
 public:
  // The high `bits` of the next number, 1..32.
  [[nodiscard]] uint32_t next(unsigned bits) {
    state_ = state_ * 1'664'525 + 1'013'904'223;
    return state_ >> (32 - bits);
  }

 private:
  uint32_t state_ = 1;
};

}  // namespace cmc
