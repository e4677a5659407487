#include "checker/cli/check.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <functional>
#include <span>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/failed_check.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/memory_limit.h"
#include "base/sha1.h"
#include "checker/cli/commands.h"
#include "checker/cli/engines.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/output_files.h"
#include "checker/cli/profile.h"
#include "checker/cli/result_files.h"
#include "checker/cli/select_properties.h"
#include "checker/cli/signals.h"
#include "checker/cli/trace_files.h"
#include "checker/cli/watch.h"
#include "checker/plugin/generator.h"
#include "checker/plugin/layout.h"
#include "checker/properties/decide.h"
#include "checker/properties/formula_check.h"
#include "checker/properties/restore_runs.h"
#include "checker/report/search_log.h"
#include "checker/report/style.h"
#include "checker/report/version.h"
#include "checker/search/replay.h"
#include "checker/search/shorten.h"
#include "checker/search/turn.h"
#include "checker/trace/counterexample.h"
#include "checker/trace/state_dump.h"
#include "checker/trace/trail.h"

namespace cmc {
namespace {

const char* step_mode_name(StepMode mode) {
  switch (mode) {
    case StepMode::kSpin: return "spin";
    case StepMode::kStatement: return "statement";
    case StepMode::kPath: break;
  }
  return "path";
}

const char* order_name(SearchOptions::Order order) {
  switch (order) {
    case SearchOptions::Order::kDepthFirst: return "dfs";
    case SearchOptions::Order::kBreadthFirst: return "bfs";
    case SearchOptions::Order::kAuto: break;
  }
  return "auto";
}

const char* overflow_name(Overflow overflow) {
  switch (overflow) {
    case Overflow::kIgnored: return "off";
    case Overflow::kShown: return "shown";
    case Overflow::kWarning: return "warn";
    case Overflow::kError: break;
  }
  return "error";
}

const char* cycle_algorithm_name(CycleAlgorithm algorithm) {
  switch (algorithm) {
    case CycleAlgorithm::kNdfs: return "ndfs";
    case CycleAlgorithm::kHull: return "hull";
    case CycleAlgorithm::kAuto: break;
  }
  return "auto";
}

}  // namespace

namespace {

constexpr uint64_t kStoreBytes = uint64_t{1} << 30;  // --memory that the parts of the store are sized for without one

}  // namespace

SearchOptions search_options(const Session& session) {
  const Options& options = session.options;
  SearchOptions search;
  search.order = options.search;
  search.max_errors = options.max_errors;
  search.max_trails = options.max_trails;
  search.memory_limit_bytes = options.memory_bytes > 0 ? options.memory_bytes : default_memory_budget_bytes();
  search.time_limit_seconds = options.time_seconds;
  search.check_end_states = options.check_end_states;
  search.fairness = options.fairness;
  search.cycles = options.cycles;
  search.threads = options.threads > 0 ? static_cast<uint32_t>(options.threads)
                                       : std::max(1u, std::thread::hardware_concurrency());
  search.memo_bytes = options.memo_bytes;
  search.compact_set = options.compact_set;
  search.store = options.store;
  // An option about one part of the store does not make the others as large as the machine.
  if (options.store.from_start && options.memory_bytes == 0) search.store.sized_for_bytes = kStoreBytes;
  search.interrupt = &session.interrupted;
  return search;
}

namespace {

std::string host_name() {
  struct utsname names {};
  return ::uname(&names) == 0 ? names.nodename : "";
}

}  // namespace

std::string generator_name(const Options& options) {
  switch (options.generator) {
    case GeneratorKind::kAuto: return "auto";
    case GeneratorKind::kNative: return "native";
    case GeneratorKind::kReference: return "reference";
    case GeneratorKind::kVm: return "vm";
    case GeneratorKind::kPlugin: break;
  }
  return "plugin:" + options.plugin;
}

RunDescription describe_run(const Options& options, const SearchOptions& search, const LoadedModel& loaded) {
  RunDescription run;
  run.model_file = loaded.file;
  run.model_sha1 = loaded.sha1;
  for (uint32_t file = 0; file < loaded.sources.file_count(); ++file) {
    const std::string& name = loaded.sources.name(file);
    const bool is_text = name.starts_with('<') || name.starts_with("--");  // standard input, -D, --ltl
    const bool is_known = std::ranges::find(run.includes, name, &RunDescription::File::name) != run.includes.end();
    if (name != loaded.file && !is_text && !is_known)
      run.includes.push_back({name, sha1_hex(loaded.sources.text(file))});
  }
  run.arguments = options.arguments;
  run.host = host_name();
  run.steps = step_mode_name(options.steps);
  run.reductions = reductions_on(options, loaded.model, reduces_order(options, loaded.model));
  run.options = {
      {"preprocessor", preprocessor_arguments(options.preprocessor)},
      {"escapes_like_java", options.escapes_like_java},
      {"search", std::string(order_name(search.order))},
      {"generator", generator_name(options)},
      {"engine", std::string(options.engine == Engine::kFast ? "fast" : "simple")},
      {"threads", uint64_t{search.threads}},
      {"check_generator", options.check_generator},
      {"steps", run.steps},
      {"reductions", run.reductions.empty() ? std::string("none") : run.reductions},
      {"max_errors", search.max_errors},
      {"shorten", options.shorten_seconds ? RunDescription::Value(*options.shorten_seconds) : std::string("auto")},
      {"end_states", search.check_end_states},
      {"overflow", std::string(overflow_name(loaded.model.overflow))},
      {"properties", options.properties},
      {"formulas", options.formulas},
      {"fairness", std::string(fairness_name(search.fairness))},
      {"cycles", std::string(cycle_algorithm_name(search.cycles))},
      {"memory_limit_bytes", search.memory_limit_bytes},
      {"time_limit_seconds", search.time_limit_seconds},
  };
  return run;
}

namespace {

// So that paths are ones of single statements of the model as it is.
void restore_paths(const Session& session, const Model& product, const Decider& decider, SearchResult& result) {
  const bool reduced = session.options.reset_dead_variables || merges_steps(session.options, product);
  if (product.claim.exists() && reduced) {
    restore_runs(*make_path_generator(session.options, product, decider.get()), product, result);
  }
}

void confirm_paths(const Model& product, const Decider& decider, Fairness fairness, SearchResult& result) {
  const std::unique_ptr<SuccessorGenerator> reference = make_referee(product, decider.get());
  verify_errors(result, *reference, {&product, fairness});
  verify_formulas(product, result, *reference);
}

// How long the counterexamples of a search may be shortened. Who wants all errors counts them.
double seconds_to_shorten(const Options& options, const SearchOptions& search, const SearchResult& result) {
  constexpr double kLeast = 1;
  constexpr double kMost = 60;
  if (options.max_errors == 0 && !options.shorten_seconds) return 0;
  const double seconds = options.shorten_seconds.value_or(std::clamp(result.wall_seconds, kLeast, kMost));
  return std::clamp(search.turn->seconds_left(), 0.0, seconds);
}

// For what only shows a result: without it the result is still one.
void complain_of_bug(const std::string& what) { complain(reason_of_bug("internal error: " + what).text); }

void shorten(const Session& session, const Model& product, const Decider& decider, const SearchOptions& options,
             const std::string& label, SearchResult& result) {
  const double seconds = seconds_to_shorten(session.options, options, result);
  if (result.error_count == 0 || result.interrupted || seconds == 0) return;
  ShorteningNotice notice(session);
  const auto say_what_is_known = [&] {
    SearchResult known;
    known.errors = result.errors;
    known.error_count = result.error_count;
    confirm_paths(product, decider, options.fairness, known);
    name_violations(product, known);
    const auto error = std::ranges::find(known.errors, true, &FoundError::has_path);
    if (error != known.errors.end()) notice.show(label, counterexample_title(*error, options.fairness), seconds);
  };
  const std::unique_ptr<SuccessorGenerator> statements = make_path_generator(session.options, product, decider.get());
  shorten_counterexamples(*statements, product, options, seconds, result, say_what_is_known);
}

}  // namespace

void finish_errors(const Session& session, const Model& product, const Decider& decider, const SearchOptions& options,
                   const std::string& label, SearchResult& result) {
  if (result.set_aside) return;
  restore_paths(session, product, decider, result);
  const std::string failure = failed_check_in([&] { shorten(session, product, decider, options, label, result); });
  if (!failure.empty()) {
    complain_of_bug("the counterexample was not made shorter: " + failure);
    result.shortening.reset();
  }
  confirm_paths(product, decider, options.fairness, result);
}

namespace {

// A broken identity is a bug of CMC: a state or a query was lost or counted twice.
void check_log(const SearchLog& log, SearchResult& result) {
  for (const BrokenIdentity& identity : check_identities(log)) {
    result.add_reason(reason_of_bug(fmt::format("{}: {} is not {}", identity.text, identity.left, identity.right)));
  }
}

// The searches for all properties. The histogram log, the time series and the profile are those of the first one.
class Searches {
 public:
  Searches(const Session& session, const LoadedModel& loaded, const Decider& decider, TimeSeriesWriter* series)
      : session_(session), loaded_(loaded), decider_(decider), series_(series) {}

