#pragma once

#include <algorithm>
#include <cstdint>

#include "storage/store_options.h"

// What a lossy cache remembers of an entry in one byte, and what makes an entry worse than another.
//
// Depth-first through Peterson's algorithm for 5 processes (bench_store 5 16: 5.7 million states, room for 1
// million), offers that went to the disk, of 22.0 million: kAge 3.66, kOutgoing 3.74, kCombined 3.80, kIncoming 5.78
// million. So kAge is the default.

namespace cmc {

class Meta {
 public:
  static constexpr unsigned kMost = 15;

  explicit constexpr Meta(uint8_t bits) : bits_(bits) {}
  constexpr Meta(unsigned age, unsigned worth)
      : bits_(static_cast<uint8_t>(std::min(age, kMost) | std::min(worth, kMost) << 4)) {}

  [[nodiscard]] constexpr uint8_t bits() const { return bits_; }
  [[nodiscard]] constexpr unsigned age() const { return bits_ & kMost; }     // how often the hand has passed
  [[nodiscard]] constexpr unsigned worth() const { return bits_ >> 4; }      // what it is depends on the evaluator
  [[nodiscard]] constexpr Meta older() const { return {age() + 1, worth()}; }

 private:
  uint8_t bits_;
};

// `worth` is: kAge: nothing; kIncoming: how often the state was met again; kOutgoing: how many successors it has, 15
// until that is known; kCombined: both, and a state that is met becomes young again.
inline Meta first_meta(Evaluator evaluator) { return {0, evaluator == Evaluator::kOutgoing ? Meta::kMost : 0}; }

inline Meta met(Evaluator evaluator, Meta meta) {
  switch (evaluator) {
    case Evaluator::kIncoming: return {meta.age(), meta.worth() + 1};
    case Evaluator::kCombined: return {0, meta.worth() + 1};
    case Evaluator::kAge:
    case Evaluator::kOutgoing: break;
  }
  return meta;
}

inline Meta expanded(Evaluator evaluator, Meta meta, uint64_t successors) {
  const unsigned outgoing = static_cast<unsigned>(std::min<uint64_t>(successors, Meta::kMost));
  switch (evaluator) {
    case Evaluator::kOutgoing: return {meta.age(), outgoing};
    case Evaluator::kCombined: return {meta.age(), meta.worth() + outgoing / 2};
    case Evaluator::kAge:
    case Evaluator::kIncoming: break;
  }
  return meta;
}

// The entry with the greatest one goes first.
inline uint8_t score(Evaluator evaluator, Meta meta) {
  const unsigned worthless = Meta::kMost - meta.worth();
  switch (evaluator) {
    case Evaluator::kAge: return static_cast<uint8_t>(meta.age());
    case Evaluator::kIncoming:
    case Evaluator::kOutgoing: return static_cast<uint8_t>(worthless << 4 | meta.age());
    case Evaluator::kCombined: return static_cast<uint8_t>(2 * meta.age() + worthless);
  }
  return 0;
}

}  // namespace cmc
