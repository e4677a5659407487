#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "checker/guards/guard_figures.h"
#include "checker/properties/decide.h"
#include "checker/report/explanation.h"
#include "checker/report/style/style.h"
#include "checker/result/result.h"
#include "ir/model.h"

// The report of a run: of the searches for all properties. One object, made once; the text and the JSON result
// (schema cmc.result/1, README.md) are views of it, so they cannot disagree.

namespace cmc {

// The circumstances of a run that a SearchResult does not know.
struct RunDescription {
  using Value = std::variant<bool, uint64_t, double, std::string, std::vector<std::string>>;
  struct Option {
    std::string name;
    Value value;
  };
  struct File {
    std::string name;
    std::string sha1;  // of its bytes, 40 hexadecimal digits
  };
  std::string model_file;
  std::string model_sha1;
  std::vector<File> includes;          // other files that the model is read from
  std::vector<std::string> arguments;  // the command line, without the program
  std::string begun;                   // "2026-11-24T21:55:00Z"; empty: unknown
  std::string host;
  std::string steps;       // what counts as one step: "spin" or "statement"
  std::string reductions;  // that were on: "por,merge"; empty: none
  std::vector<Option> options;
  std::vector<std::string> trail_files;      // where counterexamples were written, by number
  std::vector<guards::GuardFigures> guards;  // by guard of the model; empty: it has none
  guards::SolverFigures solver;              // of a model with guards
};

struct Report {
  struct ErrorEntry {
    std::string kind;
    std::string message;
    std::string file;  // empty: no place
    uint32_t line = 0;
    uint64_t depth = 0;         // steps of its counterexample; of the search, if no path was kept
    bool depth_known = true;    // false: it is a cycle that lacks a path
    std::string property = {};  // which it violates
    Explanation explanation = {};
    uint64_t counterexample = 0;  // its number, from 1; 0: there is none
  };
  // Errors that are the same but for the path to them.
  struct ErrorGroup {
    ErrorEntry first;  // with the smallest depth
    uint64_t count = 0;
  };
  struct UnreachedLocation {
    std::string file;
    uint32_t line = 0;
    LocationId state = 0;
    std::string text;
  };
  struct Coverage {
    std::string proctype;
    bool is_init = false;
    uint32_t states = 0;
    uint32_t unreached_states = 0;             // how many of them were not reached
    std::vector<UnreachedLocation> unreached;  // a selection's options each have an entry
  };

  // What a counterexample looks like: steps of processes, claim moves not counted.
  struct Counterexample {
    uint64_t steps = 0;  // with those of the loop
    uint64_t loop_steps = 0;
    uint64_t switches = 0;  // between processes
    bool has_loop = false;
  };
  struct PropertyRow {
    std::string name;
    std::string kind;
    std::string file;  // empty: no place
    uint32_t line = 0;
    Verdict verdict = Verdict::kIncomplete;
    Fairness fairness = Fairness::kNone;
    uint64_t states_stored = 0;
    uint64_t transitions = 0;
    double wall_seconds = 0;
    std::vector<Reason> reasons;
    std::vector<std::string> warnings;
    std::optional<Counterexample> counterexample;
    std::optional<Shortening> shortening;
  };

  // Atomic sequences that can go on for ever. They violate nothing, but keep all other processes waiting.
  struct EndlessAtomic {
    uint64_t states = 0;  // where such sequences begin
    std::string file;     // of one: a statement that is executed again and again; empty: unknown
    uint32_t line = 0;
  };

  // A solver guard, where it stands.
  struct Guard : guards::GuardFigures {
    std::string file;
    uint32_t line = 0;
    std::string text;  // of its condition
  };

  // What kept partial-order reduction from leaving out more steps, by where a process was.
  struct Hindrance {
    std::string file;
    uint32_t line = 0;
    std::string proctype;
    std::string text;
    uint64_t count = 0;  // of processes that could move in expanded states
  };

  RunDescription run;
  std::vector<PropertyRow> properties;
  Verdict verdict = Verdict::kIncomplete;  // the worst of them
  bool complete = false;                   // all searches were exhaustive, every property was decided
  bool interrupted = false;
  std::vector<Reason> reasons;     // of all properties
  std::vector<ErrorEntry> errors;  // the same; of each the first 10,000 or so
  std::vector<ErrorGroup> groups;  // of `errors`
  uint64_t error_count = 0;        // all
  uint64_t memory_peak_bytes = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  // Of the search for the first property, which is safety unless that was left out:
  bool exhaustive = false;  // nothing was left to expand: all reachable states, or all that the reductions keep
  UsedOrder order = UsedOrder::kDepthFirst;
  uint64_t states_stored = 0;
  uint64_t states_matched = 0;
  uint64_t transitions = 0;
  uint64_t depth_reached = 0;
  uint64_t states_before_store = 0;
  uint64_t state_bytes_max = 0;
  EndlessAtomic endless_atomic;
  std::vector<Coverage> coverage;     // by proctype
  std::vector<Guard> guards;          // about which questions were asked; those that took the most time first
  std::optional<KeyFigures> keys;     // of the fast engine
  std::vector<RankFigures> ranks;     // of a search on several machines
  std::vector<Hindrance> hindrances;  // the commonest first
  SearchStatistics statistics;

  // Every reachable state was expanded.
  [[nodiscard]] bool all_states() const { return exhaustive && run.reductions.empty(); }
};

[[nodiscard]] Report::ErrorEntry describe_error(const Model& model, const FoundError& error);
// REQUIRES: there is a result.
[[nodiscard]] Report make_report(const Model& model, std::span<const PropertyResult> results, RunDescription run);
[[nodiscard]] Report::Counterexample describe_counterexample(const FoundError& error);

// The error with the shortest path that was kept; null if there is none.
[[nodiscard]] const FoundError* shortest_counterexample(const SearchResult& result);

// Whether more than safety was to be decided, so that errors and reasons say what they are about.
[[nodiscard]] bool names_properties(const Report& report);

[[nodiscard]] const char* verdict_name(Verdict verdict);  // "holds", "violated", "incomplete"

enum class Verbosity : uint8_t { kQuiet, kNormal, kVerbose };

// Errors, reasons, counts, unreached statements and, as the last line, the verdict. Quiet: errors, reasons and
// verdict.
[[nodiscard]] std::string report_text(const Report& report, Verbosity verbosity, const Palette& palette);

// One JSON object with a newline after it.
[[nodiscard]] std::string report_json(const Report& report);

// The result file while the search runs: verdict "incomplete", its one reason is of the kind "running". `begun`:
// when and by whom.
[[nodiscard]] std::string running_json(const std::string& model_file, const std::string& model_sha1,
                                       const std::string& begun);

}  // namespace cmc
