#include "checker/mutate/judge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "checker/check/check.h"
#include "checker/mutate/compare.h"
#include "checker/mutate/reasons.h"

namespace cmc::mutate {
namespace {

constexpr uint64_t kFactor = 10;  // of the model's states and seconds
constexpr uint64_t kSpareStates = 1000;
constexpr double kSpareSeconds = 1;

// Small searches: nothing is compiled, nothing goes to the disk, no counterexample is shortened.
CheckRequest small(CheckRequest request) {
  request.generator = request.generator == GeneratorKind::kAuto ? GeneratorKind::kVm : request.generator;
  request.shorten_seconds = 0;
  request.max_trails = 1;
  request.threads = 1;
  request.store.enabled = false;
  return request;
}

bool is_assertion(const ErrorKind& kind) {
  return kind.error_class == ErrorKind::Class::kRuntimeError && kind.runtime == RuntimeErrorKind::kAssertion;
}

}  // namespace

std::string judgement_json(const Judgement& judgement) {
  const nlohmann::json json = {{"verdict", static_cast<int>(judgement.verdict)},
                               {"property", judgement.property},
                               {"message", judgement.message},
                               {"line", judgement.line},
                               {"assertion_file", judgement.assertion.file},
                               {"assertion_line", judgement.assertion.line},
                               {"alone", judgement.alone},
                               {"states", judgement.states},
                               {"seconds", judgement.seconds},
                               {"run", judgement.run},
                               {"run_of_model", judgement.run_of_model}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Judgement> parse_judgement(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto verdict = json.value("verdict", uint64_t{0});
  if (verdict >= std::size(kVerdictNames)) return std::nullopt;
  Judgement judgement;
  judgement.verdict = static_cast<Verdict>(verdict);
  judgement.property = json.value("property", "");
  judgement.message = json.value("message", "");
  judgement.line = json.value("line", uint32_t{0});
  judgement.assertion.file = json.value("assertion_file", uint32_t{0});
  judgement.assertion.line = json.value("assertion_line", uint32_t{0});
  judgement.alone = json.value("alone", false);
  judgement.states = json.value("states", uint64_t{0});
  judgement.seconds = json.value("seconds", 0.0);
  judgement.run = json.value("run", std::vector<std::string>{});
  judgement.run_of_model = json.value("run_of_model", false);
  return judgement;
}

Result<Judge> Judge::make(const LoadedModel& model, CheckRequest request) {
  Judge judge(model, small(std::move(request)));
  if (const Status measured = judge.measure(); !measured.ok()) return Error{measured.error()};
  return judge;
}

// One search for each property. None is asked for by default: those that the text states.
Status Judge::measure() {
  CheckObserver nobody;
  CMC_TRY(const std::unique_ptr<Check> all, Check::make(model_, request_, nobody));
  const std::vector<PropertyEntry> stated = properties_of(model_.model);
  for (const PropertyEntry& entry : all->entries()) {
    CheckRequest request = request_;
    request.properties = {full_name(entry, stated)};
    CMC_TRY(std::unique_ptr<Check> check, Check::make(model_, request, nobody));
    const CheckOutcome outcome = check->run(false);
    const PropertyResult& found = outcome.properties.front();
    if (request_.interrupted()) return Error{"interrupted"};
    switch (found.result.verdict()) {
      case cmc::Verdict::kHolds:
        baseline_.properties.push_back(
            {entry.name, full_name(entry, stated), found.result.states_stored, found.result.wall_seconds});
        if (entry.kind == PropertyKind::kSafety)
          baseline_.unreached = unreached_statements(*found.product, found.result.locations);
        break;
      case cmc::Verdict::kViolated:
        baseline_.left_out.push_back(fmt::format("{} is violated by the model itself", entry.name));
        break;
      case cmc::Verdict::kIncomplete:
        baseline_.undecided = true;
        baseline_.left_out.push_back(fmt::format("{} was not decided: {}", entry.name,
                                                 found.result.reasons.empty() ? "" : found.result.reasons[0].text));
        break;
    }
  }
  return Success{};
}

double Judge::most_seconds() const {
  double seconds = 0;
  for (const Baseline::Property& each : baseline_.properties) seconds += each.seconds * kFactor + kSpareSeconds;
  return seconds;
}

Judgement Judge::judge(const Mutant& mutant) const {
  const SystemClock clock;
  const double start = clock.wall_seconds();
  Judgement judgement;
  promela::Sources sources;
  const std::string text = mutated_text(model_.sources.text(mutant.range.file), mutant);
  if (mutant.range.file > 0) sources.replace(model_.sources.name(mutant.range.file), text);
  const uint32_t file = sources.add(model_.file, mutant.range.file > 0 ? std::string(model_.sources.text(0)) : text);
  std::string messages;
  const ErrorListener first_error = [&](const promela::Sources&, const promela::Diagnostics& diagnostics) {
    const auto error =
        std::ranges::find(diagnostics.all(), promela::Severity::kError, &promela::Diagnostic::severity);
    if (error == diagnostics.all().end()) return;
    judgement.message = error->message;
    judgement.line = error->location.place.line;
  };
  std::optional<LoadedModel> loaded =
      compile_model(model_.request, std::move(sources), file, messages, false, first_error);
  if (!loaded) {
    judgement.verdict = Verdict::kInvalid;
    return judgement;
  }
  search_all(mutant, *loaded, judgement);
  if (judgement.verdict == Verdict::kKilled && mutant.property.empty()) look_who_else(mutant, *loaded, judgement);
  if (judgement.verdict == Verdict::kSurvived && mutant.property.empty()) explain(mutant, *loaded, judgement);
  judgement.seconds = clock.wall_seconds() - start;
  return judgement;
}

void Judge::search_all(const Mutant& mutant, const LoadedModel& loaded, Judgement& judgement) const {
  judgement.verdict = Verdict::kSurvived;
  for (const Baseline::Property& each : baseline_.properties) {
    if (!mutant.property.empty() && each.name != mutant.property) continue;
    search(loaded, each, judgement);
    if (judgement.verdict == Verdict::kKilled || judgement.verdict == Verdict::kInvalid) break;
  }
}

// Of a mutant that an assertion killed: whether it survives if that assertion is `true`.
void Judge::look_who_else(const Mutant& mutant, LoadedModel& loaded, Judgement& judgement) const {
  if (judgement.assertion.line == 0) return;
  cmc::Expression always;
  always.value = 1;
  const auto truth = static_cast<ExpressionId>(loaded.model.expressions.size());
  loaded.model.expressions.push_back(always);
  for (cmc::Statement& each : loaded.model.statements) {
    if (each.kind == cmc::StatementKind::kAssert && each.place == judgement.assertion) each.expression = truth;
  }
  Judgement without;
  search_all(mutant, loaded, without);
  judgement.states += without.states;
  judgement.alone = without.verdict == Verdict::kSurvived;
  // Where the assertion is in the model's text.
  const std::string_view before = model_.sources.text(mutant.range.file);
  const auto lines = [](std::string_view text) { return static_cast<uint32_t>(std::ranges::count(text, '\n')); };
  const uint32_t lost = lines(before.substr(mutant.range.begin, mutant.range.end - mutant.range.begin));
  const bool is_behind =
      judgement.assertion.file == mutant.range.file && judgement.assertion.line > mutant.place.line;
  if (is_behind) judgement.assertion.line += lost - lines(mutant.replacement);
}

void Judge::search(const LoadedModel& mutant, const Baseline::Property& property, Judgement& judgement) const {
  CheckRequest request = request_;
  request.properties = {property.full_name};
  request.state_limit = property.states * kFactor + kSpareStates;
  const double seconds = property.seconds * kFactor + kSpareSeconds;
  request.time_seconds = request.time_seconds > 0 ? std::min(request.time_seconds, seconds) : seconds;
  CheckObserver nobody;
  const Result<std::unique_ptr<Check>> check = Check::make(mutant, request, nobody);
  if (!check.ok()) {
    judgement.verdict = Verdict::kInvalid;
    judgement.message = check.error();
    return;
  }
  const CheckOutcome outcome = check.value()->run(false);
  const SearchResult& result = outcome.properties.front().result;
  judgement.states += result.states_stored;
  switch (result.verdict()) {
    case cmc::Verdict::kHolds: break;
    case cmc::Verdict::kViolated:
      judgement.verdict = Verdict::kKilled;
      judgement.property = property.name;
      judgement.message = result.errors.empty() ? "" : result.errors.front().message;
      judgement.line = result.errors.empty() ? 0 : result.errors.front().place.line;
      if (!result.errors.empty() && is_assertion(result.errors.front().kind))
        judgement.assertion = result.errors.front().place;
      break;
    case cmc::Verdict::kIncomplete:
      judgement.verdict = request_.interrupted() ? Verdict::kNotRun : Verdict::kBudget;
      judgement.message = result.reasons.empty() ? "" : result.reasons.front().text;
      break;
  }
}

// Why nobody noticed.
void Judge::explain(const Mutant& mutant, const LoadedModel& loaded, Judgement& judgement) const {
  if (mutant.statement.line > 0 && baseline_.unreached.contains(mutant.statement)) {
    judgement.verdict = Verdict::kUnreachable;
    return;
  }
  if (!can_be_compared(model_.model) || !can_be_compared(loaded.model)) {
    judgement.message =
        "not compared with the model: it has guards for a solver, C code, hidden variables, or pc_value";
    return;
  }
  const Comparison found = compare(model_.model, loaded.model, {});
  using Outcome = Comparison::Outcome;
  switch (found.outcome) {
    case Outcome::kEqual: judgement.verdict = Verdict::kEqual; return;
    case Outcome::kMore: judgement.message = "no property forbids what only the mutant does"; break;
    case Outcome::kLess: judgement.message = "no property asks for what the mutant no longer does"; break;
    case Outcome::kSameRuns: judgement.message = "the same runs, but choices are made at other times"; break;
    case Outcome::kUndecided: judgement.message = "too large to be compared with the model"; break;
  }
  if (assigns_unread(model_.model, mutant.statement)) judgement.message = "nothing reads what is assigned there";
  judgement.run_of_model = found.outcome == Outcome::kLess;
  judgement.run = run_texts(judgement.run_of_model ? model_.model : loaded.model, found.run);
}

}  // namespace cmc::mutate
