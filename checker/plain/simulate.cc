#include "checker/plain/simulate.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "base/check.h"

namespace cmc {

namespace {

bool is_note(const RuntimeError& error) { return error.kind == RuntimeErrorKind::kOverflowNote; }

}  // namespace

std::vector<Choice> choices_of(const SuccessorBatch& batch) {
  std::vector<Choice> choices;
  const auto choice_of = [](std::span<const Step> path, ByteView after) {
    return Choice{path.first(path.size() - 1), path.back(), after, {}};
  };
  const auto same = [](const Choice& a, const Choice& b) {
    return a.step == b.step && std::ranges::equal(a.inside, b.inside);
  };
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    choices.push_back(choice_of(batch.path(entry), batch.state(entry)));
  }
  for (const RuntimeError& error : batch.errors) {
    if (error.path_count == 0 || error.kind == RuntimeErrorKind::kMoreWitnesses) continue;
    const Choice cut = choice_of(batch.path(error), {});
    auto choice = std::ranges::find_if(choices, [&](const Choice& each) { return same(each, cut); });
    if (choice == choices.end()) choice = choices.insert(choices.end(), cut);
    choice->errors.push_back(error);
  }
  return choices;
}

std::vector<RuntimeError> errors_of_state(const SuccessorBatch& batch) {
  std::vector<RuntimeError> errors;
  std::ranges::copy_if(batch.errors, std::back_inserter(errors),
                       [](const RuntimeError& e) { return e.path_count == 0; });
  return errors;
}

SimulationResult simulate(SuccessorGenerator& statements, const SimulationOptions& options) {
  using Outcome = SimulationResult::Outcome;
  SimulationResult result;
  const auto finish = [&](Outcome outcome) {
    result.outcome = outcome;
    return std::move(result);
  };
  SuccessorBatch batch;
  statements.initial(batch);
  result.errors = batch.errors;
  std::erase_if(result.errors, is_note);
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
    result.errors = errors_of_state(batch);
    if (!result.errors.empty()) return finish(Outcome::kError);
    const std::vector<Choice> choices = choices_of(batch);
    if (choices.empty()) return finish(batch.invalid_end ? Outcome::kInvalidEnd : Outcome::kEnded);
    const std::optional<size_t> chosen =
        options.choose ? options.choose(result.state, choices) : std::optional<size_t>(random() % choices.size());
    if (!chosen) return finish(Outcome::kStopped);
    CHECK(*chosen < choices.size());
    const Choice& choice = choices[*chosen];
    if (options.on_step) options.on_step({index, result.state, choice});
    result.path.insert(result.path.end(), choice.inside.begin(), choice.inside.end());
    result.path.push_back(choice.step);
    if (!choice.after.empty()) result.state.assign(choice.after.begin(), choice.after.end());
    if (!std::ranges::all_of(choice.errors, is_note)) {
      result.errors = choice.errors;
      return finish(Outcome::kError);
    }
  }
  return finish(Outcome::kMaxSteps);
}

}  // namespace cmc
