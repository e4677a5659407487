#include "checker/cli/check.h"

#include <algorithm>
#include <ctime>
#include <span>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/failed_check.h"
#include "base/files/file.h"
#include "base/limits.h"
#include "checker/check/check.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/output_files.h"
#include "checker/cli/profile.h"
#include "checker/cli/result_files.h"
#include "checker/cli/signals.h"
#include "checker/cli/trace_files.h"
#include "checker/cli/watch.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"
#include "checker/trace/state_dump.h"

namespace cmc {

CheckRequest check_request(const Session& session) {
  CheckRequest request = session.options.check;
  request.interrupt = &session.interrupted;
  // A check with a log has files already.
  if (request.solver_cache.empty() && !session.options.files.log.empty())
    request.solver_cache = session.options.files.log + ".answers";
  return request;
}

void prepare_for_rank(Options& options, uint32_t rank) {
  if (options.output.color == When::kAuto) options.output.color = When::kNever;
  if (rank == 0) return;
  options.output = {};
  options.output.verbosity = Verbosity::kQuiet;
  options.output.progress = When::kNever;
  options.files = {};
  options.check.solver_log.clear();
  options.check.solver_cache.clear();
}

std::optional<Decider> decider_for(const Session& session, const Model& model) {
  Result<Decider> decider = make_decider(check_request(session), model);
  if (!decider.ok()) {
    complain(decider.error());
    return std::nullopt;
  }
  if (const std::string warning = decider.value().warning(); !warning.empty()) complain(warning);
  return std::move(decider).value();
}

namespace {

// For what only shows a result: without it the result is still one.
void complain_of_bug(const std::string& what) { complain(reason_of_bug("internal error: " + what).text); }

// Prints the counterexample of each property as soon as it is decided: another search may take for ever.
class CheckPrinter final : public CheckWatch {
 public:
  explicit CheckPrinter(const Session& session) : CheckWatch(session), session_(session) {}

  // To be called before the check runs.
  void begin(const Check& check) {
    decider_ = check.decider();
    named_ = check.entries().size() > 1 || check.entries().front().kind != PropertyKind::kSafety;
  }

