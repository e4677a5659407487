#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory_limit.h"
#include "base/process_memory.h"
#include "checker/cli/commands.h"
#include "checker/cli/result_files.h"
#include "checker/cli/signals.h"
#include "checker/generator/checked.h"
#include "checker/generator/dead_variables.h"
#include "checker/generator/path_steps.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/report/progress.h"
#include "checker/report/search_log.h"
#include "checker/report/time_series.h"
#include "checker/report/trace_printer.h"
#include "checker/report/trail.h"
#include "checker/search/key_search.h"
#include "checker/search/replay.h"
#include "checker/search/simple_search.h"
#include "checker/vm/generator.h"

namespace cmc {
namespace {

constexpr const char* kStandardOutput = "-";

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

SearchOptions search_options(const Session& session) {
  const Options& options = session.options;
  SearchOptions search;
  search.order = options.search;
  search.max_errors = options.max_errors;
  search.memory_limit_bytes = options.memory_bytes > 0 ? options.memory_bytes : default_memory_budget_bytes();
  search.time_limit_seconds = options.time_seconds;
  search.check_end_states = options.check_end_states;
  search.threads = options.threads > 0 ? static_cast<uint32_t>(options.threads)
                                       : std::max(1u, std::thread::hardware_concurrency());
  search.memo_bytes = options.memo_bytes;
  search.compact_set = options.compact_set;
  search.store = options.store;
  search.interrupt = &session.interrupted;
  return search;
}

RunDescription describe_run(const Options& options, const SearchOptions& search, const LoadedModel& loaded) {
  RunDescription run;
  run.model_file = loaded.file;
  run.model_sha1 = loaded.sha1;
  run.steps = step_mode_name(options.steps);
  run.options = {
      {"preprocessor", preprocessor_arguments(options.preprocessor)},
      {"escapes_like_java", options.escapes_like_java},
      {"search", std::string(order_name(search.order))},
      {"generator", std::string(options.generator == GeneratorKind::kVm ? "vm" : "reference")},
      {"engine", std::string(options.engine == Engine::kFast ? "fast" : "simple")},
      {"threads", uint64_t{search.threads}},
      {"check_generator", options.check_generator},
      {"steps", run.steps},
      {"reductions", std::string(options.reset_dead_variables ? "dead-variables" : "none")},
      {"max_errors", search.max_errors},
      {"end_states", search.check_end_states},
      {"memory_limit_bytes", search.memory_limit_bytes},
      {"time_limit_seconds", search.time_limit_seconds},
  };
  return run;
}

ReferenceSteps reference_steps(const Options& options) {
  return options.steps == StepMode::kStatement ? ReferenceSteps::kStatement : ReferenceSteps::kSpin;
}

// The generator of a search, from one whose atomic sequences are followed if need be.
std::unique_ptr<SuccessorGenerator> with_reductions(const Options& options,
                                                    std::unique_ptr<SuccessorGenerator> generator,
                                                    const Model& model) {
  const bool product = model.claim.exists();
  if (options.steps == StepMode::kPath && !product) generator = close_local_paths(std::move(generator), model);
  if (options.reset_dead_variables) generator = reset_dead_variables(std::move(generator), model);
  if (product) generator = make_product_generator(std::move(generator), model);
  return generator;
}

// The same, from one of single statements.
std::unique_ptr<SuccessorGenerator> with_steps(const Options& options, std::unique_ptr<SuccessorGenerator> generator,
                                               const Model& model) {
  if (options.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), model);
  return with_reductions(options, std::move(generator), model);
}

// The reference interpreter cannot tell what it touches, so the fast engine cannot run with it; it can be checked by
// it. Unless it is, the fast engine does not wait for answers about solver guards.
// `cut` counts the states of which the check looked at the first successors only.
SearchResult search_checked(const Session& session, const Model& model, const Decider& decider, SearchOptions search,
                            SearchObserver* observer, std::atomic<uint64_t>& cut) {
  const Options& options = session.options;
  if (options.engine == Engine::kFast && options.generator != GeneratorKind::kReference) {
    std::unique_ptr<SuccessorGenerator> checker;
    if (options.check_generator) {
      checker = with_reductions(
          options, make_reference_generator(model, decider.get(), reference_steps(options), &cut), model);
    }
    GuardDecider* asked = decider.get();
    if (decider.oracle != nullptr && !options.check_generator) {
      asked = &decider.oracle->parking();
      search.pending_guards = decider.oracle.get();
    }
    const SystemClock clock;
    const double wall = clock.wall_seconds();
    const double cpu = clock.cpu_seconds();
    std::string reason;
    std::optional<SearchResult> result = run_key_search(
        model, [&] { return with_steps(options, make_statement_generator(options, model, asked), model); }, search,
        observer, &reason, checker.get());
    if (result) return std::move(*result);
    if (options.verbosity != Verbosity::kQuiet) {
      complain(fmt::format("the simple engine is used{}, because {}",
                           options.store.from_start ? ", without the disk store" : "", reason));
    }
    search.spent_wall_seconds = clock.wall_seconds() - wall;
    search.spent_cpu_seconds = clock.cpu_seconds() - cpu;
  }
  std::unique_ptr<SuccessorGenerator> generator = make_statement_generator(options, model, decider.get());
  if (options.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), model);
  if (options.check_generator) {
    generator = make_checked_generator(
        std::move(generator), make_reference_generator(model, decider.get(), reference_steps(options), &cut));
  }
  generator = with_reductions(options, std::move(generator), model);
  return run_search(*generator, model, search, observer);
}

