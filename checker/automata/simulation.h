#pragma once

#include <cstdint>
#include <vector>

#include "checker/automata/graph.h"

namespace cmc::automata {

// Direct simulation: the greatest relation in which q simulates p only if q has, for each letter on each edge of p,
// an edge with that letter and no fewer marks whose target simulates that edge's target. So q accepts all words of p.
// Computed by removing pairs until nothing changes; meant for some hundred states.
class Simulation {
 public:
  explicit Simulation(const Graph& graph);

  [[nodiscard]] bool simulates(uint32_t q, uint32_t p) const { return pairs_[q * states_ + p]; }
  [[nodiscard]] bool equivalent(uint32_t p, uint32_t q) const { return simulates(p, q) && simulates(q, p); }
  // Whether it costs nothing to take `better` instead of `edge` for the letters of both.
  [[nodiscard]] bool as_good(const Graph::Edge& better, const Graph::Edge& edge) const {
    return (edge.marks & ~better.marks) == 0 && simulates(better.target, edge.target);
  }

 private:
  [[nodiscard]] bool step_holds(const Graph& graph, uint32_t q, uint32_t p) const;

  size_t states_ = 0;
  std::vector<bool> pairs_;  // [q * states + p]: q simulates p
};

}  // namespace cmc::automata