  void on_decided(const PropertyResult& decided) override {
    const Options& options = session_.options;
    const bool quiet = options.output.verbosity == Verbosity::kQuiet;
    if (quiet && options.output.json.empty() && trace_files(options).empty()) return;
    std::vector<ErrorTrace> made;
    const std::string failure = failed_check_in([&] {
      const std::vector<Violation> violations = numbered_violations({&decided, 1});
      made = make_error_traces(violations, kept_steps(options, violations.size()), decider_);
    });
    if (!failure.empty()) complain_of_bug("counterexamples cannot be shown: " + failure);
    const bool shown = !quiet && options.output.json != kStandardOutput && options.command == Command::kCheck &&
                       decided.result.states_stored > 0;
    if (shown) print_error_traces(session_, made, named_);
    session_.output.flush();
    traces_.insert(traces_.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  // In the order of `violations`, which are of the same results.
  [[nodiscard]] std::vector<ErrorTrace> traces(std::span<const Violation> violations) && {
    const auto number = [&](const ErrorTrace& trace) {
      return std::ranges::find(violations, trace.violation.error, &Violation::error) - violations.begin();
    };
    std::ranges::sort(traces_, {}, number);
    return std::move(traces_);
  }

 private:
  const Session& session_;
  GuardDecider* decider_ = nullptr;
  bool named_ = false;
  std::vector<ErrorTrace> traces_;
};

// Files first: they are written also when nobody reads standard output any more. Each, also if another one cannot be.
// False: one could not, which was told.
bool write_files(const Session& session, ResultFiles& files, const Report& report, const SearchLog& log,
                 const std::vector<Trail>& trails, const LoadedModel& loaded, const std::vector<ErrorTrace>& traces) {
  const Options& options = session.options;
  bool all = true;
  const auto note = [&](const Status& written) {
    if (!written.ok()) complain(written.error());
    all = all && written.ok();
  };
  if (!options.output.json.empty() && options.output.json != kStandardOutput)
    note(files.write_json(report_json(report)));
  for (size_t i = 0; i < trails.size(); ++i) note(files.write_trail(trail_json(trails[i]), i + 1));
  note(write_trace_files(options, loaded, loaded.model, traces_of(traces), session.output));
  if (!options.files.log.empty()) note(files.write_log(write_log(log)));
  if (files.series() != nullptr) note(files.series()->status());
  return all;
}

// Of those that are asked for.
void name_missing_files(const Options& options, const Report& report, const std::vector<Trail>& trails,
                        const std::vector<ErrorTrace>& traces) {
  if (report.error_count == 0) return;
  std::vector<std::string> missing;
  if (!options.files.trail.empty() && trails.empty()) missing.emplace_back("--trail");
  if (traces.empty())
    for (const TraceFile& file : trace_files(options)) missing.emplace_back(file.option);
  if (!missing.empty())
    complain(fmt::format("there is no counterexample: nothing is written for {}", fmt::join(missing, ", ")));
}

Status write_dump(const Options& options, const LoadedModel& loaded, GuardDecider* decider, Limits& limits) {
  if (options.files.dump.empty()) return Success{};
  const std::unique_ptr<SuccessorGenerator> generator =
      make_unreduced_generator(options.check, loaded.model, decider);
  FileInPieces file(options.files.dump);
  dump_states(loaded.model, *generator, options.files.dump_states, loaded.file, limits, [&](std::string_view text) {
    file.append(text);
    return file.status().ok();
  });
  if (!limits.reason().empty()) complain(fmt::format("not all states are in the dump: {}", limits.reason()));
  return file.finish();
}

int exit_code(const Report& report) {
  if (report.interrupted) return interrupted_exit_code();
  switch (report.verdict) {
    case Verdict::kHolds: return kExitHolds;
    case Verdict::kViolated: return kExitViolated;
    case Verdict::kIncomplete: break;
  }
  return kExitIncomplete;
}

int check(const Session& session, const LoadedModel& loaded, ResultFiles& files, const std::string& started) {
  const Options& options = session.options;
  if (const Status known = check_step_filter(loaded.model, options.shown.only); !known.ok())
    return refuse(known.error());
  CheckPrinter printer(session);
  const Result<std::unique_ptr<Check>> made = Check::make(loaded, check_request(session), printer);
  if (!made.ok()) return refuse(made.error());
  Check& check = *made.value();
  printer.begin(check);
  if (const Status begun = files.begin(loaded); !begun.ok()) return refuse(begun.error());
  printer.record(files.series());
  const SearchOptions& search = check.limits();
  Limits limits({search.memory_limit_bytes, search.time_limit_seconds, &session.interrupted});
  if (const Status dumped = write_dump(options, loaded, check.decider(), limits); !dumped.ok())
    return refuse(dumped.error());
  CheckOutcome outcome = check.run(!options.files.log.empty(), limits.elapsed_seconds());
  const std::vector<PropertyResult>& results = outcome.properties;
  const std::vector<Violation> violations = numbered_violations(results);

  // One report, from which both the text and the JSON are made.
  RunDescription& run = outcome.run;
  run.arguments = options.arguments;
  run.begun = started;
  outcome.log.command = command_text(kVersion, options.arguments);
  std::vector<Trail> trails;
  for (const Violation& each : violations) {
    if (options.files.trail.empty() || (!trails.empty() && is_special_file(options.files.trail))) break;
    Result<Trail> trail = check.make_trail(*each.property, *each.error);
    if (!trail.ok()) {
      complain_of_bug("there is no trail: " + trail.error());
      continue;
    }
    trails.push_back(std::move(trail).value());
    run.trail_files.push_back(numbered_file(options.files.trail, trails.size()));
  }
  const Result<std::string> profile =
      options.check.profile ? write_profile(session, results, run) : Result<std::string>(std::string());
  Report report = make_report(loaded.model, results, std::move(run));
  const std::vector<ErrorTrace> traces = std::move(printer).traces(violations);
  explain_errors(results, traces, report);
  const bool written = write_files(session, files, report, outcome.log, trails, loaded, traces);
  name_missing_files(options, report, trails, traces);
  if (!profile.ok()) complain(profile.error());
  if (options.output.json == kStandardOutput) {
    session.output.print(report_json(report));
  } else {
    if (profile.ok()) session.output.print(profile.value());
    const bool brief = options.command == Command::kProfile && options.output.verbosity == Verbosity::kNormal;
    session.output.print(report_text(report, brief ? Verbosity::kQuiet : options.output.verbosity,
                                     Palette(wants_color(options.output.color, stdout))));
  }
  session.output.flush();
  const Status closed = written && !session.output.broken() ? check.close() : Success{};  // or `cmc resume` tells it
  return written && profile.ok() && closed.ok() ? exit_code(report) : kExitUsage;
}

// When a run begins, in UTC.
std::string time_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace

int check_loaded(const Session& session, const LoadedModel& loaded) {
  ResultFiles files(session.options);
  return check(session, loaded, files, time_now());
}

int run_check(const Session& session) {
  const std::string started = time_now();
  ResultFiles files(session.options);
  const std::optional<LoadedModel> loaded = load_model(session);
  if (loaded) return check(session, *loaded, files, started);
  files.forget();
  return kExitUsage;
}

}  // namespace cmc
