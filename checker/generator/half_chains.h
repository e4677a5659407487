#pragma once

#include <deque>

#include "checker/generator/generator.h"

namespace cmc {

// Follows the halves of single statements (Half) through atomic sequences, as step mode `spin` has it: a process that
// holds atomicity goes on at once; where it can do nothing but offer messages that nobody takes, it stops. A sequence
// that returns to itself, or is long, is left to those who compute whole steps (Half::whole).
class HalfChains {
 public:
  // `inner` makes the halves of single statements. Both stay.
  HalfChains(SuccessorGenerator& inner, const Model& model);

  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out);

 private:
  void add_items(const Half& half, Half& out);
  void add_successor(ByteView state, Half& out);
  [[nodiscard]] bool has_met(ByteView state) const;
  void add_end(ByteView state, Half& out) const;

  static constexpr size_t kLongest = 200;  // statements
  static constexpr size_t kMostItems = 4096;

  SuccessorGenerator& inner_;
  const Model& model_;
  const uint32_t holder_offset_;
  const uint32_t hidden_bytes_;
  TouchTrace* trace_ = nullptr;  // of the call
  // States in the middle of the sequence, and what the process can do there. Their memory is kept between calls.
  struct Level {
    Bytes state;
    Half half;
  };
  std::deque<Level> levels_;
  size_t depth_ = 0;              // of levels_, how many there are now
  std::vector<LocationId> left_;  // on the way there (half_way.h)
};

}  // namespace cmc
