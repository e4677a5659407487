#pragma once

#include <vector>

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
  void add_end(ByteView state, Half& out) const;

  static constexpr size_t kLongest = 200;  // statements
  static constexpr size_t kMostItems = 4096;

  SuccessorGenerator& inner_;
  const uint32_t holder_offset_;
  const uint32_t hidden_bytes_;
  TouchTrace* trace_ = nullptr;  // of the call
  std::vector<Bytes> path_;      // states in the middle of the sequence
};

}  // namespace cmc
