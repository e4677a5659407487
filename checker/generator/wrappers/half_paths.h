#pragma once

#include <optional>
#include <vector>

#include "checker/generator/generator.h"

namespace cmc {

// Merges local steps (path_steps.h) into the steps of halves (Half). The local steps of both partners follow on a
// handshake as a whole; but they look at nothing but the frame of who takes them, so each partner's are known from
// its half. Others see a process that offers before it goes on: so the item of an offer has Half::Item::items 1 then,
// and the next item is the state that it goes on to. The item of a successor to which local steps lead has that 1,
// too.
//
// Only a process whose local steps leave no choice and end soon is followed; what else there is, is left to those who
// compute whole steps (Half::whole).
class HalfPaths {
 public:
  static constexpr uint32_t kLongest = 31;  // statements behind the first one, in a half

  // `inner` makes the halves before merging. `local`: by proctype and location. All stay.
  HalfPaths(SuccessorGenerator& inner, const Model& model, const std::vector<std::vector<bool>>& local)
      : inner_(inner), model_(model), local_(local) {}

  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out);
  // Whether the process can only take local steps from there. False, too: there is none of that pid.
  [[nodiscard]] bool is_local(ByteView state, uint8_t pid) const;

 private:
  // Follows the process from there, as far as state_, on a longer way left_. False: that is not possible.
  [[nodiscard]] bool follow(ByteView state, uint8_t pid, TouchTrace* trace);

  SuccessorGenerator& inner_;
  const Model& model_;
  const std::vector<std::vector<bool>>& local_;
  Half half_;                   // before merging
  std::vector<size_t> places_;  // of its items among the new ones
  SuccessorBatch batch_;
  Bytes state_;
  std::vector<LocationId> left_;  // on the way there (half_way.h)
};

}  // namespace cmc
