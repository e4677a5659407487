#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "storage/store_figures.h"
#include "storage/store_options.h"

// What a search reports. The text report, the JSON result and the exit code are views of one SearchResult.

namespace cmc {

class Clock;
class FileSystem;
class PendingGuards;

enum class Verdict : uint8_t { kHolds, kViolated, kIncomplete };

// Why a search cannot say "holds". A verdict is computed from errors and reasons only (verdict()), so that no code
// path can print "holds" beside a reason.
struct Reason {
  // "memory", "time", "interrupted", "errors", "undecided", "embedded-c", "hidden", "states", "guard", "witnesses",
  // "solver"
  std::string kind;
  std::string text;  // one sentence for a person
};

// A violated property. `path` leads from the initial state to it, as basic steps; it was replayed by the reference
// interpreter before the result was handed out.
struct FoundError {
  std::string kind;     // runtime_error_name(...) or "invalid end state"
  std::string message;  // "assertion violated: x > 1"
  SourcePlace place;    // of the statement; line 0 if there is none
  uint64_t depth = 0;   // from the initial state to behind the failing step, as SearchResult::depth_reached counts
  std::vector<Step> path;
  bool has_path = false;  // paths are kept for the first SearchOptions::max_trails errors
};

struct ReachedLocations {
  std::vector<std::vector<bool>> reached;  // by proctype and location
  SourcePlace endless_atomic;  // a statement on the way round in an atomic sequence that never ends; line 0: none
};

// Beyond memory: visited states in caches and on disk (storage/cached_store.h). What is not set is chosen.
struct StoreSettings {
  bool enabled = false;     // at the memory limit the search goes on with the disk; otherwise it stops
  bool from_start = false;  // not only then
  std::string directory;    // a directory for the run is made in it; empty: in the system's one for temporary files
  bool keep = false;        // the run's directory
  std::optional<uint64_t> bloom_bits;
  std::optional<unsigned> bloom_hashes;
  std::optional<uint64_t> lossy_capacity;  // states
  std::optional<uint64_t> reclaim_ahead;
  std::optional<Evaluator> evaluator;
  std::optional<uint64_t> lookup_buffer;  // candidates of a partition
  std::optional<uint32_t> partitions;
  std::optional<uint64_t> page_bytes;
  std::optional<uint64_t> write_buffer_bytes;
  std::optional<PageCodec> codec;
  std::optional<int> zlib_level;
  std::optional<unsigned> sha1_bits;
  std::optional<FileAccess> io;
  FileSystem* files = nullptr;  // null: the system's; tests have faulty ones
};

struct SearchOptions {
  enum class Order : uint8_t { kDepthFirst, kBreadthFirst } order = Order::kDepthFirst;
  uint64_t max_errors = 1;               // 0: all; the search goes on behind each, as pan -c0
  uint64_t max_trails = 16;              // paths kept
  uint64_t max_reported_errors = 10000;  // entries of SearchResult::errors; further ones are counted only
  uint64_t memory_limit_bytes = 0;       // 0: none
  double time_limit_seconds = 0;         // wall clock; 0: none
  double spent_wall_seconds = 0;         // before this search, for the same result: counts, for the limit as well
  double spent_cpu_seconds = 0;
  bool check_end_states = true;                  // invalid end states are errors (pan without -E)
  uint32_t threads = 1;                          // fast engine
  bool compact_set = false;                      // fast engine: fill the set of keys more, which costs time
  StoreSettings store;                           // fast engine
  uint64_t memo_bytes = 0;                       // fast engine: for remembered steps, of all threads; 0: chosen
  PendingGuards* pending_guards = nullptr;       // fast engine: of the generators' decider, if that does not wait
  bool statistics = false;                       // all of SearchStatistics is wanted, also what costs time
  const std::atomic<bool>* interrupt = nullptr;  // set by a signal handler, say: the search stops soon
  Clock* clock = nullptr;                        // null: the system's
};

// How the fast engine (checker/keys) kept the states.
struct KeyFigures {
  struct Component {
    std::string name;
    uint32_t contents = 0;  // different ones seen
    uint32_t bits = 0;      // of it in a key
  };
  std::vector<Component> components;
  uint32_t key_bits = 0;
  uint32_t key_words = 0;
  uint32_t relayouts = 0;
  uint64_t memo_lookups = 0;
  uint64_t memo_misses = 0;
  uint64_t memo_clears = 0;  // for lack of room
  uint64_t memo_bytes = 0;
  uint64_t set_bytes = 0;
  uint64_t component_bytes = 0;
  uint64_t open_bytes = 0;  // stacks and queues, at the end of the search
  uint32_t threads = 1;
};

// What CMC's histogram log tells beside counts and time (checker/report/search_log.h). All figures are those until
// the end of the search, also of one that was cut.
struct SearchStatistics {
  bool collected = false;          // by the engine; if not, all of these are unknown, not 0
  uint64_t single_successor = 0;   // expanded states with one successor
  uint64_t dead_ends = 0;          // expanded states without a successor
  uint64_t dfs_problems = 0;       // expanded states all of whose successors became candidates
  uint64_t dfs_problems_real = 0;  // of them: with more than one successor
  std::map<uint32_t, uint64_t>
      state_sizes;                    // created states (each successor handed out) by bytes of the state vector
  std::optional<StoreFigures> store;  // none: the states were kept in RAM, without caches and disk
};

struct SearchResult {
  std::vector<Reason> reasons;
  std::vector<FoundError> errors;
  uint64_t error_count = 0;  // all, also those not listed
  uint64_t states_stored = 0;
  uint64_t states_matched = 0;
  uint64_t transitions = 0;          // stored + matched - 1: the initial state is no transition
  uint64_t states_before_store = 0;  // found in RAM, before the search began again with caches and disk
  // Depth-first: as SPIN counts, every basic step is one and a rendezvous two. Breadth-first: levels, so that a step
  // (as counted by the step mode) is one. Beyond memory there is no stack: a depth-first search's is that of its part
  // in RAM.
  uint64_t depth_reached = 0;
  uint64_t endless_atomic = 0;     // states from which an atomic sequence that never ends was cut
  uint64_t state_bytes_max = 0;    // largest state vector
  uint64_t memory_peak_bytes = 0;  // of the process
  double cpu_seconds = 0;
  double wall_seconds = 0;
  bool interrupted = false;
  bool complete = false;  // every reachable state was expanded; false with errors only: max_errors stopped the search
  ReachedLocations locations;
  std::optional<KeyFigures> keys;  // fast engine only
  SearchStatistics statistics;

  [[nodiscard]] Verdict verdict() const {
    if (error_count > 0) return Verdict::kViolated;
    return reasons.empty() ? Verdict::kHolds : Verdict::kIncomplete;
  }
};

}  // namespace cmc
