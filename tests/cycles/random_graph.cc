#include "tests/cycles/random_graph.h"

#include <functional>

namespace cmc {

Expected::Expected(const NumberedGraph& graph) : reachable(graph.size(), false), component(graph.size(), ~0U) {
  std::vector<uint32_t> number(graph.size(), 0);
  std::vector<uint32_t> lowest(graph.size(), 0);
  std::vector<uint32_t> stack;
  uint32_t next = 1;
  const std::function<void(uint32_t)> visit = [&](uint32_t node) {
    reachable[node] = true;
    number[node] = lowest[node] = next++;
    stack.push_back(node);
    for (const auto& arc : graph.arcs[node]) {
      if (number[arc.target] == 0) {
        visit(arc.target);
        lowest[node] = std::min(lowest[node], lowest[arc.target]);
      } else if (component[arc.target] == ~0U) {
        lowest[node] = std::min(lowest[node], number[arc.target]);
      }
    }
    if (lowest[node] < number[node]) return;
    const auto its = static_cast<uint32_t>(fair.size());
    fair.push_back(false);
    for (uint32_t popped = ~0U; popped != node;) {
      popped = stack.back();
      stack.pop_back();
      component[popped] = its;
    }
  };
  visit(0);
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

bool is_accepting_lasso(const NumberedGraph& graph, const std::vector<uint32_t>& stem,
                        const std::vector<uint32_t>& loop) {
  if (loop.empty()) return false;
  std::vector<uint32_t> nodes = stem;
  nodes.insert(nodes.end(), loop.begin(), loop.end());
  nodes.push_back(loop.front());
  if (nodes.front() != 0) return false;
  uint64_t marks = 0;
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (!graph.has_arc(nodes[i], nodes[i + 1])) return false;
    for (const auto& arc : graph.arcs[nodes[i]]) {
      if (i >= stem.size() && arc.target == nodes[i + 1]) marks |= arc.marks;
    }
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
