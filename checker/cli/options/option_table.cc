#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "base/units.h"
#include "checker/cli/options/options.h"

namespace cmc {
namespace {

using Set = Status;

constexpr unsigned bit(Command command) { return static_cast<unsigned>(command); }
constexpr unsigned kProfile = bit(Command::kProfile);
constexpr unsigned kCheck = bit(Command::kCheck) | kProfile;
constexpr unsigned kSimulate = bit(Command::kSimulate);
constexpr unsigned kReplay = bit(Command::kReplay);
constexpr unsigned kInfo = bit(Command::kInfo);
constexpr unsigned kLog = bit(Command::kLog);
constexpr unsigned kTune = bit(Command::kTune);
constexpr unsigned kLint = bit(Command::kLint);
constexpr unsigned kSolver = bit(Command::kSolver);
constexpr unsigned kExpand = bit(Command::kExpand);
constexpr unsigned kAutomaton = bit(Command::kAutomaton);
constexpr unsigned kTest = bit(Command::kTest);
constexpr unsigned kGraph = bit(Command::kGraph);
constexpr unsigned kCompile = bit(Command::kCompile);
constexpr unsigned kAll = kCheck | kSimulate | kReplay | kInfo | kLint | kExpand | kAutomaton | kGraph | kCompile;
constexpr unsigned kSolving = kLint | kSolver;
constexpr unsigned kTracing = kCheck | kSimulate | kReplay;
constexpr unsigned kDeciding = kCheck | kSimulate | kReplay | kGraph;

constexpr const char* kModelSection = "Reading the model";
constexpr uint64_t kMaxWorkers = 64;
constexpr uint64_t kMaxJobs = 1024;

// As check_options() of the store has them.
constexpr uint64_t kMostBits = uint64_t{1} << 50;
constexpr uint64_t kMostStates = uint64_t{1} << 40;
constexpr uint64_t kMostCandidates = uint64_t{1} << 30;
constexpr uint64_t kLeastPage = 512;
constexpr uint64_t kMostPage = uint64_t{1} << 28;

constexpr const char* kPropertySection = "What is decided";
constexpr const char* kFormulaSection = "Which formulas";
constexpr const char* kSearchSection = "The search";
constexpr const char* kLimitSection = "Limits (a search that reaches one is incomplete and reports what it has)";
constexpr const char* kStoreSection = "Disk store (an option about one of its parts enables it from the start)";
constexpr const char* kRunSection = "The run";
constexpr const char* kTuneSection = "The grid";
constexpr const char* kCasesSection = "The cases";
constexpr const char* kFindingsSection = "More findings";
constexpr uint64_t kLeastSolverMemory = uint64_t{128} << 20;  // with less, Z3 cannot even start

constexpr const char* kSolverSection = "The solver";
constexpr const char* kOutputSection = "Output";
constexpr const char* kDebugSection = "For the developers of CMC";

// "512", "1T": as an option takes it.
std::string short_size(uint64_t size) {
  constexpr std::string_view kUnits = "KMGT";  // as parse_size() takes them
  size_t unit = 0;
  while (unit < kUnits.size() && size >= 1024 && size % 1024 == 0) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(size) : fmt::format("{}{}", size, kUnits[unit - 1]);
}

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
  return Error{fmt::format("'{}' is not one of: {}", text, names)};
}

Set choose_reductions(const std::string& text, Options& options) {
  using Proviso = SearchOptions::Proviso;
  struct Reduction {
    std::vector<bool CheckRequest::*> flags;
    Proviso proviso = Proviso::kSticky;
  };
  static const Choice<Reduction> kReductions[] = {{"por", {{&CheckRequest::partial_order}}},
                                                  {"por-queue", {{&CheckRequest::partial_order}, Proviso::kQueue}},
                                                  {"por-deadlock", {{&CheckRequest::partial_order}, Proviso::kNone}},
                                                  {"merge", {{&CheckRequest::merge_steps}}},
                                                  {"dead-variables", {{&CheckRequest::reset_dead_variables}}},
                                                  {"symmetry", {{&CheckRequest::symmetry}}},
                                                  {"all",
                                                   {{&CheckRequest::partial_order, &CheckRequest::merge_steps,
                                                     &CheckRequest::reset_dead_variables, &CheckRequest::symmetry}}},
                                                  {"none", {}}};
  options.check.without_reductions();
  options.check.proviso = Proviso::kSticky;
  if (text.empty() || text.ends_with(','))
    return Error{fmt::format("the name of a reduction is missing in '{}'", text)};
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    Reduction reduction;
    if (const Set set = choose(word, kReductions, reduction); !set.ok()) return set;
    if ((word == "all" || word == "none") && word != text)
      return Error{fmt::format("'{}' cannot be combined with others", word)};
    if (word.starts_with("por") && options.check.partial_order)
      return Error{"only one kind of partial-order reduction can be used at a time"};
    for (bool CheckRequest::*const flag : reduction.flags) options.check.*flag = true;
    if (word.starts_with("por")) options.check.proviso = reduction.proviso;
  }
  return Success{};
}

Set file_name(const std::string& text, std::string& out) {
  if (text.empty()) return Error{"the name of the file is empty"};
  if (text == "-")
    return Error{"the name of a file is needed: only --json writes to standard output (a file '-' is './-')"};
  if (text.starts_with("--"))
    return Error{fmt::format("'{}' looks like an option; is the name of the file missing?", text)};
  out = text;
  return Success{};
}

Set percentage(const std::string& text, double& out) {
  const Result<double> percent = parse_percent(text);
  if (!percent.ok()) return Error{percent.error()};
  out = percent.value();
  return Success{};
}

// A size, or a share of the memory of the machine or container. What is less than the program itself takes is a unit
// forgotten.
Set memory_limit(const std::string& text, uint64_t& out) {
  constexpr uint64_t kLeastMemory = uint64_t{4} << 20;
  if (!text.ends_with('%')) {
    const Result<uint64_t> size = parse_size(text);
    if (!size.ok()) return Error{size.error()};
    if (size.value() < kLeastMemory) {
      return Error{fmt::format("{} is too little: the least is 4M; a number without K, M, G or T is bytes",
                               format_size(size.value()))};
    }
    out = size.value();
    return Success{};
  }
  double percent = 0;
  if (const Set set = percentage(text, percent); !set.ok()) return set;
  const std::optional<uint64_t> total = total_memory_bytes();
  if (!total) return Error{"the system does not say how much memory there is; write a size such as 4G"};
  out = std::max(kLeastMemory, static_cast<uint64_t>(static_cast<double>(*total) * percent / 100));
  return Success{};
}

// "-": standard output.
Set json_file(const std::string& text, std::string& out) {
  if (text != "-") return file_name(text, out);
  out = text;
  return Success{};
}

Set define(Options& options, const std::string& text, bool undefine) {
  return add_macro(options.reading.preprocessor, text, undefine);
}

