#include "checker/automata/translate.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "checker/automata/degeneralize.h"
#include "checker/automata/generalized.h"
#include "checker/automata/read_formula.h"
#include "checker/automata/simplify.h"
#include "checker/automata/weak_deterministic.h"

namespace cmc::automata {

namespace {

constexpr size_t kMostEdgesMadeDeterministic = 256;

Automaton with_joined_edges(const Graph& graph) {
  Automaton automaton;
  for (const std::vector<Graph::Edge>& edges : graph.states) {
    Automaton::State& state = automaton.states.emplace_back();
    std::map<uint32_t, std::vector<Cube>> labels;
    for (const Graph::Edge& edge : edges) {
      state.accepting = edge.marks != 0;
      labels[edge.target].push_back(edge.cube);
    }
    for (auto& [target, label] : labels) state.edges.push_back({target, std::move(label)});
  }
  return automaton;
}

std::optional<Graph> plain_automaton(const Formulas& formulas, FormulaId root, GraphLimits limits) {
  std::optional<Graph> generalized = generalized_automaton(formulas, root, limits);
  if (!generalized) return std::nullopt;
  simplify(*generalized, Acceptance::kOfEdges);
  if (generalized->edge_count() <= kMostEdgesMadeDeterministic) make_more_deterministic(*generalized);
  std::optional<Graph> plain = degeneralize(*generalized, limits);
  if (!plain) return std::nullopt;
  simplify(*plain, Acceptance::kOfStates);
  return plain;
}

// Of few states and atoms: a deterministic automaton for `root`, if there is a small one.
std::optional<Graph> deterministic(const Graph& graph, Formulas& formulas, FormulaId root, size_t atoms) {
  const size_t most = kMostStatesOfDeterministic;
  if (atoms > kMostAtomsOfDeterministic || graph.states.size() > most) return std::nullopt;
  const GraphLimits limits = {most, 16 * most};
  const std::optional<Graph> complement = plain_automaton(formulas, formulas.negation(root), limits);
  return complement ? weak_deterministic(graph, *complement, atoms) : std::nullopt;
}

// The automaton of `formula.root`.
Result<Automaton> translate(ReadFormula formula) {
  std::optional<Graph> graph = plain_automaton(formula.formulas, formula.root, GraphLimits{});
  if (!graph) {
    return Error{
        fmt::format("the formula is too large: with {} operators and atoms, {} of them different atoms, its "
                    "automaton has more than {} states, or too many edges",
                    formula.size, formula.atoms.size(), GraphLimits{}.states)};
  }
  std::optional<Graph> smaller = deterministic(*graph, formula.formulas, formula.root, formula.atoms.size());
  if (smaller) graph = std::move(smaller);
  make_more_deterministic(*graph);
  Automaton automaton = with_joined_edges(*graph);
  automaton.atoms = std::move(formula.atoms);
  return automaton;
}

}  // namespace

Result<Automaton> automaton_of(const Model& model, uint32_t formula) {
  CMC_TRY(ReadFormula read, read_formula(model, formula));
  return translate(std::move(read));
}

Result<Automaton> automaton_of_violations(const Model& model, uint32_t formula) {
  CMC_TRY(ReadFormula violations, read_formula(model, formula));
  violations.root = violations.formulas.negation(violations.root);
  return translate(std::move(violations));
}

}  // namespace cmc::automata
