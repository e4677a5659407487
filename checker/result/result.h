#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "checker/generator/generator.h"
#include "checker/result/figures.h"
#include "checker/result/options.h"
#include "checker/result/profile.h"

// The result of a search. The text report, the JSON result and the exit code are views of one SearchResult.

namespace cmc {

enum class Verdict : uint8_t { kHolds, kViolated, kIncomplete };

// Why a search cannot say "holds".
enum class ReasonKind : uint8_t {
  kMemory,  // a limit was reached: the search stopped
  kTime,
  kInterrupted,
  kLimit,      // one of CMC's own limits
  kStore,      // the disk store failed
  kUndecided,  // a property of the text that no engine decides
  kEmbeddedC,  // the model executes C code
  kHidden,     // states that differ in hidden variables were merged, although the model reads them
  kGuard,      // a solver guard was not decided
  kWitnesses,  // `choose ... max` left values out
  kSolver,     // there is no solver that answers
  kAtomic,     // an atomic sequence was cut
  kLossy,      // hash compaction on disk may have left states out
  kBug,        // CMC contradicts itself
};
struct ReasonKindInfo {
  const char* name;   // in JSON, logs
  bool loses_states;  // the states that were found need not be all that are reachable
};
[[nodiscard]] const ReasonKindInfo& info(ReasonKind kind);

struct Reason {
  ReasonKind kind = ReasonKind::kMemory;
  std::string text;  // one sentence for a person
};
// Of the kind kBug. `what`: in what CMC contradicts itself.
[[nodiscard]] Reason reason_of_bug(const std::string& what);

// What kind of property an error violates.
struct ErrorKind {
  enum class Class : uint8_t {
    kRuntimeError,
    kInvalidEndState,
    kAcceptanceCycle,
    kNonProgressCycle,
  } error_class = Class::kRuntimeError;
  RuntimeErrorKind runtime = RuntimeErrorKind::kAssertion;  // kRuntimeError

  static ErrorKind invalid_end_state() { return {Class::kInvalidEndState, {}}; }
  static ErrorKind acceptance_cycle() { return {Class::kAcceptanceCycle, {}}; }
  static ErrorKind non_progress_cycle() { return {Class::kNonProgressCycle, {}}; }
  [[nodiscard]] bool is_invalid_end_state() const { return error_class == Class::kInvalidEndState; }
  [[nodiscard]] bool is_cycle() const { return *this == acceptance_cycle() || *this == non_progress_cycle(); }
  friend bool operator==(const ErrorKind&, const ErrorKind&) = default;
};
// "assertion", "index", "invalid end state", ...: in JSON, trails; and back (none: there is no such kind).
[[nodiscard]] const char* error_kind_name(const ErrorKind& kind);
[[nodiscard]] std::optional<ErrorKind> parse_error_kind(const std::string& name);

// A violated property. `path` leads from the initial state to it, as basic steps; it was replayed by the referee
// before the result was handed out.
struct FoundError {
  ErrorKind kind;
  std::string message;  // "assertion violated: x > 1"
  SourcePlace place;    // of the statement; line 0 if there is none
  uint64_t depth = 0;   // from the initial state to behind the failing step, as SearchResult::depth_reached counts
  std::vector<Step> path;
  bool has_path = false;  // see SearchOptions::max_trails
  // Among ranks, before their results are put together: `path` leads on from the state with that number (Ranks).
  uint64_t begins_at = 0;
  // Of a cycle: the first step of the loop, which leads back to the state before it. If the system is blocked there,
  // and stays so for ever, the loop has moves of the claim only. kNoLoop: not a cycle.
  static constexpr size_t kNoLoop = SIZE_MAX;
  size_t loop_start = kNoLoop;
};

struct ReachedLocations {
  std::vector<std::vector<bool>> reached;  // by proctype and location
  SourcePlace endless_atomic;  // a statement on the way round in an atomic sequence that never ends; line 0: none
};

// The order in which the states were expanded in the end.
enum class UsedOrder : uint8_t {
  kDepthFirst,    // last in, first out
  kBreadthFirst,  // level by level
  kOldestFirst,   // first in, first out, with candidates of the disk store in between: no levels
  kRounds,        // partition by partition, what a turn has found to be new
};
// In JSON and logs.
inline constexpr EnumName<UsedOrder> kUsedOrderNames[] = {{"dfs", UsedOrder::kDepthFirst},
                                                          {"bfs", UsedOrder::kBreadthFirst},
                                                          {"oldest-first", UsedOrder::kOldestFirst},
                                                          {"rounds", UsedOrder::kRounds}};

// What shorten_counterexamples() (shorten.h) did behind the search. Steps are those of processes, of the shortest
// counterexample, with those of its loop.
struct Shortening {
  uint64_t steps_before = 0;
  uint64_t steps_after = 0;
  uint64_t states = 0;  // of single statements, that were looked at breadth first
  double wall_seconds = 0;
  std::string
      cut;  // why the counterexample need not be the one that is promised: "time", "memory", ...; empty: it is
};

// What a search has left to do when it ends. Nothing is the proof of completeness that "holds" is said upon: only an
// engine that has ended by itself, neither stopped nor sent elsewhere, hands one over.
struct Remainder {
  uint64_t open_states = 0;  // found, not expanded
  uint64_t candidates = 0;   // of the disk store: nobody knows whether they are new
  uint64_t parked = 0;       // states that wait for a solver

