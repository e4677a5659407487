#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/automata/graph.h"

namespace cmc::automata {

// The strongly connected components of a directed graph (base/components.h).
struct Components {
  std::vector<uint32_t> of;      // by node
  std::vector<bool> nontrivial;  // by component: it has an edge
  [[nodiscard]] size_t count() const { return nontrivial.size(); }
};

// `targets[node]` are the targets of its edges. Each edge leads to a component of the same or of a smaller number.
[[nodiscard]] Components components_of(const std::vector<std::vector<uint32_t>>& targets);
[[nodiscard]] Components components_of(const Graph& graph);

}  // namespace cmc::automata