SearchResult search_with_engine(const Session& session, const Model& model, const Decider& decider,
                                SearchOptions search, SearchObserver* observer) {
  std::atomic<uint64_t> cut{0};
  SearchResult result = search_checked(session, model, decider, std::move(search), observer, cut);
  if (cut > 0 && session.options.verbosity != Verbosity::kQuiet) {
    fmt::print(stderr,
               "cmc: {} expansions were checked in part only: the reference interpreter follows the atomic sequences "
               "behind a state for {} states\n",
               cut.load(), kMostReferenceStates);
  }
  return result;
}

// Several observers as one.
class Observers final : public SearchObserver {
 public:
  void add(SearchObserver& observer) { all_.push_back(&observer); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  void on_progress(const Progress& progress) override {
    for (SearchObserver* observer : all_) observer->on_progress(progress);
  }

 private:
  std::vector<SearchObserver*> all_;
};

// With what the user is to know if solver guards were left undecided.
SearchResult search_with_decider(const Session& session, const Model& model, const Decider& decider,
                                 const SearchOptions& search, SearchObserver* observer) {
  SearchResult result = search_with_engine(session, model, decider, search, observer);
  if (decider.oracle == nullptr) return result;
  if (session.interrupted && !result.interrupted &&
      decider.oracle->undecided() > 0) {  // that is why they are undecided
    result.interrupted = true;
    result.all_expanded = false;
    result.reasons.insert(result.reasons.begin(),
                          {ReasonKind::kInterrupted, "the search was interrupted while the solver was asked"});
  }
  if (const auto trouble = decider.oracle->trouble(); trouble && decider.oracle->undecided() > 0) {
    result.reasons.insert(result.reasons.begin(), {ReasonKind::kSolver, "the solver does not answer: " + *trouble});
  }
  return result;
}

// The error with the shortest path that was kept; null if there is none.
const FoundError* shortest_counterexample(const SearchResult& result) {
  const FoundError* shortest = nullptr;
  for (const FoundError& error : result.errors) {
    if (error.has_path && (shortest == nullptr || error.path.size() < shortest->path.size())) shortest = &error;
  }
  return shortest;
}

// The error is there, but its path is lost: the disk store's log of paths is damaged. Looks for an error once more,
// with all states in RAM, and says how that ended.
void search_again_for_path(const Session& session, const Model& model, const Decider& decider,
                           const SearchOptions& search, SearchResult& result) {
  SearchOptions again = search;
  again.store = StoreSettings();
  again.max_errors = 1;
  again.spent_wall_seconds = result.wall_seconds;
  SearchResult second = search_with_engine(session, model, decider, again, nullptr);
  std::string outcome = "a second search, in RAM only, found no error";
  if (const FoundError* found = shortest_counterexample(second); found != nullptr) {
    const auto known = std::ranges::find_if(result.errors, [&](const FoundError& error) {
      return error.kind == found->kind && error.message == found->message;
    });
    if (known != result.errors.end()) {
      *known = *found;
    } else {
      result.errors.push_back(*found);
      ++result.error_count;
    }
    outcome = "the counterexample is of a second search, in RAM only";
  } else if (!second.reasons.empty()) {
    outcome += ": " + second.reasons.front().text;
  }
  result.reasons.push_back({ReasonKind::kStore, std::move(outcome)});
}

bool has_lost_its_path(const SearchResult& result) {
  return result.error_count > 0 && !result.interrupted && shortest_counterexample(result) == nullptr;
}

// `series` may be null.
SearchResult search_with_progress(const Session& session, const Model& model, const Decider& decider,
                                  const SearchOptions& search, TimeSeriesWriter* series) {
  const Options& options = session.options;
  const bool terminal = is_terminal(stderr);
  const bool show = options.progress == When::kAlways ||
                    (options.progress == When::kAuto && terminal && options.verbosity != Verbosity::kQuiet);
  Observers observers;
  std::optional<ProgressLine> progress;
  if (show) observers.add(progress.emplace(stderr, terminal, terminal_columns()));
  std::optional<TimeSeriesRecorder> recorder;
  if (series != nullptr) observers.add(recorder.emplace(*series));
  return search_with_decider(session, model, decider, search, observers.empty() ? nullptr : &observers);
}

// The first row of a series is the initial state, its last one the end; between them come what the search tells.
void begin_series(TimeSeriesWriter& series) {
  Progress start;
  start.states = 1;
  start.open_states = 1;
  series.add(series_row(start, resident_bytes()));
}

void finish_series(TimeSeriesWriter& series, const SearchResult& result) {
  Progress end;
  end.phase = "end";
  end.states = result.states_stored;
  end.transitions = result.transitions;
  end.elapsed_seconds = result.wall_seconds;
  if (result.statistics.store) {
    const StoreFigures& store = *result.statistics.store;
    end.lossy_entries = store.lossy_left;
    end.lossy_capacity = store.lossy_capacity;
    end.reclaimed = store.reclaimed;
    end.pages_written = store.pages_written;
    end.pages_read = store.pages_read;
  }
  series.add(series_row(end, resident_bytes()));
}

// A broken identity is a bug of CMC: a state or a query was lost or counted twice.
void check_log(const SearchLog& log) {
  const std::vector<BrokenIdentity> broken = check_identities(log);
  for (const BrokenIdentity& identity : broken) {
    complain(fmt::format("internal error: {}: {} is not {}", identity.text, identity.left, identity.right));
  }
  CHECK(broken.empty());
}

Trail make_trail(const Session& session, const LoadedModel& loaded, const FoundError& error,
                 SuccessorGenerator& reference) {
  const Options& options = session.options;
  Trail trail;
  trail.model_file = loaded.file;
  trail.model_sha1 = loaded.sha1;
  trail.preprocessor = preprocessor_arguments(options.preprocessor);
  trail.escapes_like_java = options.escapes_like_java;
  trail.steps = step_mode_name(options.steps);
  trail.error = describe_error(loaded.model, error);
  const Result<ReplayEnd> end = replay_path(reference, error.path, [&](const ReplayEvent& event) {
    trail.path.push_back({event.step, describe_step(loaded.model, event.before, event.step)});
  });
  CHECK(end.ok());  // verify_errors() has been here before
  return trail;
}

void print_counterexample(const Session& session, const LoadedModel& loaded, const FoundError& error,
                          SuccessorGenerator& reference) {
  const Options& options = session.options;
  const Palette palette(wants_color(options.color, stdout));
  Output& output = session.output;
  TracePrinter printer(loaded.model, {options.trace, options.trace_limit, error.path.size(), false}, palette,
                       [&](std::string_view text) { output.print(text); });
  output.print(fmt::format("{} {}, {}:\n\n", palette.paint(Tone::kStrong, "counterexample:"),
                           printable(error.message), plural(error.path.size(), "step")));
  const Result<ReplayEnd> end = replay_path(reference, error.path, [&](const ReplayEvent& event) {
    printer.step({event.index, event.step, event.before, event.after, event.errors});
  });
  CHECK(end.ok());
  printer.finish(end.value().state);
}

// Files first: they are written also when nobody reads standard output any more.
Status write_files(const Session& session, ResultFiles& files, const Report& report, const SearchLog& log,
                   const LoadedModel& loaded, const FoundError* error, SuccessorGenerator& reference) {
  const Options& options = session.options;
  if (!options.log.empty()) {
    const Status written = files.write_log(write_log(log));
    if (!written.ok()) return written;
  }
  if (!options.trail.empty() && error != nullptr) {
    const Status written = files.write_trail(trail_json(make_trail(session, loaded, *error, reference)));
    if (!written.ok()) return written;
  }
  if (!options.json.empty() && options.json != kStandardOutput) return files.write_json(report_json(report));
  return Success{};
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

}  // namespace

std::unique_ptr<SuccessorGenerator> make_statement_generator(const Options& options, const Model& model,
                                                             GuardDecider* decider) {
  if (options.generator == GeneratorKind::kReference) return make_reference_generator(model, decider);
  if (options.check_generator)
    return make_checked_generator(make_vm_generator(model, decider), make_reference_generator(model, decider));
  return make_vm_generator(model, decider);
}

int run_check(const Session& session) {
  const Options& options = session.options;
  ResultFiles files(options);
  if (const Status writable = files.check(); !writable.ok()) {
    complain(writable.error());
    return kExitUsage;
  }
  const std::optional<LoadedModel> loaded = load_model(options);
  if (!loaded) return kExitUsage;

  // The search, and the replay of what it found: from here on every path is one that the reference interpreter
  // confirms.
  const SearchOptions search = search_options(session);
  const Decider decider = make_decider(session, loaded->model);
  if (!decider.ok) return kExitUsage;
  if (const Status begun = files.begin(*loaded); !begun.ok()) {
    complain(begun.error());
    return kExitUsage;
  }
  TimeSeriesWriter* const series = files.series();
  if (series != nullptr) begin_series(*series);
  SearchResult result = search_with_progress(session, loaded->model, decider, search, series);
  if (series != nullptr) finish_series(*series, result);
  const SearchLog log = make_log(result);
  if (!options.log.empty()) check_log(log);
  if (has_lost_its_path(result)) search_again_for_path(session, loaded->model, decider, search, result);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(loaded->model, decider.get());
  verify_errors(result, *reference);
  const FoundError* const error = shortest_counterexample(result);

  // One report, from which both the text and the JSON are made.
  RunDescription run = describe_run(options, search, *loaded);
  if (decider.oracle != nullptr) {
    run.guards = decider.oracle->guard_figures();
    run.solver = decider.oracle->solver_figures();
  }
  if (error != nullptr) run.trail_file = options.trail;
  const Report report = make_report(loaded->model, result, std::move(run));
  Status written = write_files(session, files, report, log, *loaded, error, *reference);
  if (written.ok() && series != nullptr && !series->status().ok()) written = series->status();
  if (!written.ok()) complain(written.error());
  if (options.json == kStandardOutput) {
    session.output.print(report_json(report));
  } else {
    if (error != nullptr && report.states_stored > 0 && options.verbosity != Verbosity::kQuiet) {
      print_counterexample(session, *loaded, *error, *reference);
    }
    session.output.print(report_text(report, options.verbosity, Palette(wants_color(options.color, stdout))));
  }
  return written.ok() ? exit_code(report) : kExitUsage;
}

}  // namespace cmc