// An option about a part of the disk store enables the store from the start.
Set store_size(Options& options, const std::string& text, std::optional<uint64_t>& out, uint64_t least,
               uint64_t most) {
  const Result<uint64_t> size = parse_size(text);
  if (!size.ok()) return Error{size.error()};
  if (size.value() < least || size.value() > most) {
    return Error{fmt::format("{} is not between {} and {}", text, short_size(least), short_size(most))};
  }
  out = size.value();
  return turn_on(options.check.store.from_start);
}

template <class T>
Set store_number(Options& options, const std::string& text, std::optional<T>& out, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  if (const Set set = whole_number(text, number); !set.ok()) return set;
  if (number < least || number > most) return Error{fmt::format("{} is not between {} and {}", number, least, most)};
  out = static_cast<T>(number);
  return turn_on(options.check.store.from_start);
}

template <class T, size_t n>
Set store_choice(Options& options, const std::string& text, const Choice<T> (&choices)[n], std::optional<T>& out) {
  T value{};
  if (const Set set = choose(text, choices, value); !set.ok()) return set;
  out = value;
  return turn_on(options.check.store.from_start);
}

Set time_of_search(const std::string& text, double& out) {
  const Result<double> seconds = parse_duration(text);
  if (!seconds.ok()) return Error{seconds.error()};
  out = seconds.value();
  return Success{};
}

Set set_fail_on(Options& options, const std::string& text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = std::string_view(text).substr(begin, end - begin);
    const auto* const kind = std::ranges::find(guards::kFindingKinds, name, guards::name_of);
    if (name == "any") {
      options.fail_on.assign(std::begin(guards::kFindingKinds), std::end(guards::kFindingKinds));
    } else if (kind != std::end(guards::kFindingKinds)) {
      options.fail_on.push_back(*kind);
    } else {
      return Error{fmt::format("'{}' is no kind of finding", name)};
    }
    begin = end + 1;
  }
  return Success{};
}

Set page_codec(Options& options, const std::string& text) {
  static constexpr Choice<PageCodec> kCodecs[] = {{"keys", PageCodec::kKeys},
                                                  {"raw", PageCodec::kRaw},
                                                  {"zlib", PageCodec::kZlib},
                                                  {"diff", PageCodec::kDiff},
                                                  {"sha1:BITS", PageCodec::kSha1}};
  if (!text.starts_with("sha1:")) return store_choice(options, text, kCodecs, options.check.store.codec);
  options.check.store.codec = PageCodec::kSha1;
  return store_number(options, text.substr(5), options.check.store.sha1_bits, 16, 160);
}

Set page_io(Options& options, const std::string& text) {
  struct Kind {
    FileAccess access = FileAccess::kBuffered;
    bool async = false;
  };
  static constexpr Choice<Kind> kKinds[] = {{"buffered", {FileAccess::kBuffered, false}},
                                            {"direct", {FileAccess::kDirect, false}},
                                            {"buffered-async", {FileAccess::kBuffered, true}},
                                            {"direct-async", {FileAccess::kDirect, true}}};
  Kind kind;
  if (const Set set = choose(text, kKinds, kind); !set.ok()) return set;
  options.check.store.io = kind.access;
  options.check.store.async_io = kind.async;
  return turn_on(options.check.store.from_start);
}

// "100:FILE"
Set states_to_dump(Options& options, const std::string& text) {
  constexpr uint64_t kMost = 1000000;
  const size_t colon = std::min(text.find(':'), text.size());
  if (colon == text.size()) return Error{fmt::format("'{}' is not N:FILE, say 100:states.txt", text)};
  uint64_t number = 0;
  if (const Set set = whole_number(text.substr(0, colon), number); !set.ok()) return set;
  if (number < 1 || number > kMost) return Error{fmt::format("{} is not between 1 and {}", number, kMost)};
  options.dump_states = number;
  return file_name(text.substr(colon + 1), options.dump_file);
}

Set property_name(Options& options, const std::string& text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  if (text.empty() || text.front() == '-' || !std::ranges::all_of(text, in_name)) {
    return Error{fmt::format("'{}' is not the name of a property", text)};
  }
  if (std::ranges::find(options.check.properties, text) == options.check.properties.end())
    options.check.properties.push_back(text);
  return Success{};
}

// "user", "user[0]", "user[0].n", "n@12/7"
Set name_to_show(Options& options, const std::string& text) {
  const auto in_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_[].@/").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool begins =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text[0] == '_');
  if (!begins || !std::ranges::all_of(text, in_name)) {
    return Error{fmt::format("'{}' is not the name of a process, variable or channel", text)};
  }
  options.only.push_back(text);
  return Success{};
}

Set formula(Options& options, const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return Error{"the formula is empty"};
  if (text.starts_with("--")) return Error{fmt::format("'{}' looks like an option; is the formula missing?", text)};
  options.reading.formulas.push_back(text);
  return Success{};
}

constexpr Choice<When> kWhen[] = {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};
constexpr Choice<When> kOnOff[] = {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}};

