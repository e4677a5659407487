#include "checker/automata/weak_deterministic.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "checker/automata/components.h"
#include "checker/automata/simplify.h"

namespace cmc::automata {

namespace {

using Targets = std::vector<std::vector<uint32_t>>;  // by state, by letter or by edge

bool accepts(const Graph& graph, uint32_t state) {
  return !graph.states[state].empty() && graph.states[state][0].marks == graph.all_marks;
}

// Complete: each state has one target for each letter.
struct Deterministic {
  Targets targets;              // [state][letter]
  std::vector<bool> accepting;  // by state
};

// Nothing: there are too many sets.
std::optional<Targets> powerset(const Graph& graph, size_t letters) {
  using Set = std::vector<uint32_t>;  // ascending
  std::map<Set, uint32_t> numbers;
  std::vector<Set> sets;
  const auto number_of = [&](const Set& set) {
    const auto [place, is_new] = numbers.try_emplace(set, static_cast<uint32_t>(sets.size()));
    if (is_new) sets.push_back(set);
    return place->second;
  };
  number_of({0});
  Targets targets;
  while (targets.size() < sets.size()) {
    if (sets.size() > kMostStatesOfDeterministic) return std::nullopt;
    const Set set = sets[targets.size()];
    std::vector<uint32_t> row;
    for (uint32_t letter = 0; letter < letters; ++letter) {
      Set next;
      for (const uint32_t state : set) {
        for (const Graph::Edge& edge : graph.states[state]) {
          if (edge.cube.contains(letter)) next.push_back(edge.target);
        }
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      row.push_back(number_of(next));
    }
    targets.push_back(std::move(row));
  }
  return targets;
}

// Runs a deterministic automaton beside another one: its states that lie on a cycle on which the other one accepts.
std::vector<bool> on_accepting_cycle(const Targets& deterministic, const Graph& graph) {
  const size_t width = graph.states.size();
  Targets product(deterministic.size() * width);
  std::vector<bool> reached(product.size());
  std::vector<uint32_t> todo = {0};
  reached[0] = true;
  while (!todo.empty()) {
    const uint32_t node = todo.back();
    todo.pop_back();
    const std::vector<uint32_t>& row = deterministic[node / width];
    for (const Graph::Edge& edge : graph.states[node % width]) {
      for (uint32_t letter = 0; letter < row.size(); ++letter) {
        if (!edge.cube.contains(letter)) continue;
        product[node].push_back(static_cast<uint32_t>(row[letter] * width + edge.target));
      }
    }
    std::sort(product[node].begin(), product[node].end());
    product[node].erase(std::unique(product[node].begin(), product[node].end()), product[node].end());
    for (const uint32_t target : product[node]) {
      if (!reached[target]) todo.push_back(target);
      reached[target] = true;
    }
  }
  const Components components = components_of(product);
  std::vector<bool> accepting(components.count());
  for (uint32_t node = 0; node < product.size(); ++node) {
    const uint32_t component = components.of[node];
    const bool on_cycle = reached[node] && components.nontrivial[component];
    if (on_cycle && accepts(graph, static_cast<uint32_t>(node % width))) accepting[component] = true;
  }
  std::vector<bool> result(deterministic.size());
  for (uint32_t node = 0; node < product.size(); ++node) {
    if (accepting[components.of[node]]) result[node / width] = true;
  }
  return result;
}

// Spreads acceptance over components, and chooses it for states that no run comes back to so that states with the
// same words are equal to an automaton on finite words: the colour of a state is the greatest one that falls along
// edges, is constant in components, and is even in those that accept and odd in those that do not.
std::vector<bool> maximal_acceptance(const Targets& targets, const std::vector<bool>& accepting_states) {
  const Components components = components_of(targets);
  std::vector<bool> accepting(components.count());
  Targets members(components.count());
  for (uint32_t state = 0; state < targets.size(); ++state) {
    members[components.of[state]].push_back(state);
    if (accepting_states[state]) accepting[components.of[state]] = true;
  }
  std::vector<uint32_t> colors(components.count());
  std::vector<bool> result(targets.size());
  for (uint32_t i = 0; i < members.size(); ++i) {
    uint32_t color = static_cast<uint32_t>(2 * members.size());
    for (const uint32_t state : members[i]) {
      for (const uint32_t target : targets[state]) {
        if (components.of[target] != i) color = std::min(color, colors[components.of[target]]);
      }
    }
    if (components.nontrivial[i] && (color % 2 == 0) != accepting[i]) --color;
    colors[i] = color;
    for (const uint32_t state : members[i]) result[state] = color % 2 == 0;
  }
  return result;
}

// Moore's partition refinement. By state: its class; the initial state has class 0.
std::vector<uint32_t> equivalence_classes(const Deterministic& automaton) {
  std::vector<uint32_t> classes(automaton.targets.size(), 0);
  for (size_t count = 0;;) {
    std::map<std::vector<uint32_t>, uint32_t> numbers;
    std::vector<uint32_t> refined;
    for (size_t state = 0; state < classes.size(); ++state) {
      std::vector<uint32_t> signature = {classes[state], automaton.accepting[state] ? 1u : 0u};
      for (const uint32_t target : automaton.targets[state]) signature.push_back(classes[target]);
      const auto number = static_cast<uint32_t>(numbers.size());
      refined.push_back(numbers.try_emplace(std::move(signature), number).first->second);
    }
    classes = std::move(refined);
    if (numbers.size() == count) return classes;
    count = numbers.size();
  }
}

Graph with_cubes(const Deterministic& automaton, const std::vector<uint32_t>& classes, size_t atoms) {
  const uint32_t all_atoms = (uint32_t{1} << atoms) - 1;
  Graph graph;
  graph.all_marks = 1;
  for (size_t state = 0; state < classes.size(); ++state) {
    if (classes[state] != graph.states.size()) continue;
    std::map<uint32_t, std::vector<Cube>> cubes;
    for (uint32_t letter = 0; letter <= all_atoms; ++letter) {
      cubes[classes[automaton.targets[state][letter]]].push_back({letter, all_atoms & ~letter});
    }
    auto& edges = graph.states.emplace_back();
    for (auto& [target, label] : cubes) {
      minimize(label);
      for (const Cube cube : label) edges.push_back({target, cube, automaton.accepting[state] ? Marks{1} : Marks{0}});
    }
  }
  return graph;
}

}  // namespace

std::optional<Graph> weak_deterministic(const Graph& graph, const Graph& complement, size_t atoms) {
  std::optional<Targets> targets = powerset(graph, size_t{1} << atoms);
  if (!targets) return std::nullopt;
  Deterministic automaton;
  automaton.accepting = maximal_acceptance(*targets, on_accepting_cycle(*targets, graph));
  automaton.targets = std::move(*targets);
  const std::vector<bool> refused = on_accepting_cycle(automaton.targets, complement);
  for (size_t state = 0; state < refused.size(); ++state) {
    if (refused[state] && automaton.accepting[state]) return std::nullopt;
  }
  Graph result = with_cubes(automaton, equivalence_classes(automaton), atoms);
  simplify(result, Acceptance::kOfStates);
  if (result.states.size() > graph.states.size()) return std::nullopt;
  return result;
}

}  // namespace cmc::automata
