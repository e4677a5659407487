#pragma once

#include <algorithm>
#include <cstdint>

#include "base/enum_names.h"

// What a lossy cache remembers of an entry in one byte, and what makes an entry worse than another.
//
// Depth-first through Peterson's algorithm for 5 processes (bench_store 5 16: 5.7 million states, room for 1
// million), offers that went to the disk, of 22.0 million: kAge 3.66, kOutgoing 3.74, kCombined 3.80, kIncoming 5.78
// million. So kAge is the default.

namespace cmc {

// Which states a full lossy cache gives up first (lossy_cache.h).
enum class Evaluator : uint8_t { kAge, kIncoming, kOutgoing, kCombined };
inline constexpr EnumName<Evaluator> kEvaluatorNames[] = {{"age", Evaluator::kAge},
                                                          {"incoming", Evaluator::kIncoming},
                                                          {"outgoing", Evaluator::kOutgoing},
                                                          {"combined", Evaluator::kCombined}};

class Meta {
 public:
  static constexpr unsigned kMostAge = 15;
  static constexpr unsigned kMostWorth = 7;

  explicit constexpr Meta(uint8_t bits) : bits_(bits) {}
  constexpr Meta(unsigned age, unsigned worth, bool copy = false)
      : bits_(static_cast<uint8_t>(std::min(age, kMostAge) | std::min(worth, kMostWorth) << 4 | (copy ? 0x80 : 0))) {}

  [[nodiscard]] constexpr uint8_t bits() const { return bits_; }
  [[nodiscard]] constexpr unsigned age() const { return bits_ & kMostAge; }  // how often the hand has passed
  [[nodiscard]] constexpr unsigned worth() const {
    return bits_ >> 4 & kMostWorth;
  }  // what it is depends on the evaluator
  // The store has the state, or is going to decide about it: it need not be written when it goes.
  [[nodiscard]] constexpr bool copy() const { return bits_ >> 7 != 0; }
  [[nodiscard]] constexpr Meta older() const {
    return Meta(static_cast<uint8_t>(bits_ + (age() < kMostAge ? 1 : 0)));
  }
  [[nodiscard]] constexpr Meta as_copy() const { return {age(), worth(), true}; }

 private:
  uint8_t bits_;
};

// `worth` is: kAge: nothing; kIncoming: how often the state was met again; kOutgoing: how many successors it has, 7
// until that is known; kCombined: both, and a state that is met becomes young again.
inline Meta first_meta(Evaluator evaluator) { return {0, evaluator == Evaluator::kOutgoing ? Meta::kMostWorth : 0}; }

inline Meta met(Evaluator evaluator, Meta meta) {
  switch (evaluator) {
    case Evaluator::kIncoming: return {meta.age(), meta.worth() + 1, meta.copy()};
    case Evaluator::kCombined: return {0, meta.worth() + 1, meta.copy()};
    case Evaluator::kAge:
    case Evaluator::kOutgoing: break;
  }
  return meta;
}

inline Meta expanded(Evaluator evaluator, Meta meta, uint64_t successors) {
  const unsigned outgoing = static_cast<unsigned>(std::min<uint64_t>(successors, Meta::kMostWorth));
  switch (evaluator) {
    case Evaluator::kOutgoing: return {meta.age(), outgoing, meta.copy()};
    case Evaluator::kCombined: return {meta.age(), meta.worth() + outgoing / 2, meta.copy()};
    case Evaluator::kAge:
    case Evaluator::kIncoming: break;
  }
  return meta;
}

// The entry with the greatest one goes first.
inline uint8_t score(Evaluator evaluator, Meta meta) {
  const unsigned worthless = Meta::kMostWorth - meta.worth();
  switch (evaluator) {
    case Evaluator::kAge: return static_cast<uint8_t>(meta.age());
    case Evaluator::kIncoming:
    case Evaluator::kOutgoing: return static_cast<uint8_t>(worthless << 4 | meta.age());
    case Evaluator::kCombined: return static_cast<uint8_t>(2 * meta.age() + worthless);
  }
  return 0;
}

}  // namespace cmc
