#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"

// The reference interpreter: the meaning of a model once more, written from SPIN's definition and sharing nothing
// with the Stepper and the VM but the IR and the seam. Other generators are compared with it
// (checker/generator/wrappers/checked.h), and it replays every counterexample. Its speed does not matter.

namespace cmc {

// Whether successors() hands out single steps, or follows atomic sequences to their ends (step mode `spin`).
enum class ReferenceSteps : uint8_t { kStatement, kSpin };

// How far the reference interpreter follows the atomic sequences behind one state; beyond, the batch is `stopped`,
// and what is there are the first successors. The search itself goes further (ChainCloser), so this is less.
inline constexpr uint32_t kMostReferenceStates = 50'000;
inline constexpr uint32_t kDeepestReferenceChain = 20'000;

// `model` must be valid (ir/validate.h) and outlive the generator, as `decider`, who decides its solver guards; null:
// few tuples are tried, many are undecided. `cut`, unless null, counts the batches that are `stopped`. The generator
// tells no TouchTrace, and hands out no portions.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_reference_generator(
    const Model& model, GuardDecider* decider = nullptr, ReferenceSteps steps = ReferenceSteps::kStatement,
    std::atomic<uint64_t>* cut = nullptr);

// The product of a model and its claim (Model::claim), for judging other products. A path is a move of the claim,
// then a step of the system, as SPIN's verifier has it:
//
// - `timeout` is 1 for both in a turn iff the system cannot move otherwise; also if a claim whose text uses timeout
//   cannot (a trait of SPIN). The claim's step says so also in a model that does not use it.
// - If the system is blocked behind the claim's move, the claim moves once more; the successor is marked (Observer in
//   ir/model.h). A marked state has the claim's moves as its successors, marked as well, unless the claim made the
//   system able to move: then the system moves, and the mark goes.
// - While a process holds atomicity and can move, only it moves.
// - No batch is `blocked` or has an `invalid_end`.
//
// process_successors() is about the system alone.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_reference_product(
    const Model& model, GuardDecider* decider = nullptr, ReferenceSteps steps = ReferenceSteps::kStatement,
    std::atomic<uint64_t>* cut = nullptr);

// The values of expressions in `state` as process `pid`, or the claim, or who is outside (kNoProcess), sees them;
// none if evaluating one of them is a run-time error. For showing what a step sends or prints; a `run` is not
// evaluated. `timeout` is the value of timeout.
[[nodiscard]] std::optional<std::vector<int32_t>> evaluate_expressions(const Model& model, ByteView state,
                                                                       uint8_t pid,
                                                                       std::span<const ExpressionId> expressions,
                                                                       bool timeout = false);

}  // namespace cmc
