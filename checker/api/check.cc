#include "checker/check/check.h"

#include <fmt/format.h>

#include "checker/api/content.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/trace_files.h"
#include "checker/report/report.h"
#include "checker/result/replay.h"
#include "checker/trace/views/trace_json.h"

namespace cmc::api {
namespace {

Verdict verdict_of(cmc::Verdict verdict) {
  switch (verdict) {
    case cmc::Verdict::kHolds: return Verdict::kHolds;
    case cmc::Verdict::kViolated: return Verdict::kViolated;
    case cmc::Verdict::kIncomplete: break;
  }
  return Verdict::kIncomplete;
}

Violation violation_of(const PropertyResult& property, const FoundError& error, GuardDecider* decider) {
  const cmc::Model& product = *property.product;
  const Report::ErrorEntry entry = describe_error(product, error);
  Violation violation;
  violation.property = property.entry.name;
  violation.kind = entry.kind;
  violation.message = entry.message;
  violation.place = {entry.file, entry.line};
  if (error.loop_start != FoundError::kNoLoop) violation.loop_start = error.loop_start;
  const std::unique_ptr<SuccessorGenerator> referee = make_referee(product, decider);
  const cmc::Result<ReplayEnd> end = replay_path(*referee, error.path, [&](const ReplayEvent& event) {
    violation.trace.push_back(step_of(product, event.before, event.step));
  });
  if (end.ok()) violation.final_values = values_of(product, end.value().state);
  return violation;
}

}  // namespace

std::string json_of(const LoadedModel& loaded, const cmc::Model& model, std::span<const Trace* const> traces) {
  return trace_json(model, traces, {loaded.file, loaded.sha1});
}

std::string page_of(const LoadedModel& loaded, const cmc::Model& model, std::span<const Trace* const> traces) {
  return trace_page(model, traces, {loaded.file, loaded.sha1}, source_texts(loaded));
}

struct CheckResult::Evidence {
  std::shared_ptr<const Model::Content> model;
  CheckRequest request;
  std::vector<PropertyResult> properties;

  [[nodiscard]] std::vector<ErrorTrace> traces(std::size_t most_steps) const {
    const std::vector<cmc::Violation> numbered = numbered_violations(properties);
    const cmc::Result<Decider> decider = make_decider(request, model->loaded.model);
    return make_error_traces(numbered, most_steps, decider.ok() ? decider.value().get() : nullptr);
  }
};

Result<CheckResult> Model::check(const std::vector<std::string>& words, const std::atomic<bool>* stop) const {
  const Result<Options> options = parse_later_options("check", words);
  if (!options.ok()) return Error{options.error()};
  auto evidence = std::make_shared<CheckResult::Evidence>();
  evidence->model = content_;
  evidence->request = options.value().check;
  if (evidence->request.generator == GeneratorKind::kPlugin)
    return Error{"--generator plugin:FILE is for the program only"};
  CheckRequest request = evidence->request;
  request.interrupt = stop;
  const LoadedModel& loaded = content_->loaded;
  CheckObserver nobody;
  const cmc::Result<std::unique_ptr<Check>> made = Check::make(loaded, std::move(request), nobody);
  if (!made.ok()) return Error{made.error()};
  CheckOutcome outcome = made.value()->run(false);
  const std::vector<PropertyResult>& results = evidence->properties = std::move(outcome.properties);
  GuardDecider* const decider = made.value()->decider();
  Report report = make_report(loaded.model, results, std::move(outcome.run));
  explain_errors(results, make_error_traces(numbered_violations(results), 1, decider), report);
  CheckResult result;
  result.verdict = verdict_of(report.verdict);
  for (const Reason& reason : report.reasons) result.reasons.push_back(reason.text);
  result.states = report.states_stored;
  result.transitions = report.transitions;
  for (const PropertyResult& each : results) {
    if (const FoundError* const error = shortest_counterexample(each.result))
      result.violations.push_back(violation_of(each, *error, decider));
  }
  result.json = report_json(report);
  evidence->request.saving = {};
  result.evidence = std::move(evidence);
  return result;
}

std::string CheckResult::traces(std::size_t most_steps) const {
  const std::vector<ErrorTrace> traces = evidence->traces(most_steps);
  const LoadedModel& loaded = evidence->model->loaded;
  return traces.empty() ? "" : json_of(loaded, loaded.model, traces_of(traces));
}

std::string CheckResult::page(std::size_t most_steps) const {
  const std::vector<ErrorTrace> traces = evidence->traces(most_steps);
  const LoadedModel& loaded = evidence->model->loaded;
  return traces.empty() ? "" : page_of(loaded, loaded.model, traces_of(traces));
}

Result<std::string> CheckResult::trail(std::size_t number) const {
  const std::vector<cmc::Violation> all = numbered_violations(evidence->properties);
  if (number >= all.size())
    return Error{fmt::format("there is no counterexample {}; there are {}", number, all.size())};
  CheckObserver nobody;
  const cmc::Result<std::unique_ptr<Check>> check = Check::make(evidence->model->loaded, evidence->request, nobody);
  if (!check.ok()) return Error{check.error()};
  const cmc::Result<Trail> trail = check.value()->make_trail(*all[number].property, *all[number].error);
  if (!trail.ok()) return Error{trail.error()};
  return trail_json(trail.value());
}

}  // namespace cmc::api
