#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc::spin {

// Which statements SPIN's verifier merges into one step, without -o3: behind one that may begin such a step come
// those that never block, have no alternative and are local, or lie in an atomic sequence. A location has SPIN's
// number, and so has a statement; where both agree the location is the statement's own, and no selection, loop or
// block begins there, which would end the step.
class MergedStatements {
 public:
  explicit MergedStatements(const Model& model);

  // Whether the statements behind this one are merged with it, as far as they can be.
  [[nodiscard]] bool begins(ProctypeId proctype, LocationId location, const Edge& edge) const;
  // Whether the only statement of this location is merged with those before it, if they are of such a step.
  [[nodiscard]] bool continues(ProctypeId proctype, LocationId location) const;

 private:
  struct Machine {
    std::vector<bool> inside;  // by location: in an atomic sequence, but not at its front
    int64_t first = 0;         // the number of an own statement less that of its location
  };
  [[nodiscard]] static bool is_own(const Machine& machine, LocationId location, const Edge& edge);
  [[nodiscard]] bool is_local(const Statement& statement) const;

  const Model& model_;
  std::vector<Machine> machines_;  // by proctype
  bool has_rendezvous_ = false;
};

}  // namespace cmc::spin
