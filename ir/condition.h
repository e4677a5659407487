#pragma once

#include <cstdint>
#include <span>

#include "ir/model.h"

// Evaluates the condition of a solver guard. Every answer of a solver is compared with this.

namespace cmc {

struct ParameterValue {
  int32_t value = 0;
  bool defined = true;  // false: it could not be evaluated in the state
  friend bool operator==(const ParameterValue&, const ParameterValue&) = default;
};

struct ConditionResult {
  enum class Kind : uint8_t {
    kFalse,
    kTrue,
    kDivision,   // this and all below: undefined. By zero, or a quotient that does not fit an int
    kIndex,      // `detail` is the index that is out of bounds
    kParameter,  // `detail` is the number of the parameter that is not defined
  } kind = Kind::kFalse;
  int32_t detail = 0;

  [[nodiscard]] bool defined() const { return kind <= Kind::kTrue; }
  friend bool operator==(const ConditionResult&, const ConditionResult&) = default;
};

// REQUIRES: a guard of a valid model; as many parameters and targets as it has.
[[nodiscard]] ConditionResult evaluate_condition(const Model& model, const SolverGuard& guard,
                                                 std::span<const ParameterValue> parameters,
                                                 std::span<const int32_t> targets);

// Whether some tuple may be undefined, whatever the parameters are: a sound over-approximation.
[[nodiscard]] bool may_be_undefined(const Model& model, const SolverGuard& guard);

// Whether the parameter can fail to have a value: it divides, indexes, or looks at channels or processes.
[[nodiscard]] bool may_fail(const Model& model, ExpressionId id);

}  // namespace cmc
