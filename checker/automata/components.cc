#include "checker/automata/components.h"

#include <optional>
#include <utility>

#include "base/components.h"

namespace cmc::automata {

Components components_of(const std::vector<std::vector<uint32_t>>& targets) {
  const auto count = static_cast<uint32_t>(targets.size());
  StrongComponents found = strong_components(count, [&](uint32_t node, uint32_t i) {
    return i < targets[node].size() ? std::optional(targets[node][i]) : std::nullopt;
  });
  Components result{std::move(found.of), std::vector<bool>(found.count)};
  for (uint32_t node = 0; node < count; ++node) {
    for (const uint32_t target : targets[node]) {
      if (result.of[node] == result.of[target]) result.nontrivial[result.of[node]] = true;
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
