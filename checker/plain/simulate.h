#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "checker/generator/generator.h"

// One run of a model: in each state it takes one of the enabled steps, at random or as the user chooses.

namespace cmc {

// A step that can be taken now.
struct Choice {
  std::span<const Step> inside;  // d_steps that run in the middle of the rendezvous `step`
  Step step;
  ByteView after;                    // empty: an error cuts the step
  std::vector<RuntimeError> errors;  // that taking it raises
};

struct SimulationStep {
  uint64_t index = 0;  // from 0
  ByteView before;
  Choice choice;
};

struct SimulationOptions {
  uint64_t seed = 1;       // equal seeds give equal runs
  uint64_t max_steps = 0;  // 0: no limit
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(ByteView state)> on_start;        // the initial state
  std::function<void(const SimulationStep&)> on_step;  // each step that was taken
  // Returns the choice to take (an index into choices), or none to stop. It is called even if there is only one.
  // Null: at random.
  std::function<std::optional<size_t>(ByteView state, std::span<const Choice> choices)> choose;
};

struct SimulationResult {
  enum class Outcome : uint8_t {
    kEnded,       // all processes are at valid ends
    kInvalidEnd,  // blocked elsewhere
    kError,       // see errors
    kMaxSteps,
    kStopped,  // by `choose` or the interrupt flag
  } outcome = Outcome::kEnded;
  std::vector<RuntimeError> errors;
  std::vector<Step> path;
  Bytes state;  // the last one
};

// The enabled steps in the generator's order; behind them those that an error cuts. They refer to the batch.
[[nodiscard]] std::vector<Choice> choices_of(const SuccessorBatch& batch);
// Errors that lie in the state itself: no step leads to them.
[[nodiscard]] std::vector<RuntimeError> errors_of_state(const SuccessorBatch& batch);

// `statements` must hand out single basic steps.
[[nodiscard]] SimulationResult simulate(SuccessorGenerator& statements, const SimulationOptions& options);

}  // namespace cmc
