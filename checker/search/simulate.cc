#include "checker/search/simulate.h"

#include <algorithm>
#include <random>
#include <utility>

#include "checker/base/check.h"

namespace cmc {

namespace {

using Outcome = SimulationResult::Outcome;

// The enabled steps in the generator's order; behind them those that an error cuts.
std::vector<Choice> choices_of(const SuccessorBatch& batch) {
  std::vector<Choice> choices;
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    CHECK(entry.path_count == 1);
    choices.push_back({batch.steps[entry.path_begin], batch.state(entry), {}});
  }
  for (const RuntimeError& error : batch.errors) {
    CHECK(error.path_count == 1);
    const Step& step = batch.steps[error.path_begin];
    auto choice = std::find_if(choices.begin(), choices.end(), [&](const Choice& each) { return each.step == step; });
    if (choice == choices.end()) choice = choices.insert(choices.end(), {step, {}, {}});
    choice->errors.push_back(error);
  }
  return choices;
}

}  // namespace

SimulationResult simulate(SuccessorGenerator& statements, const SimulationOptions& options) {
  SimulationResult result;
  const auto finish = [&](Outcome outcome) {
    result.outcome = outcome;
    return std::move(result);
  };
  SuccessorBatch batch;
  statements.initial(batch);
  result.errors = batch.errors;
  if (!batch.entries.empty()) {
    const ByteView initial = batch.state(batch.entries.front());
    result.state.assign(initial.begin(), initial.end());
    if (options.on_start) options.on_start(initial);
  }
  if (!result.errors.empty() || batch.entries.empty()) return finish(Outcome::kError);

  std::mt19937_64 random(options.seed);
  for (uint64_t index = 0; options.max_steps == 0 || index < options.max_steps; ++index) {
    if (options.interrupt != nullptr && options.interrupt->load()) return finish(Outcome::kStopped);
    batch.clear();
    statements.successors(result.state, batch);
    const std::vector<Choice> choices = choices_of(batch);
    if (choices.empty()) return finish(batch.invalid_end ? Outcome::kInvalidEnd : Outcome::kEnded);
    const std::optional<size_t> chosen =
        options.choose ? options.choose(result.state, choices) : std::optional<size_t>(random() % choices.size());
    if (!chosen) return finish(Outcome::kStopped);
    CHECK(*chosen < choices.size());
    const Choice& choice = choices[*chosen];
    if (options.on_step) options.on_step({index, result.state, choice});
    result.path.push_back(choice.step);
    if (!choice.after.empty()) result.state.assign(choice.after.begin(), choice.after.end());
    if (!choice.errors.empty()) {
      result.errors = choice.errors;
      return finish(Outcome::kError);
    }
  }
  return finish(Outcome::kMaxSteps);
}

}  // namespace cmc
