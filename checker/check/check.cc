#include "checker/check/check.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/failed_check.h"
#include "checker/check/describe.h"
#include "checker/check/plan.h"
#include "checker/check/run_directory.h"
#include "checker/check/select_properties.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/plugin/generator.h"
#include "checker/plugin/layout.h"
#include "checker/properties/formula_check.h"
#include "checker/properties/restore_runs.h"
#include "checker/result/replay.h"
#include "checker/result/turn.h"
#include "checker/shorten/shorten.h"
#include "checker/trace/counterexample.h"

namespace cmc {
namespace {

Result<std::shared_ptr<const plugin::Library>> load_plugin(const std::string& file, const Model& model) {
  if (const std::string obstacle = plugin::obstacle(model); !obstacle.empty()) {
    return Error{fmt::format("there can be no plug-in for this model, because {}", obstacle)};
  }
  return plugin::Library::load(file, plugin::model_sha1(model));
}

// A broken identity is a bug of CMC: a state or a query was lost or counted twice.
void check_log(const SearchLog& log, SearchResult& result) {
  for (const BrokenIdentity& identity : check_identities(log)) {
    result.add_reason(reason_of_bug(fmt::format("{}: {} is not {}", identity.text, identity.left, identity.right)));
  }
}

// A search that has ended by itself needs no more than its verdict. The simple engine saves none.
void conclude(Checkpoints& checkpoints, const SearchOptions& options, const SearchResult& result) {
  const bool has_enough = options.max_errors > 0 && result.error_count >= options.max_errors;
  if (result.keys && (result.all_expanded || has_enough))
    checkpoints.conclude(verdict_name(result.verdict()), result.states_stored, result.transitions);
}

}  // namespace

void CheckObserver::on_wrong_plugin(const std::string& difference) {
  on_note(Importance::kWarning, difference);
  std::abort();
}

Check::Check(const LoadedModel& loaded, CheckRequest request, CheckObserver& observer)
    : loaded_(loaded), request_(std::move(request)), observer_(observer), search_(search_options(request_)) {}

Result<std::unique_ptr<Check>> Check::make(const LoadedModel& loaded, CheckRequest request, CheckObserver& observer) {
  CMC_TRY(std::vector<PropertyEntry> entries, select_properties(request, loaded.model));
  if (request.ranks != nullptr) {
    if (const auto conflict = conflict_with_ranks(request)) return Error{*conflict};
    std::string why = obstacle_to_one_search(entries, loaded.model, "is on one machine");
    if (why.empty()) why = obstacle_to_search_for_safety(entries, "is on several machines");
    if (!why.empty()) return Error{std::move(why)};
  }
  if (Status opened = open_run(request, loaded, entries, observer); !opened.ok()) return Error{opened.error()};
  std::unique_ptr<Check> made(new Check(loaded, std::move(request), observer));
  made->entries_ = std::move(entries);
  if (made->request_.generator == GeneratorKind::kPlugin) {
    CMC_TRY(made->plugin_, load_plugin(made->request_.plugin, loaded.model));
  }
  CMC_TRY(made->decider_, make_decider(made->request_, loaded.model));
  if (const std::string warning = made->decider_.warning(); !warning.empty())
    observer.on_note(Importance::kWarning, warning);
  return made;
}

CheckOutcome Check::run(bool keeps_log, double spent_seconds) {
  keeps_log_ = keeps_log;
  search_.spent_wall_seconds = spent_seconds;
  // Who names properties wants to know each of them.
  const bool one_is_enough = request_.properties.empty() && request_.max_errors == 1;
  const auto search_one = [&](const PropertyEntry& entry, const Model& product, const SearchOptions& options) {
    const PropertyEntry& first = entries_.front();
    const bool is_first = !log_ && entry.kind == first.kind && entry.name == first.name;
    const bool in_levels = options.order == SearchOptions::Order::kBreadthFirst;
    SearchResult result = search(product, options, {entries_.size() > 1 ? entry.name : "", in_levels, is_first});
    if (one_is_enough && result.error_count > 0) options.turn->found(result.states_stored);
    return result;
  };
  CheckOutcome outcome;
  outcome.properties = decide_properties(loaded_.model, entries_, search_, search_one,
                                         [&](const PropertyResult& decided) { observer_.on_decided(decided); });
  outcome.log = log_ ? std::move(*log_) : make_log(outcome.properties.front().result);  // interrupted before it began
  outcome.run = describe_run(outcome.properties);
  return outcome;
}

Status Check::close() { return request_.saving.run != nullptr ? request_.saving.run->commit_end() : Success{}; }

SearchResult Check::search(const Model& product, SearchOptions options, const SearchStart& start) {
  if (start.first) options.profile = request_.profile;
  SearchResult result;
  {
    const std::unique_ptr<SearchObserver> watcher = observer_.on_search(start);
    result = search_model({request_, decider_, observer_, plugin_}, product, options, watcher.get());
  }
  observer_.on_search_end(start, result);
  if (start.first && !result.set_aside) {
    if (keeps_log_) check_log(make_log(result), result);
    log_ = make_log(result);
  }
  finish_errors(product, options, start.label, result);
  if (options.checkpoints != nullptr) conclude(*options.checkpoints, options, result);
  return result;
}

// After a search with these options: looks for the shortest counterexamples, and replays all errors with the
// reference interpreter; from here on every path is one that it confirms.
void Check::finish_errors(const Model& product, const SearchOptions& options, const std::string& label,
                          SearchResult& result) {
  if (result.set_aside) return;
  bool restored = false;
  const auto restore = [&] {
    if (!restored) restore_paths(product, result);
    restored = true;
  };
  const std::string failure = failed_check_in([&] { shorten(product, options, label, restore, result); });
  observer_.on_violation_end();
  if (!failure.empty()) {
    // What only shows a result: without it the result is still one.
    observer_.on_note(Importance::kWarning,
                      reason_of_bug("internal error: the counterexample was not made shorter: " + failure).text);
    result.shortening.reset();
  }
  restore();
  confirm_paths(product, options.fairness, result);
}

// So that paths are ones of single statements of the model as it is.
void Check::restore_paths(const Model& product, SearchResult& result) const {
  if (result.errors.empty() || !product.claim.exists() || !plan(request_, product).changes_paths()) return;
  restore_runs(*make_path_generator(request_, product, decider()), product, result);
}

void Check::confirm_paths(const Model& product, Fairness fairness, SearchResult& result) const {
  const std::unique_ptr<SuccessorGenerator> reference = make_referee(product, decider());
  verify_errors(result, *reference, {&product, fairness});
  verify_formulas(product, result, *reference);
}

// How much is done to shorten the counterexamples of a search: a fraction of what the search took, and little where
// it took nothing. Who wants all errors counts them.
Budget Check::budget_to_shorten(const SearchOptions& options, const SearchResult& result) const {
  constexpr uint64_t kLeastWork = 200'000;
  constexpr uint64_t kTransitionsPerWork = 16;  // which take more than 8 times as long as those of the search
  constexpr double kLeastSeconds = 0.05;        // of CPU time: some statements take long
  constexpr double kMostSeconds = 60;
  const double left = std::max(options.turn->seconds_left(), 0.0);
  if (request_.shorten_seconds) return {std::min(left, *request_.shorten_seconds)};
  if (request_.max_errors == 0) return {};
  const double cpu_seconds = std::clamp(result.cpu_seconds / 2, kLeastSeconds, kMostSeconds);
  return {0, kLeastWork + result.transitions / kTransitionsPerWork, cpu_seconds, left};
}

void Check::shorten(const Model& product, const SearchOptions& options, const std::string& label,
                    const std::function<void()>& restore, SearchResult& result) {
  const Budget budget = budget_to_shorten(options, result);
  if (result.error_count == 0 || result.interrupted || std::max(budget.seconds, budget.most_seconds) == 0) return;
  const auto say_what_is_known = [&] {
    constexpr size_t kMostSteps = 10'000;  // to confirm a longer path takes a second or more
    const auto is_long = [](const FoundError& error) { return error.path.size() > kMostSteps; };
    if (std::ranges::any_of(result.errors, is_long)) return;
    restore();
    SearchResult known;
    known.errors = result.errors;
    known.error_count = result.error_count;
    confirm_paths(product, options.fairness, known);
    name_violations(product, known);
    const auto error = std::ranges::find(known.errors, true, &FoundError::has_path);
    if (error != known.errors.end())
      observer_.on_violation(label, counterexample_title(*error, options.fairness),
                             std::max(budget.seconds, budget.most_cpu_seconds));
  };
  const std::unique_ptr<SuccessorGenerator> statements = make_path_generator(request_, product, decider());
  shorten_counterexamples(*statements, product, options, budget, result, say_what_is_known, request_.trail_order,
                          restore);
}

RunDescription Check::describe_run(const std::vector<PropertyResult>& results) const {
  RunDescription run = cmc::describe_run(loaded_, request_, search_);
  const std::optional<KeyFigures>& keys = results.front().result.keys;
  run.reductions = plan(request_, loaded_.model).reductions(keys && keys->reduces);
  if (decider_.oracle != nullptr) {
    run.guards = decider_.oracle->guard_figures();
    run.solver = decider_.oracle->solver_figures();
  }
  return run;
}

Result<Trail> Check::make_trail(const PropertyResult& property, const FoundError& error) const {
  const Model& product = *property.product;
  Trail trail;
  trail.model_file = loaded_.file;
  trail.model_sha1 = loaded_.sha1;
  trail.preprocessor = preprocessor_arguments(loaded_.request.preprocessor);
  trail.escapes_like_java = loaded_.request.escapes_like_java;
  trail.formulas = loaded_.request.formulas;
  const std::optional<Shortening>& shortening = property.result.shortening;
  const bool shortened = shortening && shortening->cut.empty();
  trail.steps = name_in(kStepModeNames, shortened ? StepMode::kStatement : request_.steps);
  trail.fairness = property.fairness;
  trail.error = describe_error(product, error);
  trail.error.property = full_name(property.entry, properties_of(loaded_.model));
  trail.loop_start = error.loop_start;
  const std::unique_ptr<SuccessorGenerator> reference = make_referee(product, decider());
  const Result<ReplayEnd> end = replay_path(*reference, error.path, [&](const ReplayEvent& event) {
    trail.add(event.step, describe_step(product, event.before, event.step));
  });
  if (!end.ok()) return Error{end.error()};
  return trail;
}

}  // namespace cmc
