#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc::spin {

// Which statements SPIN's verifier merges into one step, without -o3: behind one that may begin such a step come
// those that never block, have no alternative and are local, or lie in an atomic sequence. A location that is not the
// statement's own is that of a selection, loop or block, which ends the step.
class MergedStatements {
 public:
  explicit MergedStatements(const Model& model);

  // Whether the statements behind this one are merged with it, as far as they can be.
  [[nodiscard]] bool begins(ProctypeId proctype, LocationId location, const Edge& edge) const;
  // Whether the only statement of this location is merged with those before it, if they are of such a step.
  [[nodiscard]] bool continues(ProctypeId proctype, LocationId location) const;

 private:
  [[nodiscard]] bool is_local(const Statement& statement) const;

  const Model& model_;
  std::vector<std::vector<bool>> inside_;  // by proctype and location: in an atomic sequence, but not at its front
  bool has_rendezvous_ = false;
};

}  // namespace cmc::spin
