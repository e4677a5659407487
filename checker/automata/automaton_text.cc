#include "checker/automata/automaton_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/automata/claim.h"
#include "ir/print.h"

namespace cmc::automata {

namespace {

// In parentheses, unless a `!` in front means all of it anyway.
std::string operand_text(const Model& model, ExpressionId atom) {
  std::string text = expression_text(model, nullptr, atom);
  const bool whole = text.starts_with('(') || std::ranges::all_of(text, is_word_character);
  return whole ? text : "(" + text + ")";
}

// SPIN refuses !empty(q), but knows nempty(q).
std::string negation_text(const Model& model, ExpressionId atom) {
  const std::string text = expression_text(model, nullptr, atom);
  switch (model.expressions[atom].op) {
    case Operator::kEmpty:
    case Operator::kFull: return "n" + text;
    case Operator::kNotEmpty:
    case Operator::kNotFull: return text.substr(1);
    default: return "!" + operand_text(model, atom);
  }
}

// How labels are written.
struct Notation {
  std::vector<std::string> atoms;
  std::vector<std::string> negated_atoms;
  std::string_view conjunction;
  std::string_view always;
};

std::string cube_text(Cube cube, const Notation& notation) {
  std::string text;
  for (size_t i = 0; i < notation.atoms.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    if (((cube.positive | cube.negative) & bit) == 0) continue;
    if (!text.empty()) text += notation.conjunction;
    text += ((cube.negative & bit) != 0 ? notation.negated_atoms : notation.atoms)[i];
  }
  return text.empty() ? std::string(notation.always) : text;
}

std::string promela_label(const Automaton::Edge& edge, const Notation& notation) {
  std::string text;
  for (const Cube cube : edge.label)
    text += fmt::format("{}({})", text.empty() ? "" : " || ", cube_text(cube, notation));
  return edge.label.size() == 1 ? text : "(" + text + ")";
}

Notation promela_notation(const Model& model, const Automaton& automaton) {
  Notation notation = {{}, {}, " && ", "1"};
  for (const ExpressionId atom : automaton.atoms) {
    notation.atoms.push_back(operand_text(model, atom));
    notation.negated_atoms.push_back(negation_text(model, atom));
  }
  return notation;
}

std::string never_text(const Model& model, const Automaton& automaton, const std::string& name,
                       const std::string& title) {
  const Notation notation = promela_notation(model, automaton);
  std::string text = fmt::format("never {} {{  /* {} */\n", name, title);
  for (uint32_t number = 0; number < automaton.states.size(); ++number) {
    const Automaton::State& state = automaton.states[number];
    text += fmt::format("{}:\n\tdo\n", state_label(automaton, number));
    for (const Automaton::Edge& edge : state.edges) {
      text += fmt::format("\t:: {} -> goto {}\n", promela_label(edge, notation), state_label(automaton, edge.target));
    }
    if (state.edges.empty()) text += "\t:: (0) -> skip\n";
    text += "\tod;\n";
  }
  return text + "}\n";
}

bool is_deterministic(const Automaton& automaton) {
  const auto overlap = [](const Automaton::Edge& a, const Automaton::Edge& b) {
    return std::ranges::any_of(
        a.label, [&](Cube x) { return std::ranges::any_of(b.label, [&](Cube y) { return !(x & y).empty(); }); });
  };
  return std::ranges::all_of(automaton.states, [&](const Automaton::State& state) {
    return std::ranges::all_of(state.edges, [&](const Automaton::Edge& a) {
      return std::ranges::none_of(state.edges, [&](const Automaton::Edge& b) { return &a != &b && overlap(a, b); });
    });
  });
}

std::string hoa_text(const Model& model, const Automaton& automaton, const std::string& name,
                     const std::string& title) {
  std::string text = fmt::format("HOA: v1\nname: {}\nStates: {}\nStart: 0\nAP: {}",
                                 double_quoted(name + ": " + title), automaton.states.size(), automaton.atoms.size());
  Notation notation = {{}, {}, "&", "t"};
  for (size_t i = 0; i < automaton.atoms.size(); ++i) {
    text += " " + double_quoted(expression_text(model, nullptr, automaton.atoms[i]));
    notation.atoms.push_back(std::to_string(i));
    notation.negated_atoms.push_back(fmt::format("!{}", i));
  }
  text +=
      fmt::format("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc{}\n",
                  is_deterministic(automaton) ? " deterministic" : "");
  text += "--BODY--\n";
  for (size_t number = 0; number < automaton.states.size(); ++number) {
    text += fmt::format("State: {}{}\n", number, automaton.states[number].accepting ? " {0}" : "");
    for (const Automaton::Edge& edge : automaton.states[number].edges) {
      std::string label;
      for (const Cube cube : edge.label) label += (label.empty() ? "" : " | ") + cube_text(cube, notation);
      text += fmt::format("[{}] {}\n", label, edge.target);
    }
  }
  return text + "--END--\n";
}

std::string dot_text(const Model& model, const Automaton& automaton, const std::string& name,
                     const std::string& title) {
  const Notation notation = promela_notation(model, automaton);
  std::string text =
      fmt::format("digraph {} {{\n  label = {}\n  rankdir = LR\n  start [shape = point]\n  start -> 0\n",
                  double_quoted(name), double_quoted(title));
  for (uint32_t number = 0; number < automaton.states.size(); ++number) {
    const Automaton::State& state = automaton.states[number];
    text += fmt::format("  {} [label = {}, shape = {}]\n", number, double_quoted(state_label(automaton, number)),
                        state.accepting ? "doublecircle" : "circle");
    for (const Automaton::Edge& edge : state.edges) {
      text +=
          fmt::format("  {} -> {} [label = {}]\n", number, edge.target, double_quoted(promela_label(edge, notation)));
    }
  }
  return text + "}\n";
}

}  // namespace

std::string automaton_text(const Model& model, const Automaton& automaton, const std::string& name,
                           const std::string& title, Format format) {
  switch (format) {
    case Format::kNever: return never_text(model, automaton, name, title);
    case Format::kHoa: return hoa_text(model, automaton, name, title);
    case Format::kDot: return dot_text(model, automaton, name, title);
  }
  return {};
}

}  // namespace cmc::automata
