#include <sstream>

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "base/units.h"
#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

namespace cmc::rows {
namespace {

Status choose_reductions(const std::string& text, Options& options) {
  using Proviso = SearchOptions::Proviso;
  struct Reduction {
    std::vector<bool CheckRequest::*> flags;
    Proviso proviso = Proviso::kSticky;
  };
  static const EnumName<Reduction> kReductions[] = {
      {"por", {{&CheckRequest::partial_order}}},
      {"por-queue", {{&CheckRequest::partial_order}, Proviso::kQueue}},
      {"por-deadlock", {{&CheckRequest::partial_order}, Proviso::kNone}},
      {"merge", {{&CheckRequest::merge_steps}}},
      {"dead-variables", {{&CheckRequest::reset_dead_variables}}},
      {"symmetry", {{&CheckRequest::symmetry}}},
      {"all",
       {{&CheckRequest::partial_order, &CheckRequest::merge_steps, &CheckRequest::reset_dead_variables,
         &CheckRequest::symmetry}}},
      {"none", {}}};
  options.check.without_reductions();
  options.check.proviso = Proviso::kSticky;
  if (text.empty() || text.ends_with(','))
    return Error{fmt::format("the name of a reduction is missing in '{}'", text)};
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    Reduction reduction;
    if (const Status set = choose(word, kReductions, reduction); !set.ok()) return set;
    if ((word == "all" || word == "none") && word != text)
      return Error{fmt::format("'{}' cannot be combined with others", word)};
    if (word.starts_with("por") && options.check.partial_order)
      return Error{"only one kind of partial-order reduction can be used at a time"};
    for (bool CheckRequest::*const flag : reduction.flags) options.check.*flag = true;
    if (word.starts_with("por")) options.check.proviso = reduction.proviso;
  }
  return Success{};
}

// A size, or a share of the memory of the machine or container. What is less than the program itself takes is a unit
// forgotten.
Status memory_limit(const std::string& text, uint64_t& out) {
  constexpr uint64_t kLeastMemory = uint64_t{4} << 20;
  if (!text.ends_with('%')) {
    CMC_TRY(const uint64_t size, parse_size(text));
    if (size < kLeastMemory) {
      return Error{fmt::format("{} is too little: the least is 4M; a number without K, M, G or T is bytes",
                               format_size(size))};
    }
    out = size;
    return Success{};
  }
  double percent = 0;
  if (const Status set = percentage(text, percent); !set.ok()) return set;
  const std::optional<uint64_t> total = total_memory_bytes();
  if (!total) return Error{"the system does not say how much memory there is; write a size such as 4G"};
  out = std::max(kLeastMemory, static_cast<uint64_t>(static_cast<double>(*total) * percent / 100));
  return Success{};
}

constexpr OptionRow kSearchRows[] = {
    {kCheck, kSearchSection, "--search", "ORDER",
     "order in which states are expanded; the report names the one that was used. auto (default): depth first in "
     "RAM, oldest states first with the disk store, which needs the fewest disk accesses; dfs: depth first, with the "
     "disk store too; bfs: breadth first",
     [](Options& o, const std::string& v) { return choose(v, kOrderNames, o.check.search); }},
    {kCheck, kSearchSection, "--steps", "MODE",
     "what counts as one step. spin (default): states inside `atomic` are not stored; statement: every statement is "
     "a step; path: as spin, and statements that only touch local variables join the step before them. A d_step is "
     "always one step",
     [](Options& o, const std::string& v) { return choose(v, kStepModeNames, o.check.steps); }},
    {kCheck, kSearchSection, "--engine", "NAME",
     "fast (default): states are short keys, and steps are memoised; simple: whole state vectors in RAM, one thread, "
     "the order of SPIN",
     [](Options& o, const std::string& v) { return choose(v, kEngineNames, o.check.engine); }},
    {kCheck | kResume, kSearchSection, "-j,--threads", "N", "threads of the fast engine (default: one per processor)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.check.threads, 1, kMaxThreads,
                           fmt::format("the number of threads is 1 to {}", kMaxThreads));
     }},
    {kCheck, kSearchSection, "--key-set", "KIND",
     "hash table of the fast engine. normal (default); compact: a quarter to a half smaller, and about twice as slow",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<bool> kKinds[] = {{"normal", false}, {"compact", true}};
       return choose(v, kKinds, o.check.compact_set);
     }},
    {kCheck, kSearchSection, "--memo", "SIZE",
     "memory of the fast engine for memoised steps, for all threads together (default: 256M); less memory costs time "
     "only",
     [](Options& o, const std::string& v) { return size(v, o.check.memo_bytes); }},
    {kCheck, kSearchSection, "--max-errors", "N",
     "stop the search for a property at its Nth error (default: 1); 0: find all",
     [](Options& o, const std::string& v) { return whole_number(v, o.check.max_errors); }},
    {kCheck, kSearchSection, "--shorten", "TIME",
     "after a violation, spend at most TIME on the search for the shortest counterexample, which is the same for all "
     "engines, orders and threads (default: half as long as the search took, 60s at most, and at least a fixed "
     "number of steps, which take about 0.03s; with --max-errors 0: not at all); 0: show the one that the search "
     "found",
     [](Options& o, const std::string& v) {
       double& seconds = o.check.shorten_seconds.emplace();
       return v == "0" ? Success{} : duration(v, seconds);
     }},
    {kCheck, kSearchSection, "--trail-order", "ORDER",
     "which of the shortest counterexamples is shown. first (default): the first one in an order that depends on the "
     "model alone; switches: one with the fewest switches between processes",
     [](Options& o, const std::string& v) { return choose(v, kTrailOrderNames, o.check.trail_order); }},
    {kCheck, kSearchSection, "--cycles", "ALGORITHM",
     "how endless runs are found. auto (default): ndfs in RAM, strongly connected components in RAM under fairness, "
     "hull beyond memory; ndfs: nested depth-first search; hull: the largest set of states that cycles can pass "
     "through",
     [](Options& o, const std::string& v) { return choose(v, kCycleAlgorithmNames, o.check.cycles); }},
    {kConform, kSearchSection, "--reductions", "LIST",
     "por: leave out steps that commute with all that other processes can do (default: when the search is not "
     "short), "
     "none",
     [](Options& o, const std::string& v) -> Status {
       if (v != "por" && v != "none") return Error{fmt::format("'{}' is neither por nor none", v)};
       o.check.reductions_given = true;
       o.check.partial_order = v == "por";
       return Success{};
     }},
    {kCheck, kSearchSection, "--reductions", "LIST",
     "what the search skips (default: por,merge,dead-variables, each where it applies). none: nothing, so that "
     "counts equal those of SPIN's -DNOREDUCE; por: steps that commute with all that other processes can do "
     "(partial-order reduction); merge: states between local steps; dead-variables: differences in variables that "
     "will not be read again; symmetry: states that differ only by exchanging interchangeable processes; all: these "
     "four. Verdicts and counterexamples stay the same, counts do not. Instead of por: por-queue, whose counts "
     "depend on the order of the search, and por-deadlock, which keeps deadlocks only",
     [](Options& o, const std::string& v) { return choose_reductions(v, o); }},
};

