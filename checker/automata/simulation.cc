#include "checker/automata/simulation.h"

#include <algorithm>

namespace cmc::automata {

Simulation::Simulation(const Graph& graph) : states_(graph.states.size()), pairs_(states_ * states_, true) {
  // A pair is looked at again only if pairs with targets of both were removed.
  std::vector<bool> again_left(states_, true);
  std::vector<bool> again_right(states_, true);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<bool> removed_left(states_);
    std::vector<bool> removed_right(states_);
    for (uint32_t q = 0; q < states_; ++q) {
      for (uint32_t p = 0; p < states_; ++p) {
        const bool stays = p == q || !again_left[q] || !again_right[p] || !simulates(q, p) || step_holds(graph, q, p);
        if (stays) continue;
        pairs_[q * states_ + p] = false;
        removed_left[q] = removed_right[p] = changed = true;
      }
    }
    const auto leads_to = [&](const std::vector<bool>& removed, uint32_t state) {
      return std::ranges::any_of(graph.states[state], [&](const Graph::Edge& edge) { return removed[edge.target]; });
    };
    for (uint32_t state = 0; state < states_; ++state) {
      again_left[state] = leads_to(removed_left, state);
      again_right[state] = leads_to(removed_right, state);
    }
  }
}

bool Simulation::step_holds(const Graph& graph, uint32_t q, uint32_t p) const {
  return std::ranges::all_of(graph.states[p], [&](const Graph::Edge& edge) {
    std::vector<Cube> answers;
    for (const Graph::Edge& answer : graph.states[q]) {
      if (as_good(answer, edge)) answers.push_back(answer.cube);
    }
    return covered(edge.cube, answers);
  });
}

}  // namespace cmc::automata
