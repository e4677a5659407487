#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "ir/condition.h"
#include "ir/model.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::guards {

// A solver guard as constraints. Both have the same targets (those of the guard) and the same parameters, so that one
// solver::Question fits both. A parameter of the guard is one of the constraint, followed by another one, 1 or 0,
// that says whether it is defined, if it may be not.
//
// Immutable: to be used by several threads.
class GuardEncoding {
 public:
  // REQUIRES: a guard of a valid model. Error: too many elements of arrays.
  [[nodiscard]] static Result<GuardEncoding> make(const Model& model, const SolverGuard& guard);

  // The condition is defined and not 0.
  [[nodiscard]] const solver::ConstraintPtr& witness() const { return witness_; }
  // It is not defined. Null: it always is.
  [[nodiscard]] const solver::ConstraintPtr& undefined() const { return undefined_; }

  // Question::parameters from the values of the guard's parameters, and back.
  [[nodiscard]] std::vector<int32_t> pack(std::span<const ParameterValue> values) const;
  [[nodiscard]] std::vector<ParameterValue> unpack(std::span<const int32_t> packed) const;

 private:
  GuardEncoding() = default;

  std::vector<bool> may_fail_;  // by parameter of the guard
  solver::ConstraintPtr witness_;
  solver::ConstraintPtr undefined_;
};

}  // namespace cmc::guards
