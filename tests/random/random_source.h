#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The stream of random choices behind one random model: splitmix64, so that a seed gives the same model everywhere.

namespace cmc::random {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}

  // 0 .. limit-1; limit > 0.
  uint32_t below(size_t limit) { return static_cast<uint32_t>(next() % limit); }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<size_t>(high - low + 1))); }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }

  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  // An index, with probability proportional to its weight; the sum must be positive.
  size_t weighted(const std::vector<int>& weights) {
    int sum = 0;
    for (int weight : weights) sum += weight;
    int left = static_cast<int>(below(static_cast<size_t>(sum)));
    for (size_t i = 0;; ++i) {
      left -= weights[i];
      if (left < 0) return i;
    }
  }

 private:
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace cmc::random