  [[nodiscard]] bool nothing() const { return open_states == 0 && candidates == 0 && parked == 0; }
};

struct SearchResult {
  // A value that did not fit what it was stored in (Model::overflow is kWarning): the first one of each statement.
  struct OverflowNote {
    SourcePlace place;  // line 0: of an initial value
    std::string message;
  };
  std::vector<Reason> reasons;
  std::vector<FoundError> errors;
  uint64_t error_count = 0;                 // all, also those not listed
  std::optional<FoundError> process_error;  // one that SearchOptions::only_observers left out; without its path
  std::vector<OverflowNote> overflows;
  uint64_t states_stored = 0;
  uint64_t states_matched = 0;
  uint64_t transitions = 0;          // stored + matched - 1: the initial state is no transition
  uint64_t states_before_store = 0;  // found in RAM, before the search went on, or started again, with the disk store
  UsedOrder order = UsedOrder::kDepthFirst;
  // Steps on the longest path that was followed from the initial state to an expanded state. A step is one of the
  // step mode; the simple engine counts depth-first as SPIN does: every basic step is one, a rendezvous two.
  uint64_t depth_reached = 0;
  uint64_t endless_atomic = 0;     // states from which an atomic sequence that never ends was cut
  uint64_t state_bytes_max = 0;    // largest state vector
  uint64_t memory_peak_bytes = 0;  // of the process
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::optional<Shortening> shortening;
  bool interrupted = false;
  bool set_aside = false;  // to be begun anew (Turn::must_set_aside)
  // Every state that was found was expanded: the engine has proved it (Remainder).
  bool all_expanded = false;
  ReachedLocations locations;
  std::optional<KeyFigures> keys;  // fast engine only
  std::vector<RankFigures> ranks;  // by rank; empty: the search was on one machine
  std::optional<Profile> profile;  // if it was asked for, and there can be one
  SearchStatistics statistics;

  // "Holds" needs a proof of completeness and no reason against it, so that no code path can print it without one or
  // beside the other.
  [[nodiscard]] Verdict verdict() const {
    if (error_count > 0) return Verdict::kViolated;
    return complete() ? Verdict::kHolds : Verdict::kIncomplete;
  }
  void add_reason(Reason reason);  // once
  // Every reachable state was expanded.
  [[nodiscard]] bool all_states() const;
  // Every reachable state was expanded and every property of the text decided.
  [[nodiscard]] bool complete() const { return all_expanded && reasons.empty(); }
};

}  // namespace cmc
