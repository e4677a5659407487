#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/cli/options.h"

namespace cmc {
namespace {

using Set = Status;

constexpr unsigned bit(Command command) { return static_cast<unsigned>(command); }
constexpr unsigned kCheck = bit(Command::kCheck);
constexpr unsigned kSimulate = bit(Command::kSimulate);
constexpr unsigned kReplay = bit(Command::kReplay);
constexpr unsigned kInfo = bit(Command::kInfo);
constexpr unsigned kLog = bit(Command::kLog);
constexpr unsigned kTune = bit(Command::kTune);
constexpr unsigned kLint = bit(Command::kLint);
constexpr unsigned kSolver = bit(Command::kSolver);
constexpr unsigned kExpand = bit(Command::kExpand);
constexpr unsigned kAll = kCheck | kSimulate | kReplay | kInfo | kLint | kExpand;
constexpr unsigned kSolving = kLint | kSolver;
constexpr unsigned kTracing = kCheck | kSimulate | kReplay;
constexpr unsigned kDeciding = kCheck | kSimulate | kReplay;

constexpr const char* kModelSection = "Reading the model";
constexpr uint64_t kMaxThreads = 1024;
constexpr uint64_t kMaxWorkers = 64;

constexpr const char* kSearchSection = "The search";
constexpr const char* kLimitSection = "Limits (a search that hits one is incomplete, and reports what it has)";
constexpr const char* kStoreSection = "Beyond memory (setting a part means: from the beginning)";
constexpr const char* kRunSection = "The run";
constexpr const char* kTuneSection = "The grid";
constexpr const char* kFindingsSection = "What is looked for, too";
constexpr const char* kSolverSection = "The solver";
constexpr const char* kOutputSection = "Output";
constexpr const char* kDebugSection = "For the developers of CMC";

Set turn_on(bool& flag) {
  flag = true;
  return Success{};
}

Set whole_number(const std::string& text, uint64_t& out) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || stop != end) return Error{fmt::format("'{}' is not a whole number from 0 on", text)};
  return Success{};
}

template <class T>
struct Choice {
  const char* name;
  T value;
};

template <class T, size_t n>
Set choose(const std::string& text, const Choice<T> (&choices)[n], T& out) {
  std::string names;
  for (const Choice<T>& choice : choices) {
    if (text == choice.name) {
      out = choice.value;
      return Success{};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.name);
  }
  return Error{fmt::format("'{}' is none of: {}", text, names)};
}

Set file_name(const std::string& text, std::string& out) {
  if (text.empty()) return Error{"the name of the file is empty"};
  if (text.starts_with("--"))
    return Error{fmt::format("'{}' looks like an option; is the name of the file missing?", text)};
  out = text;
  return Success{};
}

Set define(Options& options, const std::string& text, bool undefine) {
  const bool named = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
  if (!named) return Error{fmt::format("'{}' does not begin with a name", text)};
  options.preprocessor.commands.push_back({undefine, text});
  return Success{};
}

// Whoever chooses a part of the store wants to have it from the beginning.
Set store_size(Options& options, const std::string& text, std::optional<uint64_t>& out) {
  const Result<uint64_t> size = parse_size(text);
  if (!size.ok()) return Error{size.error()};
  out = size.value();
  return turn_on(options.store.from_start);
}

template <class T>
Set store_number(Options& options, const std::string& text, std::optional<T>& out, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  if (const Set set = whole_number(text, number); !set.ok()) return set;
  if (number < least || number > most) return Error{fmt::format("{} is not between {} and {}", number, least, most)};
  out = static_cast<T>(number);
  return turn_on(options.store.from_start);
}

template <class T, size_t n>
Set store_choice(Options& options, const std::string& text, const Choice<T> (&choices)[n], std::optional<T>& out) {
  T value{};
  if (const Set set = choose(text, choices, value); !set.ok()) return set;
  out = value;
  return turn_on(options.store.from_start);
}

