#include <fmt/format.h>

#include "checker/api/content.h"
#include "checker/check/check.h"
#include "checker/cli/load_model.h"
#include "checker/cli/output_files.h"
#include "checker/report/report.h"
#include "checker/result/replay.h"

namespace cmc::api {
namespace {

// Options of `command`, as on its command line. Error: what is wrong with them.
Result<Options> parse_options(const char* command, const std::vector<std::string>& words) {
  std::vector<std::string> arguments = {command};
  arguments.insert(arguments.end(), words.begin(), words.end());
  arguments.emplace_back("model");
  const std::variant<Options, Answer> parsed = parse_command_line(arguments);
  if (const Answer* const answer = std::get_if<Answer>(&parsed)) return Error{answer->text};
  Options options = std::get<Options>(parsed);
  if (options.model != "model") return Error{"an option is needed, not a file name"};
  if (!output_files(options).empty() || !options.output.json.empty())
    return Error{"options about output are for the program only"};
  options.output.verbosity = Verbosity::kQuiet;
  options.output.progress = When::kNever;
  options.output.color = When::kNever;
  return options;
}

Result<Model> compile(const Options& options, promela::Sources sources, std::uint32_t file,
                      const std::function<Model(Loaded)>& make) {
  std::string diagnostics;
  std::optional<LoadedModel> loaded = compile_model(model_request(options), std::move(sources), file, diagnostics);
  if (!loaded) return Error{std::move(diagnostics)};
  return make(Loaded{options.check, std::move(*loaded)});
}

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

Result<Model> Model::load(const std::string& path, const std::vector<std::string>& words) {
  const Result<Options> options = parse_options("info", words);
  if (!options.ok()) return Error{options.error()};
  promela::Sources sources;
  const cmc::Result<std::uint32_t> file = sources.load(path);
  if (!file.ok()) return Error{file.error()};
  return compile(options.value(), std::move(sources), file.value(),
                 [](Loaded loaded) { return Model(std::make_shared<const Content>(std::move(loaded))); });
}

Result<Model> Model::parse(std::string text, const std::string& name, const std::vector<std::string>& words) {
  const Result<Options> options = parse_options("info", words);
  if (!options.ok()) return Error{options.error()};
  promela::Sources sources;
  const std::uint32_t file = sources.add(name, std::move(text));
  return compile(options.value(), std::move(sources), file,
                 [](Loaded loaded) { return Model(std::make_shared<const Content>(std::move(loaded))); });
}

Result<CheckResult> Model::check(const std::vector<std::string>& words, const std::atomic<bool>* stop) const {
  const Result<Options> parsed = parse_options("check", words);
  if (!parsed.ok()) return Error{parsed.error()};
  const Options& options = parsed.value();
  if (options.check.generator == GeneratorKind::kPlugin)
    return Error{"--generator plugin:FILE is for the program only"};
  const LoadedModel& loaded = content_->loaded;
  const bool reads = !options.reading.preprocessor.commands.empty() ||
                     !options.reading.preprocessor.include_directories.empty() || options.reading.escapes_like_java ||
                     !options.reading.formulas.empty();
  if (reads) return Error{"-D, -U, -I, -J, --promela-s and --ltl are for load() and parse()"};
  CheckRequest request = options.check;
  request.interrupt = stop;
  CheckObserver nobody;
  const cmc::Result<std::unique_ptr<Check>> made = Check::make(loaded, std::move(request), nobody);
  if (!made.ok()) return Error{made.error()};
  CheckOutcome outcome = made.value()->run(false);
  const std::vector<PropertyResult>& results = outcome.properties;
  const Report report = make_report(loaded.model, results, std::move(outcome.run));
  CheckResult result;
  result.verdict = verdict_of(report.verdict);
  for (const Reason& reason : report.reasons) result.reasons.push_back(reason.text);
  result.states = report.states_stored;
  result.transitions = report.transitions;
  for (const PropertyResult& each : results) {
    if (const FoundError* const error = shortest_counterexample(each.result))
      result.violations.push_back(violation_of(each, *error, made.value()->decider()));
  }
  result.json = report_json(report);
  return result;
}

}  // namespace cmc::api
