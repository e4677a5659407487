#include "checker/automata/components.h"

#include <algorithm>

namespace cmc::automata {

namespace {

constexpr uint32_t kNew = 0xffffffff;

}  // namespace

Components components_of(const std::vector<std::vector<uint32_t>>& targets) {
  struct Visit {
    uint32_t node = 0;
    size_t next = 0;  // edge
  };
  const size_t count = targets.size();
  Components result;
  result.of.assign(count, kNew);
  std::vector<uint32_t> number(count, kNew);  // in order of discovery
  std::vector<uint32_t> low(count, 0);        // the smallest number that the node is known to reach on the stack
  std::vector<uint32_t> stack;
  uint32_t discovered = 0;
  std::vector<Visit> path;
  const auto enter = [&](uint32_t node) {
    number[node] = low[node] = discovered++;
    stack.push_back(node);
    path.push_back({node, 0});
  };
  const auto close = [&](uint32_t root) {
    const uint32_t component = static_cast<uint32_t>(result.count());
    bool nontrivial = stack.back() != root;
    for (bool more = true; more; stack.pop_back()) {
      result.of[stack.back()] = component;
      more = stack.back() != root;
    }
    const std::vector<uint32_t>& edges = targets[root];
    nontrivial = nontrivial || std::find(edges.begin(), edges.end(), root) != edges.end();
    result.nontrivial.push_back(nontrivial);
  };
  for (uint32_t root = 0; root < count; ++root) {
    if (number[root] != kNew) continue;
    enter(root);
    while (!path.empty()) {
      const uint32_t node = path.back().node;
      if (path.back().next < targets[node].size()) {
        const uint32_t target = targets[node][path.back().next++];
        if (number[target] == kNew) {
          enter(target);
        } else if (result.of[target] == kNew) {
          low[node] = std::min(low[node], number[target]);
        }
        continue;
      }
      path.pop_back();
      if (low[node] == number[node]) close(node);
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    }
  }
  return result;
}

Components components_of(const Graph& graph) {
  std::vector<std::vector<uint32_t>> targets(graph.states.size());
  for (size_t state = 0; state < targets.size(); ++state) {
    for (const Graph::Edge& edge : graph.states[state]) targets[state].push_back(edge.target);
  }
  return components_of(targets);
}

}  // namespace cmc::automata
