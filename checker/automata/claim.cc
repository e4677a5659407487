#include "checker/automata/claim.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/automata/predicates.h"
#include "ir/print.h"

namespace cmc::automata {

namespace {

ExpressionId cube_expression(Model& model, const Automaton& automaton, Cube cube) {
  std::vector<ExpressionId> literals;
  for (size_t i = 0; i < automaton.atoms.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if ((cube.positive & bit) != 0) literals.push_back(automaton.atoms[i]);
    if ((cube.negative & bit) != 0) literals.push_back(negation(model, automaton.atoms[i]));
  }
  return conjunction(model, literals);
}

ExpressionId label_expression(Model& model, const Automaton& automaton, const Automaton::Edge& edge) {
  std::vector<ExpressionId> cubes;
  for (const Cube cube : edge.label) cubes.push_back(cube_expression(model, automaton, cube));
  return disjunction(model, cubes);
}

StatementId add_condition(Model& model, ExpressionId condition, SourcePlace place) {
  Statement statement;
  statement.kind = StatementKind::kCondition;
  statement.expression = condition;
  statement.place = place;
  model.statements.push_back(std::move(statement));
  const auto id = static_cast<StatementId>(model.statements.size() - 1);
  model.statements[id].text = build_statement_text(model, nullptr, id);
  return id;
}

}  // namespace

std::string state_label(const Automaton& automaton, uint32_t number) {
  const Automaton::State& state = automaton.states[number];
  const bool stays = state.accepting && state.edges.size() == 1 && state.edges[0].target == number &&
                     state.edges[0].label == std::vector<Cube>{Cube{}};
  if (stays && number != 0) return "accept_all";
  const std::string suffix = number == 0 ? "init" : fmt::format("S{}", number);
  return (state.accepting ? "accept_" : "T0_") + suffix;
}

uint32_t add_claim(Model& model, const Automaton& automaton, const std::string& name, SourcePlace place) {
  Proctype claim;
  claim.name = name;
  claim.place = place;
  claim.locations.resize(automaton.states.size() + 2);
  claim.start = 1;
  claim.end = static_cast<LocationId>(automaton.states.size() + 1);
  claim.locations[claim.end].valid_end = true;
  for (uint32_t state = 0; state < automaton.states.size(); ++state) {
    Location& location = claim.locations[state + 1];
    location.place = place;
    location.accepting = automaton.states[state].accepting;
    location.labels = {state_label(automaton, state)};
    for (const Automaton::Edge& edge : automaton.states[state].edges) {
      Edge& move = location.edges.emplace_back();
      move.statement = add_condition(model, label_expression(model, automaton, edge), place);
      move.target = static_cast<LocationId>(edge.target + 1);
    }
    location.text = location.edges.empty() ? "(0)" : model.statements[location.edges[0].statement].text;
  }
  model.claims.push_back(std::move(claim));
  return static_cast<uint32_t>(model.claims.size() - 1);
}

}  // namespace cmc::automata
