#include "tests/cycles/random_graph.h"

namespace cmc {

Expected::Expected(const NumberedGraph& graph) : reachable(graph.size(), false), component(graph.size(), ~0U) {
  struct Frame {
    uint32_t node = 0;
    size_t arc = 0;  // the next one
  };
  std::vector<uint32_t> number(graph.size(), 0);
  std::vector<uint32_t> lowest(graph.size(), 0);
  std::vector<uint32_t> stack;
  std::vector<Frame> path;
  uint32_t next = 1;
  const auto enter = [&](uint32_t node) {
    reachable[node] = true;
    number[node] = lowest[node] = next++;
    stack.push_back(node);
    path.push_back({node, 0});
  };
  enter(0);
  while (!path.empty()) {
    const uint32_t node = path.back().node;
    if (path.back().arc < graph.arcs[node].size()) {
      const uint32_t target = graph.arcs[node][path.back().arc++].target;
      if (number[target] == 0) {
        enter(target);
      } else if (component[target] == ~0U) {
        lowest[node] = std::min(lowest[node], number[target]);
      }
      continue;
    }
    path.pop_back();
    if (!path.empty()) lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
    if (lowest[node] < number[node]) continue;
    const auto its = static_cast<uint32_t>(fair.size());
    fair.push_back(false);
    for (uint32_t popped = ~0U; popped != node;) {
      popped = stack.back();
      stack.pop_back();
      component[popped] = its;
    }
  }
  std::vector<uint64_t> marks(fair.size(), 0);
  std::vector<bool> cyclic(fair.size(), false);
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (!reachable[node]) continue;
    for (const auto& arc : graph.arcs[node]) {
      if (component[arc.target] != component[node]) continue;
      cyclic[component[node]] = true;
      marks[component[node]] |= arc.marks;
    }
  }
  for (size_t i = 0; i < fair.size(); ++i) fair[i] = cyclic[i] && marks[i] == all_marks(graph.sets);
}

std::vector<bool> Expected::hull(const NumberedGraph& graph) const {
  std::vector<bool> hull(graph.size(), false);
  std::vector<uint32_t> open;
  const auto add = [&](uint32_t node) {
    if (hull[node] || !graph.in_region[node]) return;
    hull[node] = true;
    open.push_back(node);
  };
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (on_accepting_cycle(node)) add(node);
  }
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    for (const auto& arc : graph.arcs[node]) add(arc.target);
  }
  return hull;
}

bool is_accepting_lasso(const NumberedGraph& graph, const std::vector<NumberedGraph::Arc>& run, size_t loop) {
  if (run.size() < loop + 2 || run.front().target != 0 || run.back().target != run[loop].target) return false;
  uint64_t marks = 0;
  for (size_t i = 1; i < run.size(); ++i) {
    const auto is_it = [&](const auto& arc) { return arc.target == run[i].target && arc.marks == run[i].marks; };
    if (std::ranges::none_of(graph.arcs[run[i - 1].target], is_it)) return false;
    if (i > loop) marks |= run[i].marks;
  }
  return marks == all_marks(graph.sets);
}

NumberedGraph random_graph(std::mt19937_64& random) {
  const auto below = [&](uint64_t end) { return static_cast<uint32_t>(random() % end); };
  NumberedGraph graph;
  const uint32_t size = 1 + below(below(4) == 0 ? 6 : 60);
  graph.sets = below(7);
  graph.arcs.resize(size);
  constexpr double kDensities[] = {0.7, 1, 1.2, 1.5, 2, 3, 6};
  const auto arcs = static_cast<uint32_t>(kDensities[below(7)] * size + 1);
  const uint32_t mark_percent = 1 + below(60);
  const uint32_t back_percent = 1 + below(100);  // of arcs that may lead to a smaller number
  const auto some_marks = [&](uint32_t percent) {
    uint64_t marks = 0;
    for (uint32_t set = 0; set < graph.sets; ++set) marks |= uint64_t{below(100) < percent} << set;
    return marks;
  };
  for (uint32_t i = 0; i < arcs; ++i) {
    uint32_t from = below(size);
    uint32_t to = below(size);
    if (below(3) == 0) to = std::min(size - 1, from + below(4));  // long chains
    if (to < from && below(100) >= back_percent) std::swap(from, to);
    graph.arcs[from].push_back({to, some_marks(mark_percent)});
  }
  for (auto& its : graph.arcs) {
    const uint64_t marks = some_marks(mark_percent / 2);
    for (auto& arc : its) arc.marks |= marks;
  }
  const Expected expected(graph);
  const uint32_t out_percent = below(2) * below(100);
  for (uint32_t node = 0; node < size; ++node) {
    graph.in_region.push_back(expected.on_accepting_cycle(node) || below(100) >= out_percent);
  }
  return graph;
}

}  // namespace cmc
