#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/por/hindrances.h"
#include "storage/options/store_figures.h"

// Figures about a search beside its counts.

namespace cmc {

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
  bool reduces = false;           // partial-order reduction was on
  uint64_t reducible_states = 0;  // expanded ones in which several processes could move
  uint64_t reduced_states = 0;    // in which it left out steps
  uint64_t left_out_steps = 0;
  // Steps of a process in a state (checker/keys/carried_steps.h): known from the state's parent, not looked up;
  // counted by themselves, not taken; whether that was given up because too few of them were.
  uint64_t carried_steps = 0;
  uint64_t asleep_steps = 0;
  bool carrying_given_up = false;
  std::vector<HindranceText> hindrances;  // that stood against leaving out more, the commonest first
  // Processes of one proctype, at most at a time.
  struct Alike {
    std::string proctype;
    uint32_t processes = 0;
    std::string told_apart;  // why, as "uses _pid"; empty: they are not
  };
  std::optional<std::vector<Alike>> alike;  // none: symmetry reduction was off
  uint64_t memo_clears = 0;                 // for lack of room
  uint64_t memo_bytes = 0;
  uint64_t set_bytes = 0;
  unsigned set_bits = 0;  // of a key in the set, condensed; 0: unknown
  uint64_t component_bytes = 0;
  uint64_t open_bytes = 0;  // stacks and queues, at the end of the search
  uint32_t threads = 1;
};

// Of one of the machines of a search (checker/ranks).
struct RankFigures {
  std::string host;
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t candidates_sent = 0;  // to other ranks, without those that were twice in a batch
  uint64_t candidates_twice = 0;
  uint64_t batches_sent = 0;
  uint64_t bytes_sent = 0;
  uint64_t content_bytes_sent = 0;  // of them: contents
  uint64_t memory_peak_bytes = 0;
};

// Figures that only the histogram log reports (checker/report/logs/search_log.h). All are those until the end of the
// search, also of one that was cut.
struct SearchStatistics {
  bool collected = false;         // by the engine; if not, all of these are unknown, not 0
  uint64_t single_successor = 0;  // expanded states with one successor
  uint64_t dead_ends = 0;         // expanded states without a successor
  uint64_t asleep_steps = 0;      // of created states: nobody asked whether they are new (KeyFigures)
  // Depth-first with the disk store: expanded states that depth-first order had to leave, since no successor was
  // known to be new and at least one had become a candidate; of them, those with more than one successor. 0 in other
  // orders.
  uint64_t dfs_problems = 0;
  uint64_t dfs_problems_real = 0;
  std::map<uint32_t, uint64_t>
      state_sizes;  // created states (each successor handed out) by bytes of the state vector
  // With hash compaction on disk: new states that are expected to have been taken for seen ones.
  std::optional<double> expected_omissions;
  std::optional<StoreFigures> store;  // none: the states were kept in RAM, without caches and disk
  // Beside them; logs of 2006 do not tell. Partitions that were looked up in StoreFigures::explicit_lookups; how long
  // threads waited for files, each for itself: wall-clock time.
  std::optional<uint64_t> explicit_partitions;
  std::optional<double> disk_wait_seconds;
};

}  // namespace cmc
