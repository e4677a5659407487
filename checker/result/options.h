#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/enum_names.h"
#include "storage/files/file_system.h"
#include "storage/options/evaluator.h"
#include "storage/options/page_codec.h"

namespace cmc {

class Checkpoints;
class Clock;
class PendingGuards;
class Ranks;
class Turn;

// How visited states are kept beyond memory.
enum class Beyond : uint8_t {
  kAuto,    // sorted, if nothing of the caches was asked for
  kCached,  // Bloom filter, lossy cache, pages: a state is decided when it is met, if the caches can
  kSorted,  // sorted rounds: candidates are decided together, a partition at a time
};
inline constexpr EnumName<Beyond> kBeyondNames[] = {
    {"auto", Beyond::kAuto}, {"cached", Beyond::kCached}, {"sorted", Beyond::kSorted}};

// Limits of the disk store, which takes over beyond memory (storage/cache/cached_store.h). Unset fields get defaults
// that fit the memory limit.
struct StoreSettings {
  bool enabled = false;     // at the memory limit the search continues with the disk; otherwise it stops
  bool from_start = false;  // the disk store is used from the initial state on
  Beyond beyond = Beyond::kAuto;
  std::string directory;  // parent of the run's own directory; empty: the system's directory for temporary files
  bool keep = false;      // keep the run's directory
  bool paths = true;      // it is logged how each state was reached; without, errors have no paths
  std::optional<uint64_t> bloom_bits;
  std::optional<unsigned> bloom_hashes;
  std::optional<uint64_t> lossy_capacity;  // states
  std::optional<uint64_t> reclaim_ahead;
  std::optional<double> reclaim_percent;  // the same, of the lossy capacity; not both
  std::optional<Evaluator> evaluator;
  std::optional<uint64_t> lookup_buffer;  // candidates of a partition
  std::optional<uint32_t> partitions;
  std::optional<uint64_t> page_bytes;
  std::optional<uint64_t> write_buffer_bytes;
  std::optional<PageCodec> codec;
  std::optional<int> zlib_level;
  std::optional<unsigned> sha1_bits;
  std::optional<FileAccess> io;
  bool async_io = false;         // storage/files/async_files.h
  uint64_t sized_for_bytes = 0;  // unset parts are sized as if that were the memory limit; 0: for the limit
  FileSystem* files = nullptr;   // null: the system's; tests pass faulty ones

