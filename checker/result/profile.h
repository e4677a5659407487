#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc {

// Where the time of a search goes (docs/profile.md). Counts are those of the steps that the search took, remembered
// or not. Times are in seconds of CPU time of all threads: each computation is measured, the rest is shared out.
struct Profile {
  // The parts of the search's CPU time.
  struct Cost {
    double selection = 0;  // generator: is the statement executable?
    double execution = 0;  // generator: the statement, and the copy of the state
    double keys = 0;       // rest of computing steps: unpacking states, numbering contents, remembering
    double look_ups = 0;   // of remembered steps
    double storing = 0;    // the set of states, open states, and all other work
    [[nodiscard]] double total() const { return selection + execution + keys + look_ups + storing; }
    Cost& operator+=(const Cost& other);
  };
  struct Counts {
    uint64_t tried = 0;          // how often a process was where it has this edge, and the edge was looked at
    uint64_t executable = 0;     // of these
    uint64_t executed = 0;       // in transitions of the search
    uint64_t computed = 0;       // executions that were computed; all others were remembered
    uint64_t transitions = 0;    // that begin with this edge; their sum is SearchResult::transitions
    uint64_t first_reached = 0;  // states that one of these transitions led to first
    Counts& operator+=(const Counts& other);
  };
  // An edge of a process, or of the claim.
  struct Edge : Counts {
    uint32_t proctype = 0;  // index; Model::proctypes.size(): the claim
    LocationId location = 0;
    uint16_t edge = 0;
    Cost cost;
    uint64_t samples = 0;              // tries that were computed
    double selection_nanoseconds = 0;  // of one
    double execution_nanoseconds = 0;
    double copied_bytes = 0;  // by one execution
    double changed_bytes = 0;
  };
  // When a try was that was computed, with those inside (of receivers), in nanoseconds.
  struct Span {
    uint32_t worker = 0;
    uint32_t edge = 0;  // index into `edges`
    int64_t begin = 0;  // since the first one
    int64_t selection = 0;
    int64_t execution = 0;
  };
  std::vector<Edge> edges;          // those that were tried, by proctype, location and number
  std::vector<Span> spans;          // thinned out, by begin
  Cost cost;                        // of the whole search
  Counts counts;                    // of all edges
  bool knows_first_reached = true;  // not with the disk store, which finds out later which states are new
  uint64_t asked = 0;  // how often the steps of a process were looked up or computed, in states that were expanded
  uint64_t computations = 0;
  uint64_t samples = 0;
  uint64_t interruptions = 0;  // tries whose time was left out
  double interrupted_seconds = 0;
  double clock_nanoseconds = 0;  // cost of a reading, which was subtracted
};

}  // namespace cmc
