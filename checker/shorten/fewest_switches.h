#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/shorten/statement_graph.h"

namespace cmc {

// Where a path may end: in a state of the graph, with more steps behind it.
struct PathEnd {
  StatementGraph::Id state = 0;
  std::vector<Step> steps;
};

struct SwitchingPath {
  std::vector<Step> path;
  size_t end = 0;  // index of its end
  uint64_t switches = 0;
};

// Of all paths in the graph to one of the ends that are as short as possible, one with the fewest switches: the
// number of steps that share no process with the one before. (A rendezvous is a step of two processes; moves of a
// claim are none.) Of several: the end that comes first, then the steps that do, from the back. All ends are equally
// far away.
//
// First the states are marked from which an end can be reached in time, level by level backwards; then, forwards,
// each of these keeps for each process that can have moved last how few switches that takes. Time: that of expanding
// the marked states once more. None: the effort was spent. REQUIRES: the graph keeps edges; its states in front of
// the ends are expanded.
[[nodiscard]] std::optional<SwitchingPath> path_with_fewest_switches(StatementGraph& graph,
                                                                     std::span<const PathEnd> ends, Effort& effort);

}  // namespace cmc