Set page_codec(Options& options, const std::string& text) {
  static constexpr Choice<PageCodec> kCodecs[] = {{"keys", PageCodec::kKeys},
                                                  {"raw", PageCodec::kRaw},
                                                  {"zlib", PageCodec::kZlib},
                                                  {"sha1:BITS", PageCodec::kSha1}};
  if (!text.starts_with("sha1:")) return store_choice(options, text, kCodecs, options.store.codec);
  options.store.codec = PageCodec::kSha1;
  return store_number(options, text.substr(5), options.store.sha1_bits, 16, 64);
}

constexpr Choice<When> kWhen[] = {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};
constexpr Choice<When> kOnOff[] = {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}};

std::vector<OptionRow> make_table() {
  return {
      {kAll, kModelSection, "-D", "NAME[=VALUE]", "define a macro, as #define does",
       [](Options& o, const std::string& v) { return define(o, v, false); }},
      {kAll, kModelSection, "-U", "NAME", "undefine a macro that an earlier -D defined",
       [](Options& o, const std::string& v) { return define(o, v, true); }},
      {kAll, kModelSection, "-I", "FOLDER", "look for #include files there, too",
       [](Options& o, const std::string& v) -> Set {
         o.preprocessor.include_directories.push_back(v);
         return Success{};
       }},
      {kAll, kModelSection, "-J", nullptr, "reverse the order of nested `unless` escapes (as `spin -J`)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.escapes_like_java); }},
      {kAll, kModelSection, "--promela-s", nullptr,
       "the model is written in Promela/S: exists, choose and least are words of the language (as -DPROMELA_S=1)",
       [](Options& o, const std::string&) { return define(o, "PROMELA_S=1", false); }},

      {kCheck, kSearchSection, "--search", "ORDER",
       "order of the search. auto (default): depth first in RAM, the oldest states first with the disk store; dfs: "
       "depth "
       "first, also with the disk store; bfs: breadth first, finds a shortest counterexample",
       [](Options& o, const std::string& v) {
         using Order = SearchOptions::Order;
         static constexpr Choice<Order> kOrders[] = {
             {"auto", Order::kAuto}, {"dfs", Order::kDepthFirst}, {"bfs", Order::kBreadthFirst}};
         return choose(v, kOrders, o.search);
       }},
      {kCheck, kSearchSection, "--steps", "MODE",
       "what counts as one step. spin (default): the inside of `atomic` is not stored; statement: every statement "
       "is a step; path: as spin, and what a process does with its locals only belongs to the step before. A d_step "
       "is "
       "always one",
       [](Options& o, const std::string& v) {
         static constexpr Choice<StepMode> kModes[] = {
             {"spin", StepMode::kSpin}, {"statement", StepMode::kStatement}, {"path", StepMode::kPath}};
         return choose(v, kModes, o.steps);
       }},
      {kCheck, kSearchSection, "--engine", "NAME",
       "fast (default): states are keys of interned components, steps are remembered; simple: whole state vectors, "
       "one "
       "thread, depth-first in the order of SPIN",
       [](Options& o, const std::string& v) {
         static constexpr Choice<Engine> kEngines[] = {{"fast", Engine::kFast}, {"simple", Engine::kSimple}};
         return choose(v, kEngines, o.engine);
       }},
      {kCheck, kSearchSection, "--threads", "N", "of the fast engine (default: one per processor)",
       [](Options& o, const std::string& v) -> Set {
         const Set number = whole_number(v, o.threads);
         if (number.ok() && (o.threads < 1 || o.threads > kMaxThreads)) {
           return Error{fmt::format("the number of threads is 1 to {}", kMaxThreads)};
         }
         return number;
       }},
      {kCheck, kSearchSection, "--key-set", "KIND",
       "of the fast engine. normal (default); compact: grows by smaller steps and is filled further: about a quarter "
       "smaller, and twice as slow",
       [](Options& o, const std::string& v) {
         static constexpr Choice<bool> kKinds[] = {{"normal", false}, {"compact", true}};
         return choose(v, kKinds, o.compact_set);
       }},
      {kCheck, kSearchSection, "--memo", "SIZE",
       "memory of the fast engine for remembered steps, of all threads together (default: 256M); less costs time "
       "only",
       [](Options& o, const std::string& v) -> Set {
         const Result<uint64_t> size = parse_size(v);
         if (!size.ok()) return Error{size.error()};
         o.memo_bytes = size.value();
         return Success{};
       }},
      {kCheck, kSearchSection, "--max-errors", "N", "stop at the Nth error (default: 1); 0: find all",
       [](Options& o, const std::string& v) { return whole_number(v, o.max_errors); }},
      {kCheck, kSearchSection, "-E,--no-end-states", nullptr,
       "a process that is stuck before its end is no error (as `pan -E`)",
       [](Options& o, const std::string&) -> Set {
         o.check_end_states = false;
         return Success{};
       }},
      {kCheck, kSearchSection, "--reductions", "LIST",
       "none (default): every interleaving and every value is explored; dead-variables: locals that will not be read "
       "again are set to 0. Verdicts are the same, counts are not",
       [](Options& o, const std::string& v) {
         static constexpr Choice<bool> kReductions[] = {{"none", false}, {"dead-variables", true}};
         return choose(v, kReductions, o.reset_dead_variables);
       }},

      {kCheck, kLimitSection, "--memory", "SIZE",
       "of the whole process: 4G, 512M, 1.5G (default: 80% of what the machine or the container has)",
       [](Options& o, const std::string& v) -> Set {
         const Result<uint64_t> size = parse_size(v);
         if (!size.ok()) return Error{size.error()};
         o.memory_bytes = size.value();
         return Success{};
       }},
      {kCheck, kLimitSection, "--time", "TIME", "90, 90s, 15m, 2h by the clock (default: none)",
       [](Options& o, const std::string& v) -> Set {
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.time_seconds = seconds.value();
         return Success{};
       }},

      {kCheck, kStoreSection, "--store", "FOLDER",
       "where the disk pages go when the memory limit is reached: a folder of the run's own is made in it, and "
       "removed at the "
       "end (default: in the system's folder for temporary files)",
       [](Options& o, const std::string& v) { return file_name(v, o.store.directory); }},
      {kCheck, kStoreSection, "--no-store", nullptr, "stop at the memory limit instead",
       [](Options& o, const std::string&) -> Set {
         o.store.enabled = false;
         return Success{};
       }},
      {kCheck, kStoreSection, "--keep", nullptr, "leave the run's folder there",
       [](Options& o, const std::string&) -> Set { return turn_on(o.store.keep); }},
      {kCheck, kStoreSection, "--bloom-bits", "SIZE", "size of the Bloom filter in bits: 1M, 64M (1M is 2^20)",
       [](Options& o, const std::string& v) { return store_size(o, v, o.store.bloom_bits); }},
      {kCheck, kStoreSection, "--bloom-hashes", "N", "its hash functions, 1 to 8",
       [](Options& o, const std::string& v) { return store_number(o, v, o.store.bloom_hashes, 1, 8); }},
      {kCheck, kStoreSection, "--lossy-capacity", "N", "states in the lossy cache: 1000, 1M",
       [](Options& o, const std::string& v) { return store_size(o, v, o.store.lossy_capacity); }},
      {kCheck, kStoreSection, "--reclaim-ahead", "N",
       "states that leave it at a time (default: 1, where the new one belongs)",
       [](Options& o, const std::string& v) { return store_size(o, v, o.store.reclaim_ahead); }},
      {kCheck, kStoreSection, "--evaluator", "KIND",
       "which states leave it first: age; incoming: those met least often; outgoing: those with few successors; "
       "combined",
       [](Options& o, const std::string& v) {
         static constexpr Choice<Evaluator> kKinds[] = {{"age", Evaluator::kAge},
                                                        {"incoming", Evaluator::kIncoming},
                                                        {"outgoing", Evaluator::kOutgoing},
                                                        {"combined", Evaluator::kCombined}};
         return store_choice(o, v, kKinds, o.store.evaluator);
       }},
      {kCheck, kStoreSection, "--lookup-buffer", "N",
       "candidates that a partition collects before they are looked up",
       [](Options& o, const std::string& v) { return store_size(o, v, o.store.lookup_buffer); }},
      {kCheck, kStoreSection, "--partitions", "N", "of the states on disk, 1 to 4096 (default: 32)",
       [](Options& o, const std::string& v) { return store_number(o, v, o.store.partitions, 1, 4096); }},
      {kCheck, kStoreSection, "--page-size", "SIZE", "of a page, before compression; at least 512",
       [](Options& o, const std::string& v) { return store_size(o, v, o.store.page_bytes); }},
      {kCheck, kStoreSection, "--page-codec", "KIND",
       "what is on a page. keys (default); raw: state vectors; zlib: those compressed; sha1:BITS: their SHA-1, which "
       "can take "
       "one state for another, so the verdict is never \"holds\"",
       [](Options& o, const std::string& v) { return page_codec(o, v); }},
      {kCheck, kStoreSection, "--zlib-level", "N", "1 (fast) to 9 (small)",
       [](Options& o, const std::string& v) { return store_number(o, v, o.store.zlib_level, 1, 9); }},
      {kCheck, kStoreSection, "--io", "KIND",
       "buffered (default): by way of the system's page cache; direct: past it",
       [](Options& o, const std::string& v) {
         static constexpr Choice<FileAccess> kKinds[] = {{"buffered", FileAccess::kBuffered},
                                                         {"direct", FileAccess::kDirect}};
         return store_choice(o, v, kKinds, o.store.io);
       }},

      {kSimulate, kRunSection, "--seed", "N",
       "of the random choices; the same seed gives the same run (default: by the clock)",
       [](Options& o, const std::string& v) {
         o.seed_given = true;
         return whole_number(v, o.seed);
       }},
      {kSimulate, kRunSection, "--max-steps", "N", "stop after N steps (default: 1000); 0: never",
       [](Options& o, const std::string& v) { return whole_number(v, o.max_steps); }},
      {kSimulate, kRunSection, "-i,--interactive", nullptr, "choose each step yourself from a menu",
       [](Options& o, const std::string&) -> Set { return turn_on(o.interactive); }},

      {kTune, kTuneSection, "--out", "FOLDER",
       "keep the results there (default: MODEL.tune); runs whose results are there are not repeated",
       [](Options& o, const std::string& v) { return file_name(v, o.out); }},
      {kTune, kTuneSection, "--best", "MEASURE", "by what the best run is chosen: time (default), memory",
       [](Options& o, const std::string& v) {
         static constexpr Choice<TuneMeasure> kMeasures[] = {{"time", TuneMeasure::kTime},
                                                             {"memory", TuneMeasure::kMemory}};
         return choose(v, kMeasures, o.best);
       }},
      {kTune, kTuneSection, "--kill-after", "TIME", "kill a run that takes longer: 90, 15m, 2h (default: never)",
       [](Options& o, const std::string& v) -> Set {
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.kill_after_seconds = seconds.value();
         return Success{};
       }},
      {kTune, kTuneSection, "--retry-failed", nullptr, "repeat the runs that failed or were incomplete",
       [](Options& o, const std::string&) -> Set { return turn_on(o.retry_failed); }},
      {kTune, kTuneSection, "--dry-run", nullptr, "only print the commands, and which of them are done",
       [](Options& o, const std::string&) -> Set { return turn_on(o.dry_run); }},

      {kLint, kFindingsSection, "--overlaps", nullptr,
       "guards of one selection that can be true at the same time, with an example (normal in Promela)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.lint.overlaps); }},
      {kLint, kFindingsSection, "--incomplete", nullptr,
       "selections without `else` in which no guard need be true, with an example (a process waits there)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.lint.incomplete); }},
      {kDeciding, kSolverSection, "--solver", "KIND",
       "who decides guards with too many values to try. worker (default): Z3 in a process of its own; inprocess: Z3 "
       "in this "
       "one; native: no solver, up to 16 million tuples are tried",
       [](Options& o, const std::string& v) {
         using Solver = guards::DeciderOptions::Solver;
         static constexpr Choice<Solver> kKinds[] = {
             {"worker", Solver::kWorker}, {"inprocess", Solver::kInProcess}, {"native", Solver::kNative}};
         return choose(v, kKinds, o.solver_kind);
       }},
      {kDeciding, kSolverSection, "--solver-workers", "N", "processes, at most (default: 1)",
       [](Options& o, const std::string& v) -> Set {
         uint64_t number = 0;
         if (const Set set = whole_number(v, number); !set.ok()) return set;
         if (number < 1 || number > kMaxWorkers)
           return Error{fmt::format("the number of workers is 1 to {}", kMaxWorkers)};
         o.solver.workers = static_cast<unsigned>(number);
         return Success{};
       }},
      {kDeciding, kSolverSection, "--solver-log", "FILE",
       "write a line for each question that was not tried at once; questions that kill workers are written beside it",
       [](Options& o, const std::string& v) { return file_name(v, o.solver_log); }},
      {kDeciding, kSolverSection, "--solver-cache", "FILE",
       "keep the answers there, for later runs (default: in --log's FILE.answers, or else, with --keep, in the file "
       "`answers` of "
       "--store's folder)",
       [](Options& o, const std::string& v) { return file_name(v, o.solver_cache); }},
      {kSolving | kDeciding, kSolverSection, "--solver-program", "FILE",
       "the worker (default: cmc-solverd beside cmc)",
       [](Options& o, const std::string& v) { return file_name(v, o.solver.worker_path); }},
      {kSolving | kDeciding, kSolverSection, "--solver-transport", "KIND", "how it is talked to: ipc (default), tcp",
       [](Options& o, const std::string& v) {
         static constexpr Choice<solver::Transport> kKinds[] = {{"ipc", solver::Transport::kIpc},
                                                                {"tcp", solver::Transport::kTcp}};
         return choose(v, kKinds, o.solver.transport);
       }},

      {kCheck, kOutputSection, "--json", "FILE",
       "write the result as JSON (cmc.result/1); -: to standard output, and nothing else",
       [](Options& o, const std::string& v) { return file_name(v, o.json); }},
      {kCheck, kOutputSection, "--trail", "FILE",
       "write a counterexample, the shortest that was found, for `cmc replay`",
       [](Options& o, const std::string& v) { return file_name(v, o.trail); }},
      {kCheck, kOutputSection, "--log", "FILE",
       "write the histogram log, and to FILE.csv how the search went over time, for `cmc log`",
       [](Options& o, const std::string& v) -> Set {
         if (v == "-") return Error{"a file is needed, because there are two"};
         return file_name(v, o.log);
       }},
      {kTracing, kOutputSection, "--trace", "STYLE",
       "how steps are shown. diff (default): with the variables that changed; full: with the whole state behind "
       "each; columns: one column per process",
       [](Options& o, const std::string& v) {
         static constexpr Choice<TraceStyle> kStyles[] = {
             {"diff", TraceStyle::kDiff}, {"full", TraceStyle::kFull}, {"columns", TraceStyle::kColumns}};
         return choose(v, kStyles, o.trace);
       }},
      {kCheck | kReplay, kOutputSection, "--trace-limit", "N",
       "show only the last N steps of a counterexample (default: check 200, replay all); 0: all",
       [](Options& o, const std::string& v) {
         o.trace_limit_given = true;
         return whole_number(v, o.trace_limit);
       }},
      {kInfo, kOutputSection, "--dump", nullptr, "print the whole model as CMC has understood it",
       [](Options& o, const std::string&) -> Set { return turn_on(o.dump); }},
      {kInfo, kOutputSection, "--disassemble", nullptr, "print the bytecode of the virtual machine",
       [](Options& o, const std::string&) -> Set { return turn_on(o.disassemble); }},
      {kInfo, kOutputSection, "--json", nullptr, "print the overview as JSON (cmc.info/1)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.info_json); }},
      {kLint, kOutputSection, "--json", nullptr, "print the findings as JSON (cmc.lint/1)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.lint_json); }},
      {kLog, kOutputSection, "--json", nullptr, "print the figures as JSON (cmc.log/1)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.log_json); }},
      {kLog, kOutputSection, "--csv", nullptr, "print the figures as comma-separated values, one line per log",
       [](Options& o, const std::string&) -> Set { return turn_on(o.log_csv); }},
      {kLog, kOutputSection, "--plot", "FOLDER",
       "draw plots as SVG and PNG into the folder: states over time, state sizes, disk accesses; needs gnuplot",
       [](Options& o, const std::string& v) { return file_name(v, o.plot); }},
      {kAll, kOutputSection, "--color", "WHEN",
       "auto (default: on a terminal, unless NO_COLOR is set), always, never",
       [](Options& o, const std::string& v) { return choose(v, kWhen, o.color); }},
      {kCheck | kTune, kOutputSection, "--progress", "WHEN",
       "a line about the state of the search: auto (default: on a terminal), on, off",
       [](Options& o, const std::string& v) { return choose(v, kOnOff, o.progress); }},
      {kTracing, kOutputSection, "-q,--quiet", nullptr, "only the essentials: errors, reasons and the verdict",
       [](Options& o, const std::string&) -> Set {
         o.verbosity = Verbosity::kQuiet;
         return Success{};
       }},
      {kTracing, kOutputSection, "-v,--verbose", nullptr,
       "also the options, and unreached statements of a search that was cut",
       [](Options& o, const std::string&) -> Set {
         o.verbosity = Verbosity::kVerbose;
         return Success{};
       }},

      {kTracing, kDebugSection, "--generator", "NAME",
       "what computes successors. vm (default): bytecode; reference: the slow and plain interpreter",
       [](Options& o, const std::string& v) {
         static constexpr Choice<GeneratorKind> kKinds[] = {{"reference", GeneratorKind::kReference},
                                                            {"vm", GeneratorKind::kVm}};
         return choose(v, kKinds, o.generator);
       }},
      {kCheck, kDebugSection, "--check-generator", nullptr,
       "compare the virtual machine with the reference at every state; any difference ends the run with exit code 4",
       [](Options& o, const std::string&) -> Set { return turn_on(o.check_generator); }},
  };
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> kTable = make_table();
  return kTable;
}

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> kTable = {
      {Command::kCheck, "check", "MODEL", "explore every reachable state and say whether the model is free of errors",
       "Reads a Promela model, explores every state that it can reach, and says: it holds (no assertion fails, no "
       "process gets stuck, nothing goes wrong at run time), it is violated (with a counterexample: the steps that "
       "lead to the error), or the search is incomplete (with every reason).",
       "cmc check model.pml\n"
       "cmc check -DN=4 --search bfs model.pml      a shortest counterexample\n"
       "cmc check --max-errors 0 --json - model.pml every error, as JSON\n"
       "cmc check --memory 8G --time 1h model.pml\n"
       "cmc check --trail bug.trail model.pml && echo fine"},
      {Command::kSimulate, "simulate", "MODEL", "run the model once, with random choices or with yours",
       "Runs the model once and prints each step and what the model prints. Nothing is proved by it; it is for "
       "getting to know a model.",
       "cmc simulate --seed 7 model.pml\n"
       "cmc simulate --interactive --trace full model.pml\n"
       "cmc simulate -q --max-steps 0 model.pml     only what the model prints"},
      {Command::kReplay, "replay", "MODEL TRAIL", "show a counterexample again that `cmc check --trail` wrote",
       "Replays a trail step by step. Every step is checked against the model, so a trail of another model is "
       "refused and never misread. The -D, -U, -I and -J of the check are taken from the trail unless you give "
       "your own.",
       "cmc check --trail bug.trail model.pml\n"
       "cmc replay model.pml bug.trail --trace columns"},
      {Command::kInfo, "info", "MODEL", "say what is in the model: processes, variables, channels, state size",
       "Reads a model without running it and prints its processes, variables and channels, where they lie in the "
       "state vector, how large a state is, and which of its properties CMC cannot decide yet.",
       "cmc info model.pml\n"
       "cmc info --dump model.pml"},
      {Command::kLog, "log", "FILE...", "show logs of searches side by side, check their arithmetic, draw plots",
       "Reads what `cmc check --log` and `cmc check --json` wrote, and the logs of CMC of 2006, and prints their "
       "figures "
       "side by side. Nearly every figure is tied to others by identities; whether they hold is said below. How a "
       "search went over time is read from FILE.csv, if that is there.",
       "cmc check --log run.log model.pml\n"
       "cmc log run.log other.log\n"
       "cmc log --plot plots run.log"},
      {Command::kTune, "tune", "MODEL", "check with every combination of some options, and name the best",
       "Runs `cmc check` once for every combination of options that are given as lists, one run after the other, and "
       "compares time and memory. All options of check but those about output can be given, and each as a list: "
       "1M,64M or, whole numbers, 1..9; of a macro the values: -DN=2,3. Runs that fail are rows like the others. "
       "Ctrl-C "
       "ends the current run; the same command goes on where it stopped.",
       "cmc tune model.pml --threads 1,2,4 --memo 1M,16M,256M\n"
       "cmc tune model.pml -DN=3..6 --time 10m --best memory\n"
       "cmc tune model.pml --search dfs,bfs --dry-run"},
      {Command::kLint, "lint", "MODEL", "look for guards that are superfluous or dead, without running the model",
       "Asks a solver about each guard by itself: can it be true at all, can it be false, is an `else` ever taken? "
       "The types "
       "of the variables are all that is assumed (a byte is 0..255), so each finding is true, and that there is none "
       "proves nothing. Channels are not looked into. Findings are warnings: they change neither the verdict of a "
       "check "
       "nor the exit code, which is 3 if there is no solver to ask.",
       "cmc lint model.pml\n"
       "cmc lint --incomplete model.pml             also where a process can get stuck\n"
       "cmc lint --json model.pml"},
      {Command::kExpand, "expand", "MODEL", "print a model in Promela/S as plain Promela",
       "Writes down each solver guard value by value: exists becomes a disjunction, choose and least a selection "
       "with one "
       "d_step for each tuple of values. The result has the same states and steps, and SPIN understands it. Ranges "
       "have to "
       "be constant and small.",
       "cmc expand model.pml > plain.pml\n"
       "cmc expand -DSMALL model.pml > plain.pml"},
      {Command::kSolver, "solver", "ACTION [FILE]", "talk to the solver by itself",
       "Starts a solver as a check would do, in a process of its own, and ends it again. ping: does it work, are "
       "both "
       "sides of the same version, and how long does it take? stats: its memory and counters. eval FILE: hands the "
       "SMT-LIB2 commands in FILE (-: standard input) to it and prints what it says, as for the queries that a check "
       "leaves in its run folder.",
       "cmc solver ping\n"
       "cmc solver stats\n"
       "echo '(check-sat)' | cmc solver eval -"},
  };
  return kTable;
}

}  // namespace cmc