  std::vector<PropertyResult> run(const std::vector<PropertyEntry>& entries, const SearchOptions& options,
                                  const PropertyObserver& observer) {
    const bool several = entries.size() > 1;
    const auto search_one = [&](const PropertyEntry& entry, const Model& product, SearchOptions each) {
      const bool logs = !log_ && entry.kind == entries.front().kind && entry.name == entries.front().name;
      if (logs && wants_profile(session_.options)) each.profile = profile_options(session_.options);
      return search(product, each, several ? entry.name : "", logs);
    };
    std::vector<PropertyResult> results = decide_properties(loaded_.model, entries, options, search_one, observer);
    if (!log_) log_ = make_log(results.front().result);  // interrupted before it began
    return results;
  }

  [[nodiscard]] const SearchLog& log() const { return *log_; }

 private:
  SearchResult search(const Model& product, const SearchOptions& options, const std::string& label, bool logs) {
    SearchResult result = watch_search(session_, product, decider_, options, label, logs ? series_ : nullptr);
    if (logs && !result.set_aside) {
      if (!session_.options.log.empty()) check_log(make_log(result), result);
      log_ = make_log(result);
      log_->command = command_text(kVersion, session_.options.arguments);
    }
    finish_errors(session_, product, decider_, options, label, result);
    return result;
  }