constexpr OptionRow kLimitRows[] = {
    {kCheck | kGraph | kResume | kMutate | kConform, kLimitSection, "--memory", "SIZE",
     "limit for the whole process, 4M at least, e.g. 4G, 512M, 1.5G, or a share of the memory of the machine or "
     "container: 50% (default: 80%)",
     [](Options& o, const std::string& v) { return memory_limit(v, o.check.memory_bytes); }},
    {kCheck | kResume, kLimitSection, "--disk", "SIZE",
     "limit for what the search has on disk, beyond memory and in checkpoints, e.g. 40G: before it, the search is "
     "saved, if it has checkpoints, and ends (default: when the file system is nearly full)",
     [](Options& o, const std::string& v) -> Status {
       CMC_TRY(const uint64_t size, parse_size(v));
       o.check.disk_bytes = size;
       return Success{};
     }},
    {kCheck | kGraph | kResume | kMutate | kConform, kLimitSection, "--time", "TIME",
     "limit in wall-clock time, e.g. 90, 90s, 15m, 2h (default: none)",
     [](Options& o, const std::string& v) { return duration(v, o.check.time_seconds); }},
};

}  // namespace

std::span<const OptionRow> search_rows() { return kSearchRows; }
std::span<const OptionRow> limit_rows() { return kLimitRows; }

}  // namespace cmc::rows
