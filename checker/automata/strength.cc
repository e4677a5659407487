#include "checker/automata/strength.h"

#include <algorithm>

#include "checker/automata/components.h"

namespace cmc::automata {

namespace {

using Targets = std::vector<std::vector<uint32_t>>;

Targets targets_of(const Proctype& claim) {
  Targets targets(claim.locations.size());
  for (size_t location = 0; location < targets.size(); ++location) {
    for (const Edge& edge : claim.locations[location].edges) {
      if (edge.target != 0) targets[location].push_back(edge.target);
    }
  }
  return targets;
}

// By location: accepting, and only entered between steps of the system.
std::vector<bool> surely_accepting(const Proctype& claim) {
  std::vector<bool> result;
  for (const Location& location : claim.locations) result.push_back(location.accepting);
  for (const Location& location : claim.locations) {
    for (const Edge& edge : location.edges) {
      if (edge.atomic) result[edge.target] = false;
    }
  }
  return result;
}

bool always_executable(const Model& model, const Edge& edge) {
  const Statement& statement = model.statements[edge.statement];
  if (edge.atomic) return false;
  if (statement.kind == StatementKind::kSkip) return true;
  if (statement.kind != StatementKind::kCondition) return false;
  const Expression& condition = model.expressions[statement.expression];
  return condition.op == Operator::kConstant && condition.value != 0;
}

bool has_accept_labels(const Model& model) {
  return std::ranges::any_of(model.proctypes, [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, &Location::accepting);
  });
}

}  // namespace

std::vector<Strength> strengths(const Model& model, const Proctype& claim) {
  const Targets targets = targets_of(claim);
  const Components components = components_of(targets);
  const std::vector<bool> accepts = surely_accepting(claim);
  Targets past_accepting = targets;  // the graph without the locations that surely accept
  for (size_t location = 0; location < targets.size(); ++location) {
    if (accepts[location]) past_accepting[location].clear();
    std::erase_if(past_accepting[location], [&](uint32_t target) { return accepts[target]; });
  }
  const Components other_cycles = components_of(past_accepting);

  const bool labels = has_accept_labels(model);
  std::vector<bool> accepting(components.count(), labels);
  std::vector<bool> weak(components.count(), true);
  std::vector<bool> complete(components.count(), true);
  for (size_t location = 0; location < targets.size(); ++location) {
    const uint32_t component = components.of[location];
    const std::vector<Edge>& edges = claim.locations[location].edges;
    if (claim.locations[location].accepting) accepting[component] = true;
    if (other_cycles.nontrivial[other_cycles.of[location]]) weak[component] = false;
    const bool always_stays = std::ranges::any_of(edges, [&](const Edge& edge) {
      return edge.target != 0 && components.of[edge.target] == component && always_executable(model, edge);
    });
    if (!always_stays) complete[component] = false;
  }
  std::vector<Strength> result(targets.size(), Strength::kNone);
  for (size_t location = 0; location < targets.size(); ++location) {
    const uint32_t component = components.of[location];
    if (!components.nontrivial[component] || !accepting[component]) continue;
    result[location] = !weak[component]      ? Strength::kStrong
                       : complete[component] ? Strength::kTerminal
                                             : Strength::kWeak;
  }
  return result;
}

}  // namespace cmc::automata