  const Session& session_;
  const LoadedModel& loaded_;
  const Decider& decider_;
  TimeSeriesWriter* series_;
  std::optional<SearchLog> log_;
};

// Prints the counterexample of each property as soon as it is decided: another search may take for ever.
class CounterexamplePrinter {
 public:
  CounterexamplePrinter(const Session& session, std::span<const PropertyEntry> entries, GuardDecider* decider)
      : session_(session),
        decider_(decider),
        named_(entries.size() > 1 || entries.front().kind != PropertyKind::kSafety) {}

  void on_decided(const PropertyResult& decided) {
    const Options& options = session_.options;
    const bool quiet = options.verbosity == Verbosity::kQuiet;
    if (session_.on_results || (quiet && options.json.empty() && trace_files(options).empty())) return;
    std::vector<ErrorTrace> made;
    const std::string failure = failed_check_in([&] {
      made = make_error_traces(session_, numbered_violations({&decided, 1}), decider_);
    });
    if (!failure.empty()) complain_of_bug("counterexamples cannot be shown: " + failure);
    const bool shown = !quiet && options.json != kStandardOutput && options.command == Command::kCheck &&
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
  GuardDecider* decider_;
  const bool named_;
  std::vector<ErrorTrace> traces_;
};

// Error: the path does not replay, although it did before.
Result<Trail> make_trail(const Session& session, const LoadedModel& loaded, const Violation& violation,
                         GuardDecider* decider) {
  const Options& options = session.options;
  const Model& product = *violation.property->product;
  Trail trail;
  trail.model_file = loaded.file;
  trail.model_sha1 = loaded.sha1;
  trail.preprocessor = preprocessor_arguments(options.preprocessor);
  trail.escapes_like_java = options.escapes_like_java;
  trail.formulas = options.formulas;
  const std::optional<Shortening>& shortening = violation.property->result.shortening;
  trail.steps = step_mode_name(shortening && shortening->cut.empty() ? StepMode::kStatement : options.steps);
  trail.fairness = violation.property->fairness;
  trail.error = describe_error(product, *violation.error);
  trail.error.property = violation.property->entry.name;
  trail.loop_start = violation.error->loop_start;
  const std::unique_ptr<SuccessorGenerator> reference = make_referee(product, decider);
  const Result<ReplayEnd> end = replay_path(*reference, violation.error->path, [&](const ReplayEvent& event) {
    trail.add(event.step, describe_step(product, event.before, event.step));
  });
  if (!end.ok()) return Error{end.error()};
  return trail;
}

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
  if (!options.json.empty() && options.json != kStandardOutput) note(files.write_json(report_json(report)));
  for (size_t i = 0; i < trails.size(); ++i) note(files.write_trail(trail_json(trails[i]), i + 1));
  note(write_trace_files(options, loaded, loaded.model, traces_of(traces), session.output));
  if (!options.log.empty()) note(files.write_log(write_log(log)));
  if (files.series() != nullptr) note(files.series()->status());
  return all;
}

Status write_dump(const Options& options, const LoadedModel& loaded, GuardDecider* decider, Limits& limits) {
  if (options.dump_file.empty()) return Success{};
  const std::unique_ptr<SuccessorGenerator> generator = make_unreduced_generator(options, loaded.model, decider);
  FileInPieces file(options.dump_file);
  dump_states(loaded.model, *generator, options.dump_states, loaded.file, limits, [&](std::string_view text) {
    file.append(text);
    return file.status().ok();
  });
  if (!limits.reason().empty()) complain(fmt::format("not all states are in the dump: {}", limits.reason()));
  return file.finish();
}

// Where --json wants a result. A file that CMC has not written, such as the model itself, stays.
void write_mistakes(const Session& session, const std::vector<Mistake>& mistakes) {
  const Options& options = session.options;
  if (options.json.empty() || mistakes.empty()) return;
  const std::string text = mistakes_json(options.model, mistakes);
  if (options.json == kStandardOutput) return session.output.print(text);
  if (std::filesystem::exists(options.json) && !is_special_file(options.json)) return;
  if (const Status written = write_file_atomically(options.json, text); !written.ok()) complain(written.error());
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

// With the plug-in that the options name, if they do. False: there was an error, which was told.
bool load_plugin(const Model& model, Session& session) {
  if (session.options.generator != GeneratorKind::kPlugin) return true;
  if (const std::string obstacle = plugin::obstacle(model); !obstacle.empty()) {
    complain(fmt::format("there can be no plug-in for this model, because {}", obstacle));
    return false;
  }
  Result<std::shared_ptr<const plugin::Library>> plugin =
      plugin::Library::load(session.options.plugin, plugin::model_sha1(model));
  if (!plugin.ok()) complain(plugin.error());
  if (plugin.ok()) session.plugin = std::move(plugin).value();
  return plugin.ok();
}

int check(const Session& given, const LoadedModel& loaded, ResultFiles& files, const std::string& started) {
  Session session = given;
  const Options& options = session.options;
  if (const Status known = check_step_filter(loaded.model, options.only); !known.ok()) {
    complain(known.error());
    return kExitUsage;
  }
  const Result<std::vector<PropertyEntry>> entries = select_properties(options, loaded.model);
  if (!entries.ok()) {
    complain(entries.error());
    return kExitUsage;
  }
  if (!load_plugin(loaded.model, session)) return kExitUsage;
  SearchOptions search = search_options(session);
  const Decider decider = make_decider(session, loaded.model);
  if (!decider.ok) return kExitUsage;
  if (const Status begun = files.begin(loaded); !begun.ok()) {
    complain(begun.error());
    return kExitUsage;
  }
  Limits limits({search.memory_limit_bytes, search.time_limit_seconds, &session.interrupted});
  if (const Status dumped = write_dump(options, loaded, decider.get(), limits); !dumped.ok()) {
    complain(dumped.error());
    return kExitUsage;
  }
  search.spent_wall_seconds = limits.elapsed_seconds();
  Searches searches(session, loaded, decider, files.series());
  CounterexamplePrinter printer(session, entries.value(), decider.get());
  const std::vector<PropertyResult> results =
      searches.run(entries.value(), search, [&](const PropertyResult& decided) { printer.on_decided(decided); });
  const std::vector<Violation> violations = numbered_violations(results);

  // One report, from which both the text and the JSON are made.
  RunDescription run = describe_run(options, search, loaded);
  run.begun = started;
  if (decider.oracle != nullptr) {
    run.guards = decider.oracle->guard_figures();
    run.solver = decider.oracle->solver_figures();
  }
  std::vector<Trail> trails;
  for (const Violation& each : violations) {
    if (options.trail.empty() || (!trails.empty() && is_special_file(options.trail))) break;
    Result<Trail> made = make_trail(session, loaded, each, decider.get());
    if (!made.ok()) {
      complain_of_bug("there is no trail: " + made.error());
      continue;
    }
    trails.push_back(std::move(made).value());
    run.trail_files.push_back(numbered_file(options.trail, trails.size()));
  }
  const std::optional<KeyFigures>& keys = results.front().result.keys;
  run.reductions = reductions_on(options, loaded.model, keys && keys->reduces);
  const Result<std::string> profile =
      wants_profile(options) ? write_profile(session, results, run) : Result<std::string>(std::string());
  Report report = make_report(loaded.model, results, std::move(run));
  if (session.on_results) {
    session.on_results({results, report, decider.get()});
    return exit_code(report);
  }
  const std::vector<ErrorTrace> traces = std::move(printer).traces(violations);
  explain_errors(results, traces, report);
  const bool written = write_files(session, files, report, searches.log(), trails, loaded, traces);
  if (!profile.ok()) complain(profile.error());
  if (options.json == kStandardOutput) {
    session.output.print(report_json(report));
  } else {
    if (profile.ok()) session.output.print(profile.value());
    const bool brief = options.command == Command::kProfile && options.verbosity == Verbosity::kNormal;
    session.output.print(report_text(report, brief ? Verbosity::kQuiet : options.verbosity,
                                     Palette(wants_color(options.color, stdout))));
  }
  return written && profile.ok() ? exit_code(report) : kExitUsage;
}

// When a run begins, in UTC.
std::string time_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace

int check_model(const Session& session, const LoadedModel& loaded) {
  ResultFiles files(session.options);
  return check(session, loaded, files, time_now());
}

int run_check(const Session& session) {
  const std::string started = time_now();
  ResultFiles files(session.options);
  std::vector<Mistake> mistakes;
  const auto note = [&](const std::string& file, uint32_t line, const std::string& message) {
    mistakes.push_back({message, file, line});
  };
  const std::optional<LoadedModel> loaded = load_model(session.options, note);
  if (loaded) return check(session, *loaded, files, started);
  files.forget();
  write_mistakes(session, mistakes);
  return kExitUsage;
}

}  // namespace cmc
