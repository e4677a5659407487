#pragma once

#include <optional>

#include "checker/automata/graph.h"

namespace cmc::automata {

// Larger ones are not determinized: the letters are enumerated.
inline constexpr size_t kMostAtomsOfDeterministic = 8;
inline constexpr size_t kMostStatesOfDeterministic = 64;

// The smallest deterministic automaton with the words of `graph`, if there is one in which the states of a component
// accept all or none (safety, guarantee, their boolean combinations), and if it has no more states than
// `graph`. `complement` accepts all other words. Both have the marks of states (Acceptance::kOfStates),
// as the result has. A deterministic automaton makes smaller products than one of the same size that guesses.
//
// Sets of states of `graph` are the states; a component accepts if some cycle in it does. If the words are those of a
// weak deterministic automaton at all, the result accepts nothing of the complement (Dax, Eisinger, Klaedtke,
// Mechanizing the powerset construction for restricted classes of omega-automata, 2007). Then it is minimized as an
// automaton on finite words (Löding, Efficient minimization of deterministic weak omega-automata, 2001).
// REQUIRES: no more atoms than kMostAtomsOfDeterministic.
[[nodiscard]] std::optional<Graph> weak_deterministic(const Graph& graph, const Graph& complement, size_t atoms);

}  // namespace cmc::automata