  // An option that has been set and means nothing in sorted rounds; null: there is none.
  [[nodiscard]] const char* only_for_caches() const {
    if (bloom_bits) return "--bloom-bits";
    if (bloom_hashes) return "--bloom-hashes";
    if (reclaim_ahead || reclaim_percent) return "--reclaim-ahead";
    if (evaluator) return "--evaluator";
    return codec && *codec != PageCodec::kKeys ? "--page-codec" : nullptr;
  }
};

// Which runs count as counterexamples. Weak: those in which no process can always move from some moment on and does
// not.
enum class Fairness : uint8_t { kNone, kWeak };
inline constexpr EnumName<Fairness> kFairnessNames[] = {{"none", Fairness::kNone}, {"weak", Fairness::kWeak}};

enum class CycleAlgorithm : uint8_t {
  kAuto,
  kNdfs,  // nested depth-first search, with threads CNDFS: in RAM, without fairness
  kHull,  // the largest set of nodes that cannot be left backwards without passing every acceptance set
};
inline constexpr EnumName<CycleAlgorithm> kCycleAlgorithmNames[] = {
    {"auto", CycleAlgorithm::kAuto}, {"ndfs", CycleAlgorithm::kNdfs}, {"hull", CycleAlgorithm::kHull}};

// Told of reachable states: of enough of them that each value of each variable, location and channel is in one.
// Called by several threads at the same time.
class StateWatcher {
 public:
  virtual ~StateWatcher() = default;
  virtual void on_state(ByteView state) = 0;
};

struct SearchOptions {
  // kAuto: depth first in RAM; with the disk store the oldest open states first, which needs the fewest look-ups.
  enum class Order : uint8_t { kAuto, kDepthFirst, kBreadthFirst } order = Order::kAuto;
  uint64_t max_errors = 1;  // 0: all; the search continues behind each, as pan -c0
  static constexpr uint64_t kEachTrail = UINT64_MAX;
  uint64_t max_trails = 16;  // paths kept; if max_errors are more, one for each kind and place; kEachTrail: all
  uint64_t max_reported_errors = 10000;  // entries of SearchResult::errors; further ones are counted only
  uint64_t memory_limit_bytes = 0;       // 0: none
  uint64_t disk_limit_bytes = 0;         // of the store's and the checkpoints' files; 0: what the file system has
  double time_limit_seconds = 0;         // wall clock; 0: none
  uint64_t state_limit = 0;              // fast engine: about so many states; 0: none
  uint64_t computed_limit = 0;           // fast engine: about so many statements, not looked up; 0: none
  double spent_wall_seconds = 0;         // by an earlier attempt for the same result; counts towards the limit
  double spent_cpu_seconds = 0;
  bool check_end_states = true;  // invalid end states are errors (pan without -E)
  uint32_t threads = 1;          // fast engine
  bool compact_set = false;      // fast engine: fill the set of keys more, which costs time
  // Fast engine: leave out steps that make no difference to what is decided (checker/por/stubborn.h). Not together
  // with fairness, and beside a claim only if that cannot tell repeated states apart.
  bool partial_order = false;
  // Together with it: only when states on the way say that it pays (engine/later_reduction.h).
  bool only_if_it_pays = false;
  // What keeps it from putting a process off for ever. Beside a claim it is always kSticky.
  enum class Proviso : uint8_t {
    kSticky,  // locations: numbers of states depend on nothing but the model
    kQueue,   // a state none of whose chosen steps leads to a new state is expanded once more, in full (Bosnacki,
             // Leue, Lluch Lafuente, "Partial-order reduction for general state exploring algorithms", 2006). In RAM;
             // on disk it is kSticky
    kNone,  // nothing: only deadlocks are preserved
  } proviso = Proviso::kSticky;
  // Fast engine: one state for all that differ only in which of the processes that nobody tells apart is where
  // (checker/keyspace/symmetry.h). Not beside a claim or trace.
  bool symmetry = false;
  // Fast engine: an invalid end state is only reported if the generator says so, too. A plug-in can be wrong.
  bool confirm_dead_ends = false;
  bool closes_chains = false;  // the generator hands out no states inside `atomic`
  bool tight_fields = false;   // fast engine, for tests: keys have no room to grow
  bool only_by_edges = false;  // likewise: steps are put together of those of edges wherever they can be
  bool carries_steps =
      true;  // likewise: what is known of a state's steps is carried to its successors, where it pays
  // Of a model whose claim runs (Model::claim): also look for runs that pass accepting nodes for ever. A node is
  // accepting if the claim or a process is at an accepting location. The first such run found is an error
  // (FoundError::loop_start).
  bool find_cycles = false;
  bool non_progress = false;  // they are called non-progress cycles
  // Only errors of the claim and of the trace are reported. Those of the processes (assertions, run-time errors) cut
  // their paths as ever, and one of them is kept as SearchResult::process_error; another search reports them.
  bool only_observers = false;
  Fairness fairness = Fairness::kNone;
  CycleAlgorithm cycles = CycleAlgorithm::kAuto;
  StateWatcher* watcher = nullptr;               // fast engine
  bool profile = false;                          // fast engine; not beside a search for cycles, nor Proviso::kQueue
  StoreSettings store;                           // fast engine
  uint64_t memo_bytes = 0;                       // fast engine: for memoised steps, of all threads; 0: chosen
  PendingGuards* pending_guards = nullptr;       // fast engine: of the generators' decider, if that does not wait
  const std::atomic<bool>* interrupt = nullptr;  // set by a signal handler, say: the search stops soon
  // Fast engine: where the search is saved now and then, and at a limit (checker/checkpoint); null:
  // nowhere.
  Checkpoints* checkpoints = nullptr;
  bool resumes = false;  // it begins with the last one there
  // Fast engine: one search on several machines, of which this is a part (checker/ranks); null: this one is alone.
  // Sorted rounds from the start, not for cycles.
  Ranks* ranks = nullptr;
  Turn* turn = nullptr;    // among other searches (turn.h); null: this one is alone
  Clock* clock = nullptr;  // null: the system's

  // Whether the first error that is found may be reported at once, in whatever way: nobody asked for an order, for
  // all errors, for the disk or for a profile.
  [[nodiscard]] bool takes_first_errors() const {
    return order == Order::kAuto && max_errors == 1 && !profile && !store.from_start;
  }
};

inline constexpr EnumName<SearchOptions::Order> kOrderNames[] = {{"auto", SearchOptions::Order::kAuto},
                                                                 {"dfs", SearchOptions::Order::kDepthFirst},
                                                                 {"bfs", SearchOptions::Order::kBreadthFirst}};

}  // namespace cmc
