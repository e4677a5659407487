#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"

// The reference interpreter: walks the expression trees of the model, one virtual-free recursive function per
// concept, no compilation, no caching. It is the gold standard that other generators are compared with (checked.h)
// and what replays counterexamples; its speed does not matter. `model` must be valid (validate.h) and outlive the
// generator, as `decider`, who decides its solver guards; null: few tuples are tried, many are undecided.

namespace cmc {

[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_reference_generator(const Model& model,
                                                                           GuardDecider* decider = nullptr);

// The values of expressions in `state` as process `pid` sees them; none if evaluating one of them is a run-time
// error. For showing what a step sends or prints; a `run` is not evaluated.
[[nodiscard]] std::optional<std::vector<int32_t>> evaluate_expressions(const Model& model, ByteView state,
                                                                       uint8_t pid,
                                                                       std::span<const ExpressionId> expressions);

}  // namespace cmc
