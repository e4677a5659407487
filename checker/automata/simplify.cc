#include "checker/automata/simplify.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "checker/automata/components.h"
#include "checker/automata/simulation.h"

namespace cmc::automata {

namespace {

constexpr size_t kMostSimulated = 256;  // states

using Edge = Graph::Edge;
using Edges = std::vector<Edge>;
using Mapping = std::vector<uint32_t>;  // from states to states

// Leads each edge to the state that stands for its target, and drops what cannot be reached then.
void redirect(Graph& graph, const Mapping& standing_for) {
  constexpr uint32_t kUnreached = 0xffffffff;
  Mapping number(graph.states.size(), kUnreached);
  std::vector<Edges> states;
  std::vector<uint32_t> order;
  const auto reach = [&](uint32_t state) {
    const uint32_t target = standing_for[state];
    if (number[target] == kUnreached) {
      number[target] = static_cast<uint32_t>(order.size());
      order.push_back(target);
    }
    return number[target];
  };
  reach(0);
  for (size_t i = 0; i < order.size(); ++i) {
    Edges& edges = states.emplace_back(std::move(graph.states[order[i]]));
    for (Edge& edge : edges) edge.target = reach(edge.target);
  }
  graph.states = std::move(states);
}

Mapping identity(const Graph& graph) {
  Mapping mapping(graph.states.size());
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

template <class Keep>
Components components_with(const Graph& graph, Keep&& keep) {
  std::vector<std::vector<uint32_t>> targets(graph.states.size());
  for (size_t state = 0; state < targets.size(); ++state) {
    for (const Edge& edge : graph.states[state]) {
      if (keep(edge)) targets[state].push_back(edge.target);
    }
  }
  return components_of(targets);
}

// By component: whether a run can stay there and be accepting.
std::vector<bool> accepting_components(const Graph& graph, const Components& components) {
  std::vector<Marks> marks(components.count());
  for (size_t state = 0; state < graph.states.size(); ++state) {
    for (const Edge& edge : graph.states[state]) {
      if (components.of[state] == components.of[edge.target]) marks[components.of[state]] |= edge.marks;
    }
  }
  std::vector<bool> accepting(components.count());
  for (size_t i = 0; i < accepting.size(); ++i) {
    accepting[i] = components.nontrivial[i] && marks[i] == graph.all_marks;
  }
  return accepting;
}

// Drops edges to states from which no accepting component can be reached.
void drop_dead(Graph& graph) {
  const Components components = components_of(graph);
  std::vector<bool> alive = accepting_components(graph, components);
  std::vector<std::vector<uint32_t>> members(components.count());
  for (uint32_t state = 0; state < graph.states.size(); ++state) members[components.of[state]].push_back(state);
  // Edges lead to components of the same or of smaller numbers.
  for (size_t i = 0; i < members.size(); ++i) {
    for (const uint32_t state : members[i]) {
      for (const Edge& edge : graph.states[state]) alive[i] = alive[i] || alive[components.of[edge.target]];
    }
  }
  for (Edges& edges : graph.states) {
    std::erase_if(edges, [&](const Edge& edge) { return !alive[components.of[edge.target]]; });
  }
  redirect(graph, identity(graph));
}

// By component: the marks that each cycle in it has.
std::vector<Marks> marks_of_cycles(const Graph& graph, const Components& components) {
  std::vector<Marks> result(components.count(), graph.all_marks);
  for (Marks rest = graph.all_marks; rest != 0; rest &= rest - 1) {
    const Marks mark = rest & -rest;
    const Components without = components_with(graph, [&](const Edge& edge) { return (edge.marks & mark) == 0; });
    for (size_t state = 0; state < graph.states.size(); ++state) {
      if (without.nontrivial[without.of[state]]) result[components.of[state]] &= ~mark;
    }
  }
  return result;
}

// By component: the marks that need not be met there, because each cycle does, or each that meets another mark.
std::vector<Marks> implied_marks(const Graph& graph, const Components& components) {
  std::vector<Marks> implied = marks_of_cycles(graph, components);
  for (Marks rest = graph.all_marks; rest != 0; rest &= rest - 1) {
    const Marks mark = rest & -rest;
    std::vector<Marks> companions(components.count(), graph.all_marks & ~mark);
    for (size_t state = 0; state < graph.states.size(); ++state) {
      for (const Edge& edge : graph.states[state]) {
        const uint32_t component = components.of[state];
        if (component == components.of[edge.target] && (edge.marks & mark) != 0) companions[component] &= edge.marks;
      }
    }
    for (size_t i = 0; i < implied.size(); ++i) {
      if ((implied[i] & mark) == 0) implied[i] |= companions[i];
    }
  }
  return implied;
}

// Gives edges marks that do not matter where all others of the component have them, and takes them away where no run
// can use them.
void normalize_marks(Graph& graph, Acceptance acceptance) {
  const Components components = components_of(graph);
  const std::vector<bool> accepting = accepting_components(graph, components);
  const std::vector<Marks> implied = implied_marks(graph, components);
  for (size_t state = 0; state < graph.states.size(); ++state) {
    const uint32_t component = components.of[state];
    for (Edge& edge : graph.states[state]) {
      const bool stays = acceptance == Acceptance::kOfStates || components.of[edge.target] == component;
      edge.marks = accepting[component] && stays ? edge.marks | implied[component] : 0;
    }
  }
}

// One edge for the letters of several with the same target and marks, as far as cubes can say it.
void merge_edges(Graph& graph) {
  for (Edges& edges : graph.states) {
    std::map<std::pair<uint32_t, Marks>, std::vector<Cube>> cubes;
    for (const Edge& edge : edges) cubes[{edge.target, edge.marks}].push_back(edge.cube);
    edges.clear();
    for (auto& [end, group] : cubes) {
      minimize(group);
      for (const Cube cube : group) edges.push_back({end.first, cube, end.second});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }
}

// Merges states with the same edges. Where no run can come back to a state, its marks do not matter.
void merge_equal(Graph& graph) {
  const Components components = components_of(graph);
  const auto passed_once = [&](uint32_t state) { return !components.nontrivial[components.of[state]]; };
  const auto without_marks = [](Edges edges) {
    for (Edge& edge : edges) edge.marks = 0;
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  };
  Mapping mapping = identity(graph);
  std::map<Edges, uint32_t> first;
  std::map<Edges, uint32_t> first_without_marks;  // of those that runs can come back to
  for (uint32_t state = 0; state < mapping.size(); ++state) {
    mapping[state] = first.try_emplace(graph.states[state], state).first->second;
    if (!passed_once(state)) first_without_marks.try_emplace(without_marks(graph.states[state]), state);
  }
  for (uint32_t state = 0; state < mapping.size(); ++state) {
    const auto other = first_without_marks.find(without_marks(graph.states[state]));
    if (passed_once(state) && other != first_without_marks.end()) mapping[state] = mapping[other->second];
  }
  redirect(graph, mapping);
}

// Merges states that simulate each other, and drops edges that others make superfluous.
void reduce_by_simulation(Graph& graph) {
  const Simulation simulation(graph);
  Mapping mapping = identity(graph);
  for (uint32_t state = 0; state < mapping.size(); ++state) {
    for (uint32_t other = 0; other < state && mapping[state] == state; ++other) {
      if (simulation.equivalent(state, other)) mapping[state] = other;
    }
  }
  for (Edges& edges : graph.states) {
    for (size_t i = edges.size(); i-- > 0;) {
      std::vector<Cube> better;
      for (size_t j = 0; j < edges.size(); ++j) {
        if (j != i && simulation.as_good(edges[j], edges[i])) better.push_back(edges[j].cube);
      }
      if (covered(edges[i].cube, better)) edges.erase(edges.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  redirect(graph, mapping);
}

}  // namespace

void simplify(Graph& graph, Acceptance acceptance) {
  for (;;) {
    drop_dead(graph);
    normalize_marks(graph, acceptance);
    merge_edges(graph);
    const size_t states = graph.states.size();
    merge_equal(graph);
    if (graph.states.size() < states) continue;
    const size_t edges = graph.edge_count();
    if (states <= kMostSimulated) reduce_by_simulation(graph);
    if (graph.states.size() == states && graph.edge_count() == edges) break;
  }
}

void make_more_deterministic(Graph& graph) {
  if (graph.states.size() > kMostSimulated) return;
  const Simulation simulation(graph);
  for (Edges& edges : graph.states) {
    const Edges before = edges;
    for (Edge& edge : edges) {
      for (const Edge& better : before) {
        const bool strictly = simulation.as_good(better, edge) && !simulation.as_good(edge, better);
        if (!strictly || (edge.cube & better.cube).empty()) continue;
        const Cube rest = {better.cube.positive & ~edge.cube.positive, better.cube.negative & ~edge.cube.negative};
        if (std::popcount(rest.positive) + std::popcount(rest.negative) != 1) continue;
        edge.cube = edge.cube & Cube{rest.negative, rest.positive};
      }
    }
  }
}

}  // namespace cmc::automata