std::vector<OptionRow> make_table() {
  return {
      {kAll, kModelSection, "-D", "NAME[=VALUE]", "define a macro, as #define does",
       [](Options& o, const std::string& v) { return define(o, v, false); }},
      {kAll, kModelSection, "-U", "NAME", "undefine a macro that an earlier -D defined",
       [](Options& o, const std::string& v) { return define(o, v, true); }},
      {kAll, kModelSection, "-I", "FOLDER", "also look for #include files in FOLDER",
       [](Options& o, const std::string& v) -> Set {
         o.reading.preprocessor.include_directories.push_back(v);
         return Success{};
       }},
      {kAll, kModelSection, "-J", nullptr, "reverse the order of nested `unless` escapes (as `spin -J`)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.reading.escapes_like_java); }},
      {kAll, kModelSection, "--promela-s", nullptr,
       "the model is written in Promela/S: exists, choose and least are keywords (as -DPROMELA_S=1)",
       [](Options& o, const std::string&) { return define(o, "PROMELA_S=1", false); }},

      {kCheck, kPropertySection, "--property", "NAME",
       "decide only this property; repeatable (default: all that the model states). Names: safety (assertions, end "
       "states, run-time errors), those of never claims, formulas and traces, accept (acceptance cycles), "
       "non-progress (non-progress cycles, which are decided only if asked for)",
       [](Options& o, const std::string& v) { return property_name(o, v); }},
      {kCheck | kInfo, kPropertySection, "--ltl", "FORMULA",
       "one more formula of linear temporal logic, as in an ltl block; repeatable",
       [](Options& o, const std::string& v) { return formula(o, v); }},
      {kAutomaton, kFormulaSection, "--property", "NAME",
       "the formula with this name; repeatable (default: those of --ltl, or else all of the model)",
       [](Options& o, const std::string& v) { return property_name(o, v); }},
      {kAutomaton, kFormulaSection, "--ltl", "FORMULA", "a formula that the model does not state; repeatable",
       [](Options& o, const std::string& v) { return formula(o, v); }},
      {kCheck, kPropertySection, "--fairness", "KIND",
       "which endless runs count. none (default): all; weak: those in which each process moves that from some point "
       "on can always move (as `pan -f`)",
       [](Options& o, const std::string& v) {
         static constexpr Choice<Fairness> kKinds[] = {{"none", Fairness::kNone}, {"weak", Fairness::kWeak}};
         return choose(v, kKinds, o.check.fairness);
       }},
      {kCheck, kPropertySection, "-E,--no-end-states", nullptr,
       "do not report a process that is stuck before its end (as `pan -E`)",
       [](Options& o, const std::string&) -> Set {
         o.check.check_end_states = false;
         return Success{};
       }},

      {kTracing, kPropertySection, "--overflow", "HOW",
       "a value that does not fit in its variable or a channel's field, such as 256 in a byte, loses its upper bits. "
       "error: that is an error of the model; warn: it is reported (default of simulate and replay); off: it is not. "
       "By default check shows it in counterexamples only",
       [](Options& o, const std::string& v) -> Set {
         static constexpr Choice<Overflow> kKinds[] = {
             {"error", Overflow::kError}, {"warn", Overflow::kWarning}, {"off", Overflow::kIgnored}};
         return choose(v, kKinds, o.overflow.emplace());
       }},

      {kCheck, kSearchSection, "--search", "ORDER",
       "order in which states are expanded; the report names the one that was used. auto (default): depth first in "
       "RAM, oldest states first with the disk store, which needs the fewest disk accesses; dfs: depth first, with "
       "the disk store too; bfs: breadth first",
       [](Options& o, const std::string& v) {
         using Order = SearchOptions::Order;
         static constexpr Choice<Order> kOrders[] = {
             {"auto", Order::kAuto}, {"dfs", Order::kDepthFirst}, {"bfs", Order::kBreadthFirst}};
         return choose(v, kOrders, o.check.search);
       }},
      {kCheck, kSearchSection, "--steps", "MODE",
       "what counts as one step. spin (default): states inside `atomic` are not stored; statement: every statement "
       "is a step; path: as spin, and statements that only touch local variables join the step before them. A d_step "
       "is always one step",
       [](Options& o, const std::string& v) {
         static constexpr Choice<StepMode> kModes[] = {
             {"spin", StepMode::kSpin}, {"statement", StepMode::kStatement}, {"path", StepMode::kPath}};
         return choose(v, kModes, o.check.steps);
       }},
      {kCheck, kSearchSection, "--engine", "NAME",
       "fast (default): states are short keys, and steps are memoised; simple: whole state vectors in RAM, one "
       "thread, the order of SPIN",
       [](Options& o, const std::string& v) {
         static constexpr Choice<Engine> kEngines[] = {{"fast", Engine::kFast}, {"simple", Engine::kSimple}};
         return choose(v, kEngines, o.check.engine);
       }},
      {kCheck, kSearchSection, "-j,--threads", "N", "threads of the fast engine (default: one per processor)",
       [](Options& o, const std::string& v) -> Set {
         const Set number = whole_number(v, o.check.threads);
         if (number.ok() && (o.check.threads < 1 || o.check.threads > kMaxThreads)) {
           return Error{fmt::format("the number of threads is 1 to {}", kMaxThreads)};
         }
         return number;
       }},
      {kCheck, kSearchSection, "--key-set", "KIND",
       "hash table of the fast engine. normal (default); compact: a quarter to a half smaller, and about twice as "
       "slow",
       [](Options& o, const std::string& v) {
         static constexpr Choice<bool> kKinds[] = {{"normal", false}, {"compact", true}};
         return choose(v, kKinds, o.check.compact_set);
       }},
      {kCheck, kSearchSection, "--memo", "SIZE",
       "memory of the fast engine for memoised steps, for all threads together (default: 256M); less memory costs "
       "time only",
       [](Options& o, const std::string& v) -> Set {
         const Result<uint64_t> size = parse_size(v);
         if (!size.ok()) return Error{size.error()};
         o.check.memo_bytes = size.value();
         return Success{};
       }},
      {kCheck, kSearchSection, "--max-errors", "N",
       "stop the search for a property at its Nth error (default: 1); 0: find all",
       [](Options& o, const std::string& v) { return whole_number(v, o.check.max_errors); }},
      {kCheck, kSearchSection, "--shorten", "TIME",
       "after a violation, spend at most TIME on the search for the shortest counterexample, which is the same for "
       "all engines, orders and threads (default: as long as the search took, from 1s to 60s; with --max-errors 0: "
       "not at all); 0: show "
       "the one that the search found",
       [](Options& o, const std::string& v) -> Set {
         if (v == "0") {
           o.check.shorten_seconds = 0;
           return Success{};
         }
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.check.shorten_seconds = seconds.value();
         return Success{};
       }},
      {kCheck, kSearchSection, "--cycles", "ALGORITHM",
       "how endless runs are found. auto (default): ndfs in RAM, hull under fairness and beyond memory; ndfs: nested "
       "depth-first search; hull: the largest set of states that cycles can pass through",
       [](Options& o, const std::string& v) {
         static constexpr Choice<CycleAlgorithm> kAlgorithms[] = {
             {"auto", CycleAlgorithm::kAuto}, {"ndfs", CycleAlgorithm::kNdfs}, {"hull", CycleAlgorithm::kHull}};
         return choose(v, kAlgorithms, o.check.cycles);
       }},
      {kCheck, kSearchSection, "--reductions", "LIST",
       "what the search skips (default: por,merge,dead-variables, each where it applies). none: nothing, so that "
       "counts equal those of SPIN's -DNOREDUCE; por: steps that commute with all that other processes can do "
       "(partial-order reduction); merge: states between local steps; dead-variables: differences in locals that "
       "will not be read again; symmetry: states that differ only by exchanging interchangeable processes; all: "
       "these four. Verdicts and counterexamples stay the same, counts do not. "
       "Instead of por: por-queue, whose counts depend on the order of the search, and por-deadlock, which keeps "
       "deadlocks only",
       [](Options& o, const std::string& v) { return choose_reductions(v, o); }},

      {kCheck | kGraph, kLimitSection, "--memory", "SIZE",
       "limit for the whole process, 4M at least, e.g. 4G, 512M, 1.5G, or a share of the memory of the machine or "
       "container: 50% (default: 80%)",
       [](Options& o, const std::string& v) { return memory_limit(v, o.check.memory_bytes); }},
      {kCheck | kGraph, kLimitSection, "--time", "TIME",
       "limit in wall-clock time, e.g. 90, 90s, 15m, 2h (default: none)",
       [](Options& o, const std::string& v) -> Set {
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.check.time_seconds = seconds.value();
         return Success{};
       }},

      {kCheck, kStoreSection, "--store", "FOLDER",
       "where states go when the memory limit is reached. The run makes its own folder there and removes it at the "
       "end, along with folders that killed runs left (default: the system's folder for temporary files)",
       [](Options& o, const std::string& v) { return file_name(v, o.check.store.directory); }},
      {kCheck, kStoreSection, "--no-store", nullptr, "stop at the memory limit instead of using the disk",
       [](Options& o, const std::string&) -> Set {
         o.check.store.enabled = false;
         return Success{};
       }},
      {kCheck, kStoreSection, "--keep", nullptr, "keep the run's folder",
       [](Options& o, const std::string&) -> Set { return turn_on(o.check.store.keep); }},
      {kCheck, kStoreSection, "--bloom-bits", "SIZE", "size of the Bloom filter in bits: 1M, 64M (1M is 2^20)",
       [](Options& o, const std::string& v) { return store_size(o, v, o.check.store.bloom_bits, 1, kMostBits); }},
      {kCheck, kStoreSection, "--bloom-hashes", "N", "number of hash functions of the Bloom filter, 1 to 8",
       [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.bloom_hashes, 1, 8); }},
      {kCheck, kStoreSection, "--lossy-capacity", "N", "number of states in the lossy cache, e.g. 1000, 1M",
       [](Options& o, const std::string& v) {
         return store_size(o, v, o.check.store.lossy_capacity, 1, kMostStates);
       }},
      {kCheck, kStoreSection, "--reclaim-ahead", "N",
       "number of states that the lossy cache evicts at a time (default: 1, a neighbour of the new one), or a share "
       "of its capacity: 10%",
       [](Options& o, const std::string& v) -> Set {
         o.check.store.reclaim_ahead.reset();
         o.check.store.reclaim_percent.reset();
         if (!v.ends_with('%')) return store_size(o, v, o.check.store.reclaim_ahead, 1, kMostStates);
         if (const Set set = percentage(v, o.check.store.reclaim_percent.emplace()); !set.ok()) return set;
         return turn_on(o.check.store.from_start);
       }},
      {kCheck, kStoreSection, "--evaluator", "KIND",
       "which states are evicted first. age: the oldest; incoming: those that were reached least often; outgoing: "
       "those with the fewest successors; combined: a mixture",
       [](Options& o, const std::string& v) {
         static constexpr Choice<Evaluator> kKinds[] = {{"age", Evaluator::kAge},
                                                        {"incoming", Evaluator::kIncoming},
                                                        {"outgoing", Evaluator::kOutgoing},
                                                        {"combined", Evaluator::kCombined}};
         return store_choice(o, v, kKinds, o.check.store.evaluator);
       }},
      {kCheck, kStoreSection, "--lookup-buffer", "N",
       "number of candidates that a partition collects before it looks them up on disk",
       [](Options& o, const std::string& v) {
         return store_size(o, v, o.check.store.lookup_buffer, 1, kMostCandidates);
       }},
      {kCheck, kStoreSection, "--partitions", "N",
       "number of partitions of the states on disk, 1 to 4096 (default: 32)",
       [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.partitions, 1, 4096); }},
      {kCheck, kStoreSection, "--page-size", "SIZE", "size of a page before compression, 512 to 256M",
       [](Options& o, const std::string& v) {
         return store_size(o, v, o.check.store.page_bytes, kLeastPage, kMostPage);
       }},
      {kCheck, kStoreSection, "--page-codec", "KIND",
       "what is on a page. keys (default); raw: state vectors; zlib: those compressed; diff: those as "
       "differences from one to the next; sha1:BITS: 16 to "
       "160 bits of their SHA-1, which can take one state for another, so the verdict is never \"holds\"",
       [](Options& o, const std::string& v) { return page_codec(o, v); }},
      {kCheck, kStoreSection, "--zlib-level", "N", "compression level, 1 (fast) to 9 (small)",
       [](Options& o, const std::string& v) { return store_number(o, v, o.check.store.zlib_level, 1, 9); }},
      {kCheck, kStoreSection, "--io", "KIND",
       "how pages are read and written. buffered (default): through the system's page cache; direct: without it; "
       "buffered-async, direct-async: by a thread of its own, while the search goes on",
       [](Options& o, const std::string& v) { return page_io(o, v); }},

      {kSimulate, kRunSection, "--seed", "N",
       "seed of the random choices; the same seed gives the same run (default: from the clock)",
       [](Options& o, const std::string& v) {
         o.seed_given = true;
         return whole_number(v, o.seed);
       }},
      {kSimulate, kRunSection, "--max-steps", "N", "stop after N steps (default: 1000); 0: never",
       [](Options& o, const std::string& v) { return whole_number(v, o.max_steps); }},
      {kSimulate, kRunSection, "-i,--interactive", nullptr, "choose each step yourself from a menu",
       [](Options& o, const std::string&) -> Set { return turn_on(o.interactive); }},

      {kCompile, kOutputSection, "-o,--out", "FOLDER", "write the code to FOLDER, which is made if it does not exist",
       [](Options& o, const std::string& v) { return file_name(v, o.out); }},
      {kCompile, kOutputSection, "--program", nullptr,
       "write the sources of a program that runs the model; channels whose declarations say /* cmc: external */ "
       "connect it with the world",
       [](Options& o, const std::string&) -> Set { return turn_on(o.as_program); }},
      {kTune, kTuneSection, "--out", "FOLDER",
       "keep the results there (default: MODEL.tune); runs whose results are in the folder are not repeated",
       [](Options& o, const std::string& v) { return file_name(v, o.out); }},
      {kTune, kTuneSection, "--best", "MEASURE",
       "what the best run has least of: time (default; by the clock), cpu (seconds of all threads), memory (at the "
       "peak), disk (bytes of pages at the peak), pages (read and written)",
       [](Options& o, const std::string& v) {
         static constexpr Choice<TuneMeasure> kMeasures[] = {{"time", TuneMeasure::kTime},
                                                             {"cpu", TuneMeasure::kCpu},
                                                             {"memory", TuneMeasure::kMemory},
                                                             {"disk", TuneMeasure::kDisk},
                                                             {"pages", TuneMeasure::kPages}};
         return choose(v, kMeasures, o.best);
       }},
      {kTune, kTuneSection, "--runs", "N",
       "run each combination N times, 1 to 100, in shuffled order, and take the medians (default: 5 if the first run "
       "takes less than 10 s, otherwise 1)",
       [](Options& o, const std::string& v) -> Set {
         const Set number = whole_number(v, o.runs);
         if (number.ok() && (o.runs < 1 || o.runs > 100)) return Error{"a combination runs 1 to 100 times"};
         return number;
       }},
      {kTest, kCasesSection, "--slow", "HOW", "cases that are marked `slow`: skip (default), too, only",
       [](Options& o, const std::string& v) {
         static constexpr Choice<SlowCases> kHow[] = {
             {"skip", SlowCases::kSkip}, {"too", SlowCases::kToo}, {"only", SlowCases::kOnly}};
         return choose(v, kHow, o.slow);
       }},
      {kTest, kCasesSection, "--list", nullptr, "only list the cases",
       [](Options& o, const std::string&) -> Set { return turn_on(o.list_cases); }},
      {kTest, kCasesSection, "-j,--jobs", "N",
       "how many checks run at the same time (default: one per processor); the processors' threads and 80% of the "
       "memory are divided among them",
       [](Options& o, const std::string& v) -> Set {
         const Set number = whole_number(v, o.jobs);
         if (number.ok() && (o.jobs < 1 || o.jobs > kMaxJobs)) {
           return Error{fmt::format("the number of jobs is 1 to {}", kMaxJobs)};
         }
         return number;
       }},
      {kTest, kCasesSection, "--cache", "FOLDER",
       "remember verdicts there, and do not check a case again while its preprocessed text, its options and this "
       "cmc are the same. A case with another verdict than expected is always checked again",
       [](Options& o, const std::string& v) { return file_name(v, o.cache); }},
      {kTune | kTest, kTuneSection, "--kill-after", "TIME",
       "kill a run that takes longer: 90, 15m, 2h (default: never)",
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
       "also report guards of one selection that can be true at the same time, with an example (normal in Promela)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.lint.overlaps); }},
      {kLint, kFindingsSection, "--incomplete", nullptr,
       "also report selections without `else` in which all guards can be false, with an example (a process waits "
       "there)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.lint.incomplete); }},
      {kLint, kFindingsSection, "--fail-on", "LIST",
       "exit with code 1 if there is a finding of these kinds: any, or never-true, always-true, else-never-taken, "
       "overlap, incomplete, with commas between them (default: findings do not change the exit code)",
       set_fail_on},
      {kDeciding, kSolverSection, "--solver", "KIND",
       "what decides solver guards that have too many values to try. worker (default): Z3 in a separate process; "
       "inprocess: Z3 in this process; native: no solver, CMC tries up to 16 million tuples",
       [](Options& o, const std::string& v) {
         using Solver = guards::DeciderOptions::Solver;
         static constexpr Choice<Solver> kKinds[] = {
             {"worker", Solver::kWorker}, {"inprocess", Solver::kInProcess}, {"native", Solver::kNative}};
         return choose(v, kKinds, o.check.solver_kind);
       }},
      {kDeciding, kSolverSection, "--solver-workers", "N", "maximum number of solver processes (default: 1)",
       [](Options& o, const std::string& v) -> Set {
         uint64_t number = 0;
         if (const Set set = whole_number(v, number); !set.ok()) return set;
         if (number < 1 || number > kMaxWorkers)
           return Error{fmt::format("the number of workers is 1 to {}", kMaxWorkers)};
         o.check.solver.workers = static_cast<unsigned>(number);
         return Success{};
       }},
      {kSolving | kDeciding, kSolverSection, "--solver-time", "TIME",
       "what the solver may take for one question (default: 10s); after twice as long its process is ended. A check "
       "asks "
       "undecided questions once more at its end, with ten times this",
       [](Options& o, const std::string& v) -> Set {
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.check.solver.limit_time(seconds.value());
         return Success{};
       }},
      {kSolving | kDeciding, kSolverSection, "--solver-memory", "SIZE",
       "address space of each solver process (default: 2G); one that needs more is ended, and its question asked "
       "again",
       [](Options& o, const std::string& v) -> Set {
         const Result<uint64_t> size = parse_size(v);
         if (!size.ok()) return Error{size.error()};
         if (size.value() < kLeastSolverMemory) {
           return Error{fmt::format("{} is less than {}", v, short_size(kLeastSolverMemory))};
         }
         o.check.solver.memory_limit_bytes = size.value();
         return Success{};
       }},
      {kDeciding, kSolverSection, "--solver-log", "FILE",
       "write a line for each question to the solver and for each solver process that died; queries that crash a "
       "worker are saved next to FILE",
       [](Options& o, const std::string& v) { return file_name(v, o.check.solver_log); }},
      {kDeciding, kSolverSection, "--solver-cache", "FILE",
       "keep the solver's answers for later runs of the same versions of cmc and Z3 (default: FILE.answers of --log; "
       "otherwise, with --keep, the file `answers` in the folder of --store)",
       [](Options& o, const std::string& v) { return file_name(v, o.check.solver_cache); }},
      {kSolving | kDeciding, kSolverSection, "--solver-program", "FILE",
       "the solver worker (default: cmc-solverd in the folder of cmc)",
       [](Options& o, const std::string& v) { return file_name(v, o.check.solver.worker_path); }},
      {kSolving | kDeciding, kSolverSection, "--solver-transport", "KIND",
       "how cmc talks to the worker. ipc (default); tcp: on the loopback interface, encrypted with fresh keys",
       [](Options& o, const std::string& v) {
         static constexpr Choice<solver::Transport> kKinds[] = {{"ipc", solver::Transport::kIpc},
                                                                {"tcp", solver::Transport::kTcp}};
         return choose(v, kKinds, o.check.solver.transport);
       }},
      {kSolving | kDeciding, kSolverSection, "--solver-wait", "TIME",
       "how long cmc and the worker poll for each other before they sleep. auto (default): up to 4 ms, unless others "
       "want the processor; block: not at all; or a number of microseconds",
       [](Options& o, const std::string& v) -> Set {
         const Result<solver::WaitPolicy> wait = solver::parse_wait(v);
         if (!wait.ok()) return Error{wait.error()};
         o.check.solver.wait = wait.value();
         return Success{};
       }},

      {kCheck, kOutputSection, "--json", "[FILE]",
       "write the result as JSON (cmc.result/1) to FILE; without =FILE: to standard output, and nothing else there",
       [](Options& o, const std::string& v) { return json_file(v, o.json); }},
      {kCheck, kOutputSection, "--trail", "FILE",
       "write the shortest counterexample of the first violated property, for `cmc replay`; further ones to files "
       "with "
       "numbers: bug.trail, bug-2.trail, ...",
       [](Options& o, const std::string& v) { return file_name(v, o.trail); }},
      {kCheck, kOutputSection, "--trace-json", "FILE",
       "write the steps of every counterexample that was kept as JSON (cmc.trace/1)",
       [](Options& o, const std::string& v) { return file_name(v, o.trace_json); }},
      {kTracing, kOutputSection, "--html", "FILE",
       "write a page for a browser: the steps and messages of each process, the source next to them, the state at "
       "each step",
       [](Options& o, const std::string& v) { return file_name(v, o.html); }},
      {kTracing, kOutputSection, "--svg", "FILE", "write a message sequence chart as a picture",
       [](Options& o, const std::string& v) { return file_name(v, o.svg); }},
      {kTracing, kOutputSection, "--mermaid", "FILE", "write a message sequence chart as text for Mermaid",
       [](Options& o, const std::string& v) { return file_name(v, o.mermaid); }},
      {kTracing, kOutputSection, "--itf", "FILE",
       "write the states in the Informal Trace Format, which tools for TLA+ read",
       [](Options& o, const std::string& v) { return file_name(v, o.itf); }},
      {kReplay | kSimulate, kOutputSection, "--json", "[FILE]",
       "write the steps as JSON (cmc.trace/1) to FILE; without =FILE: to standard output, and nothing else there",
       [](Options& o, const std::string& v) { return json_file(v, o.trace_json); }},
      {kCheck, kOutputSection, "--log", "FILE",
       "write the histogram log, and the course of the search to FILE.csv, for `cmc log`",
       [](Options& o, const std::string& v) { return file_name(v, o.log); }},
      {kCheck, kOutputSection, "--profile", "FILE",
       "write where the time of the search went, statement by statement, as JSON (cmc.profile/1); of several "
       "searches the first. All is counted, and what is computed is measured, so the search is slower",
       [](Options& o, const std::string& v) { return file_name(v, o.profile); }},
      {kCheck, kOutputSection, "--profile-csv", "FILE", "write the profile as comma-separated values",
       [](Options& o, const std::string& v) { return file_name(v, o.profile_csv); }},
      {kCheck, kOutputSection, "--profile-trace", "FILE",
       "write when steps were computed, for chrome://tracing or ui.perfetto.dev",
       [](Options& o, const std::string& v) { return file_name(v, o.profile_trace); }},
      {kCheck, kOutputSection, "--profile-plot", "FOLDER",
       "draw the costliest statements as SVG and PNG into the folder; needs gnuplot",
       [](Options& o, const std::string& v) { return file_name(v, o.profile_plot); }},
      {kProfile, kOutputSection, "--lines", "N", "statements that the table shows (default: 20); 0: all",
       [](Options& o, const std::string& v) { return whole_number(v, o.profile_lines); }},
      {kCheck, kOutputSection, "--dump-states", "N:FILE",
       "write the first N states, breadth first, to FILE: the bytes of their state vectors, and their values. "
       "Partial-order "
       "and symmetry reduction leave out none of them",
       [](Options& o, const std::string& v) { return states_to_dump(o, v); }},
      {kTracing, kOutputSection, "--trace", "STYLE",
       "how steps are shown. diff (default): with the variables that changed; full: with the whole state after each "
       "step; columns: one column per process",
       [](Options& o, const std::string& v) {
         static constexpr Choice<TraceStyle> kStyles[] = {
             {"diff", TraceStyle::kDiff}, {"full", TraceStyle::kFull}, {"columns", TraceStyle::kColumns}};
         return choose(v, kStyles, o.trace);
       }},
      {kTracing, kOutputSection, "--only", "NAME",
       "show only the steps that concern a process (user, user[0]), a variable (flag, flag[0], user[0].n) or "
       "a "
       "channel; repeatable",
       [](Options& o, const std::string& v) -> Set { return name_to_show(o, v); }},
      {kTracing, kOutputSection, "--no-fold", nullptr,
       "show each step; otherwise three or more steps of a process that touch nothing but its own variables are one "
       "line",
       [](Options& o, const std::string&) -> Set {
         o.fold = false;
         return Success{};
       }},
      {kTracing, kOutputSection, "--width", "N",
       "characters of a line of a trace (default: those of the terminal; no limit if there is none); 0: no limit",
       [](Options& o, const std::string& v) -> Set {
         uint64_t width = 0;
         if (const Set set = whole_number(v, width); !set.ok()) return set;
         if (width != 0 && (width < 40 || width > 10'000)) return Error{"a line has 40 to 10,000 characters, or 0"};
         o.width = width;
         return turn_on(o.width_given);
       }},
      {kCheck | kReplay, kOutputSection, "--trace-limit", "N",
       "show only the last N steps of a counterexample (default: check 200, replay all, files 100000); 0: all",
       [](Options& o, const std::string& v) {
         o.trace_limit_given = true;
         return whole_number(v, o.trace_limit);
       }},
      {kAutomaton, kOutputSection, "--format", "NAME",
       "never (default): a never claim, which SPIN understands; hoa: Hanoi omega-automata, version 1; dot: a graph "
       "for "
       "Graphviz",
       [](Options& o, const std::string& v) {
         using automata::Format;
         static constexpr Choice<Format> kFormats[] = {
             {"never", Format::kNever}, {"hoa", Format::kHoa}, {"dot", Format::kDot}};
         return choose(v, kFormats, o.format);
       }},
      {kGraph, kOutputSection, "--format", "NAME", "dot (default): a graph for Graphviz; svg: a picture",
       [](Options& o, const std::string& v) {
         static constexpr Choice<GraphFormat> kFormats[] = {{"dot", GraphFormat::kDot}, {"svg", GraphFormat::kSvg}};
         return choose(v, kFormats, o.graph_format);
       }},
      {kGraph, kLimitSection, "--max-states", "N", "show the first N states, 1 to 2000 (default: 2000)",
       [](Options& o, const std::string& v) -> Set {
         const Set number = whole_number(v, o.max_states);
         if (number.ok() && (o.max_states < 1 || o.max_states > 2000)) {
           return Error{"the number of states is 1 to 2,000: a larger graph cannot be read"};
         }
         return number;
       }},
      {kGraph, kSearchSection, "--steps", "MODE",
       "what counts as one step. spin (default): states inside `atomic` are not shown; statement: every statement is "
       "a "
       "step",
       [](Options& o, const std::string& v) {
         static constexpr Choice<StepMode> kModes[] = {{"spin", StepMode::kSpin},
                                                       {"statement", StepMode::kStatement}};
         return choose(v, kModes, o.check.steps);
       }},
      {kInfo, kOutputSection, "--dump", nullptr, "print the whole model as CMC has understood it",
       [](Options& o, const std::string&) -> Set { return turn_on(o.dump); }},
      {kInfo, kOutputSection, "--disassemble", nullptr, "print the bytecode of the virtual machine",
       [](Options& o, const std::string&) -> Set { return turn_on(o.disassemble); }},
      {kInfo, kOutputSection, "--plugin-header", nullptr,
       "print the layout of states as a C header, for hand-written successors (checker/plugin/interface.h)",
       [](Options& o, const std::string&) -> Set { return turn_on(o.plugin_header); }},
      {kInfo, kOutputSection, "--json", "[FILE]",
       "write the overview as JSON (cmc.info/1) to FILE; without =FILE: to standard output, instead of the text",
       [](Options& o, const std::string& v) { return json_file(v, o.json); }},
      {kLint, kOutputSection, "--json", "[FILE]",
       "write the findings as JSON (cmc.lint/1) to FILE; without =FILE: to standard output, instead of the text",
       [](Options& o, const std::string& v) { return json_file(v, o.json); }},
      {kLog, kOutputSection, "--json", "[FILE]",
       "write the figures as JSON (cmc.log/1) to FILE; without =FILE: to standard output, instead of the text",
       [](Options& o, const std::string& v) { return json_file(v, o.json); }},
      {kLog, kOutputSection, "--csv", nullptr, "print the figures as comma-separated values, one line per log",
       [](Options& o, const std::string&) -> Set { return turn_on(o.log_csv); }},
      {kLog, kOutputSection, "--from", "TIME",
       "look at the time from then on: what FILE.csv beside a log says about it, also in plots: 90, 15m, 2h",
       [](Options& o, const std::string& v) { return time_of_search(v, o.from_seconds); }},
      {kLog, kOutputSection, "--to", "TIME", "look at the time up to then",
       [](Options& o, const std::string& v) { return time_of_search(v, o.to_seconds); }},
      {kLog, kOutputSection, "--plot", "FOLDER",
       "draw plots as SVG, PNG and PDF into the folder: states over time, state sizes, disk accesses; needs gnuplot",
       [](Options& o, const std::string& v) { return file_name(v, o.plot); }},
      {kTest, kOutputSection, "--json", "[FILE]",
       "write all cases as JSON (cmc.test/1) to FILE; without =FILE: to standard output, instead of the table",
       [](Options& o, const std::string& v) { return json_file(v, o.json); }},
      {kTest, kOutputSection, "--junit", "FILE", "write the cases as JUnit's XML, for CI servers",
       [](Options& o, const std::string& v) { return file_name(v, o.junit); }},
      {kTest, kOutputSection, "--sarif", "FILE", "write the cases that fail as SARIF 2.1.0, for code scanning",
       [](Options& o, const std::string& v) { return file_name(v, o.sarif); }},
      {kTest, kOutputSection, "--annotations", "SERVICE",
       "mark the lines of errors in the models, for a hosted CI; SERVICE is github",
       [](Options& o, const std::string& v) {
         static constexpr Choice<bool> kServices[] = {{"github", true}};
         return choose(v, kServices, o.github);
       }},
      {kAll | kTest, kOutputSection, "--color", "WHEN",
       "auto (default: on a terminal, unless NO_COLOR is set), always, never",
       [](Options& o, const std::string& v) { return choose(v, kWhen, o.color); }},
      {kTune, kOutputSection, "--progress", "WHEN",
       "a line that says how far it is: auto (default: on a terminal), on, off",
       [](Options& o, const std::string& v) { return choose(v, kOnOff, o.progress); }},
      {kCheck, kOutputSection, "--progress", "WHEN",
       "a line that says how far the search is: auto (default: on a terminal), on, off; json: a line of JSON each "
       "second on standard error (cmc.progress/1). The signal USR1 asks for the report so far",
       [](Options& o, const std::string& v) -> Set {
         o.progress_json = v == "json";
         if (o.progress_json) return Success{};
         static constexpr Choice<When> kChoices[] = {
             {"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}, {"json", When::kAuto}};
         return choose(v, kChoices, o.progress);
       }},
      {kTest, kOutputSection, "-q,--quiet", nullptr, "print only the cases that fail, and the last line",
       [](Options& o, const std::string&) -> Set {
         o.verbosity = Verbosity::kQuiet;
         return Success{};
       }},
      {kTracing, kOutputSection, "-q,--quiet", nullptr, "print only errors, reasons and the verdict",
       [](Options& o, const std::string&) -> Set {
         o.verbosity = Verbosity::kQuiet;
         return Success{};
       }},
      {kTracing, kOutputSection, "-v,--verbose", nullptr,
       "also print the options, figures of the engine, and unreached statements of an incomplete search",
       [](Options& o, const std::string&) -> Set {
         o.verbosity = Verbosity::kVerbose;
         return Success{};
       }},

      {kTracing | kTest, kDebugSection, "--generator", "NAME",
       "what computes successors. auto (default): bytecode, and machine code when that pays, made by a C compiler "
       "($CC, else cc) in the background; vm: bytecode; native: machine code from the start; reference: a slow and "
       "plain interpreter; plugin:FILE (check): hand-written ones in a shared object (see cmc info --plugin-header). "
       "Commands that do not search use vm instead of native and auto",
       [](Options& o, const std::string& v) {
         static constexpr std::string_view kPlugin = "plugin:";
         if (v.starts_with(kPlugin) && v.size() > kPlugin.size()) {
           o.check.generator = GeneratorKind::kPlugin;
           o.check.plugin = v.substr(kPlugin.size());
           return Set(Success{});
         }
         static constexpr Choice<GeneratorKind> kKinds[] = {{"auto", GeneratorKind::kAuto},
                                                            {"native", GeneratorKind::kNative},
                                                            {"reference", GeneratorKind::kReference},
                                                            {"vm", GeneratorKind::kVm}};
         return choose(v, kKinds, o.check.generator);
       }},
      {kCheck | kCompile, kDebugSection, "--compiler-time", "TIME", "how long the C compiler may take (default 2m)",
       [](Options& o, const std::string& v) -> Set {
         const Result<double> seconds = parse_duration(v);
         if (!seconds.ok()) return Error{seconds.error()};
         o.check.compiler_seconds = seconds.value();
         return Success{};
       }},
      {kCheck | kTest, kDebugSection, "--check-generator", nullptr,
       "compare the virtual machine with the reference at every state; any difference ends the run with exit code 4. "
       "A plug-in is compared with both; if it is wrong, the exit code is 2",
       [](Options& o, const std::string&) -> Set { return turn_on(o.check.check_generator); }},
  };
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> kTable = make_table();
  return kTable;
}

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> kTable = {
      {Command::kCheck, "check", "MODEL", "explore the reachable states and say whether the model is free of errors",
       "Reads a Promela model, explores the states that it can reach, and says: it holds (no assertion fails, no "
       "process gets stuck, nothing goes wrong at run time), it is violated (with a counterexample: the steps that "
       "lead to the error), or the search is incomplete (with every reason).",
       "cmc check model.pml\n"
       "cmc check -DN=4 --search bfs model.pml      a shortest counterexample\n"
       "cmc check --max-errors 0 --json model.pml   every error, as JSON\n"
       "cmc check --memory 8G --time 1h model.pml\n"
       "cmc check --trail bug.trail model.pml && echo fine"},
      {Command::kSimulate, "simulate", "MODEL", "run the model once, with random choices or with yours",
       "Runs the model once and prints each step and what the model prints. It proves nothing; it helps to get to "
       "know a model.",
       "cmc simulate --seed 7 model.pml\n"
       "cmc simulate --interactive --trace full model.pml\n"
       "cmc simulate -q --max-steps 0 model.pml     only what the model prints"},
      {Command::kReplay, "replay", "MODEL TRAIL", "show a counterexample again that `cmc check --trail` wrote",
       "Replays a trail step by step. Every step is checked against the model, so a trail of another model is "
       "refused and never misread. The -D, -U, -I and -J of the check are taken from the trail unless you give your "
       "own.",
       "cmc check --trail bug.trail model.pml\n"
       "cmc replay model.pml bug.trail --trace columns"},
      {Command::kInfo, "info", "MODEL", "say what is in the model: processes, variables, channels, state size",
       "Reads a model without running it and prints its processes, variables and channels, where they lie in the "
       "state vector, how large a state is, and which properties it states, with their names.",
       "cmc info model.pml\n"
       "cmc info --dump model.pml"},
      {Command::kProfile, "profile", "MODEL", "say which statements the time of a search goes to",
       "Checks a model, and counts for each statement and process type how often it was tried, executable, executed "
       "and newly computed, how long that took, and how many states were first reached through it. Everything is "
       "counted, so the search is slower than one without a profile. All options of check can be given. "
       "docs/profile.md says what the columns mean.",
       "cmc profile model.pml\n"
       "cmc profile --lines 0 --threads 1 model.pml     all statements\n"
       "cmc profile --profile-plot plots model.pml      a picture, plots/profile.svg\n"
       "cmc check --profile profile.json model.pml      a check with a profile"},
      {Command::kLog, "log", "FILE...", "show logs of searches side by side, check their arithmetic, draw plots",
       "Reads what `cmc check --log` and `cmc check --json` wrote, and the logs of CMC of 2006, and prints their "
       "figures side by side. Identities tie nearly every figure to others; below the table it says whether they "
       "hold. The course of a search is read from FILE.csv if there is one. A log whose search still runs, or was "
       "killed, says so.",
       "cmc check --log run.log model.pml\n"
       "cmc log run.log other.log\n"
       "cmc log --plot plots run.log"},
      {Command::kTune, "tune", "MODEL", "check with every combination of some options, and name the best",
       "Runs `cmc check` for every combination of options that are given as lists, several times if that takes "
       "seconds, in shuffled order, one run after the other, and compares time, memory and disk. All options of "
       "check "
       "but those about output can be given, and each as a list: 1M,64M or, whole numbers, 1..9; of a macro the "
       "values: -DN=2,3. Only runs that search for the same are compared, and what differs by less than the spread "
       "of "
       "the runs is called equal. Runs that fail are rows like the others. "
       "Ctrl-C ends the current run; the same command does the rest.",
       "cmc tune model.pml --threads 1,2,4 --memo 1M,16M,256M\n"
       "cmc tune model.pml -DN=3..6 --time 10m --best memory\n"
       "cmc tune model.pml --search dfs,bfs --dry-run"},
      {Command::kTest, "test", "[PATH...]", "check many models against what their texts say they expect",
       "Reads the `expect:` lines of models (docs/testing.md), each of which is a case: a verdict, kinds of errors, "
       "figures, options. Checks the cases, several at the same time, each in a process of its own, and compares. "
       "PATH is a model or a folder, whose files *.pml are taken, also those in its folders (default: the current "
       "one). A case that has no verdict (the model cannot be read, the line has an unknown word, the check crashed "
       "or was killed) is an error of this case only.",
       "cmc test models\n"
       "cmc test --slow too --jobs 4 models/leader models/lunar/lunar.pml\n"
       "cmc test --cache .verdicts --junit cmc.xml --sarif cmc.sarif models\n"
       "cmc test --annotations github --time 5m --kill-after 6m models"},
      {Command::kLint, "lint", "MODEL", "find guards that are superfluous or dead, without running the model",
       "Asks a solver about each guard by itself: can it be true at all, can it be false, is an `else` ever taken? "
       "It assumes nothing but the types of the variables (a byte is 0..255). So each finding is true, but a model "
       "without findings can still have dead guards. Contents of channels are not examined. Findings are warnings: "
       "they change neither the verdict of a check nor, without --fail-on, the exit code, which is 3 if there is no "
       "solver.",
       "cmc lint model.pml\n"
       "cmc lint --incomplete model.pml             also where a process can get stuck\n"
       "cmc lint --fail-on any model.pml           for continuous integration\n"
       "cmc lint --json model.pml"},
      {Command::kExpand, "expand", "MODEL", "print a model in Promela/S as plain Promela",
       "Writes down each solver guard value by value: exists becomes a disjunction, choose and least a selection "
       "with one d_step for each tuple of values. The result has the same states and steps, and SPIN understands it. "
       "Ranges must be constant and small.",
       "cmc expand model.pml > plain.pml\n"
       "cmc expand -DSMALL model.pml > plain.pml"},
      {Command::kCompile, "compile", "MODEL", "make C code of a model's steps, or a program that runs the model",
       "Writes what `cmc check --generator native` compiles: model.c, with the model's lines as comments, and the "
       "object model.so that $CC (or cc) makes of it. With --program it writes a folder of sources: the processes "
       "step as the model says, and world.cc, which is yours to change, says where messages go and come from; at "
       "first it reads and prints lines of text. Such a program is built with CMake and CMC's library.",
       "cmc compile model.pml -o code\n"
       "cmc compile --program endpoint.pml -o endpoint"},
      {Command::kAutomaton, "automaton", "[MODEL]", "print the automaton that a formula is translated to",
       "Translates formulas of linear temporal logic to Büchi automata, as `cmc check` does. An automaton accepts "
       "the runs that violate the formula (those of `spin -f '!(FORMULA)'`); a state whose name begins with accept "
       "is accepting. Without a model, the names in formulas of --ltl are variables.",
       "cmc automaton model.pml\n"
       "cmc automaton --property response --format dot model.pml | dot -Tsvg > a.svg\n"
       "cmc automaton --ltl '[] (x == 1 -> <> y == 1)' model.pml\n"
       "cmc automaton --ltl '[] (p -> <> q)'"},
      {Command::kGraph, "graph", "MODEL", "draw the states of a small model and the steps between them",
       "Explores a model without any reduction, breadth first, and prints its states and steps as a graph: who "
       "moves, "
       "and what the step changes. Ends, deadlocks and failing steps are marked; the mouse on a state shows all its "
       "values. The exit code is 3 if there are more states than --max-states says.",
       "cmc graph model.pml | dot -Tpdf > graph.pdf\n"
       "cmc graph --format svg model.pml > graph.svg"},
      {Command::kSolver, "solver", "ACTION [FILE]", "talk to the solver directly",
       "Starts a solver in a separate process, as a check does, and ends it again. ping: does it work, do both sides "
       "have the same version, and how long does a round trip take? stats: its memory and counters. eval FILE: sends "
       "the SMT-LIB2 commands in FILE (-: standard input) to it and prints the answers, e.g. for the queries that a "
       "check saves next to --solver-log. Commands that set options are refused.",
       "cmc solver ping\n"
       "cmc solver stats\n"
       "echo '(check-sat)' | cmc solver eval -"},
  };
  return kTable;
}

}  // namespace cmc
