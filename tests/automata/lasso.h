#pragma once

#include <functional>
#include <random>
#include <vector>

#include "checker/automata/automaton.h"
#include "checker/automata/evaluate.h"

// Words that end in a loop, and questions about automata, answered by brute force.

namespace cmc::test {

// Bit i of a letter is the truth of atom i of a list.
struct LassoWord {
  std::vector<uint32_t> letters;
  size_t loop_start = 0;

  [[nodiscard]] size_t successor(size_t position) const {
    return position + 1 < letters.size() ? position + 1 : loop_start;
  }
  [[nodiscard]] automata::Lasso with_atoms(const std::vector<ExpressionId>& atoms) const {
    return {letters.size(), loop_start, [this, &atoms](size_t position, ExpressionId atom) {
              size_t number = 0;
              while (atoms[number] != atom) ++number;
              return ((letters[position] >> number) & 1) != 0;
            }};
  }
};

inline LassoWord random_word(std::mt19937_64& engine, unsigned atoms) {
  LassoWord word;
  word.letters.resize(1 + engine() % 8);
  for (uint32_t& letter : word.letters) letter = static_cast<uint32_t>(engine() % (uint64_t{1} << atoms));
  word.loop_start = engine() % word.letters.size();
  return word;
}

// Nodes that can be reached from `from` by at least one edge.
inline std::vector<bool> reached(const std::vector<std::vector<size_t>>& successors, size_t from) {
  std::vector<bool> seen(successors.size());
  std::vector<size_t> todo = {from};
  while (!todo.empty()) {
    const size_t node = todo.back();
    todo.pop_back();
    for (const size_t successor : successors[node]) {
      if (seen[successor]) continue;
      seen[successor] = true;
      todo.push_back(successor);
    }
  }
  return seen;
}

// Whether some path from node 0 meets nodes of both kinds for ever.
inline bool has_cycle(const std::vector<std::vector<size_t>>& successors, const std::function<bool(size_t)>& first,
                      const std::function<bool(size_t)>& second) {
  std::vector<bool> reachable = reached(successors, 0);
  reachable[0] = true;
  for (size_t node = 0; node < successors.size(); ++node) {
    if (!reachable[node] || !first(node)) continue;
    const std::vector<bool> behind = reached(successors, node);
    for (size_t other = 0; behind[node] && other < successors.size(); ++other) {
      if (behind[other] && second(other) && reached(successors, other)[node]) return true;
    }
  }
  return false;
}

// `atoms` are those of the word's letters.
inline bool accepts(const automata::Automaton& automaton, const LassoWord& word,
                    const std::vector<ExpressionId>& atoms) {
  const size_t length = word.letters.size();
  const auto letter_at = [&](size_t position) {
    uint32_t letter = 0;
    for (size_t i = 0; i < automaton.atoms.size(); ++i) {
      size_t number = 0;
      while (atoms[number] != automaton.atoms[i]) ++number;
      letter |= ((word.letters[position] >> number) & 1) << i;
    }
    return letter;
  };
  std::vector<std::vector<size_t>> successors(automaton.states.size() * length);
  for (size_t node = 0; node < successors.size(); ++node) {
    const size_t position = node % length;
    for (const automata::Automaton::Edge& edge : automaton.states[node / length].edges) {
      for (const automata::Cube cube : edge.label) {
        if (cube.contains(letter_at(position))) {
          successors[node].push_back(edge.target * length + word.successor(position));
        }
      }
    }
  }
  const auto accepting = [&](size_t node) { return automaton.states[node / length].accepting; };
  return has_cycle(successors, accepting, accepting);
}

// Whether no word is accepted by both. REQUIRES: equal lists of atoms.
inline bool disjoint(const automata::Automaton& a, const automata::Automaton& b) {
  const size_t width = b.states.size();
  std::vector<std::vector<size_t>> successors(a.states.size() * width);
  for (size_t node = 0; node < successors.size(); ++node) {
    for (const automata::Automaton::Edge& left : a.states[node / width].edges) {
      for (const automata::Automaton::Edge& right : b.states[node % width].edges) {
        for (const automata::Cube x : left.label) {
          for (const automata::Cube y : right.label) {
            if (!(x & y).empty()) successors[node].push_back(left.target * width + right.target);
          }
        }
      }
    }
  }
  return !has_cycle(
      successors, [&](size_t node) { return a.states[node / width].accepting; },
      [&](size_t node) { return b.states[node % width].accepting; });
}

inline bool accepts_nothing(const automata::Automaton& automaton) {
  std::vector<std::vector<size_t>> successors(automaton.states.size());
  for (size_t state = 0; state < successors.size(); ++state) {
    for (const automata::Automaton::Edge& edge : automaton.states[state].edges) {
      successors[state].push_back(edge.target);
    }
  }
  const auto accepting = [&](size_t state) { return automaton.states[state].accepting; };
  return !has_cycle(successors, accepting, accepting);
}

// Whether no letter has two edges.
inline bool deterministic(const automata::Automaton& automaton) {
  for (const automata::Automaton::State& state : automaton.states) {
    for (const automata::Automaton::Edge& left : state.edges) {
      for (const automata::Automaton::Edge& right : state.edges) {
        if (left.target == right.target) continue;
        for (const automata::Cube x : left.label) {
          for (const automata::Cube y : right.label) {
            if (!(x & y).empty()) return false;
          }
        }
      }
    }
  }
  return true;
}

}  // namespace cmc::test
