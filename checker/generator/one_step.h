#pragma once

#include "checker/generator/generator.h"

namespace cmc {

// What a generator can be beside: one that tells of one step without asking who else could move.
class OneStepGenerator {
 public:
  virtual ~OneStepGenerator() = default;

  // Of what successors() appends at least what begins with this step. `out` must be clear.
  virtual void successors_by(ByteView state, const Step& first, SuccessorBatch& out) = 0;
};

}  // namespace cmc
