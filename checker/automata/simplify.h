#pragma once

#include "checker/automata/graph.h"

// Smaller automata with the same words.

namespace cmc::automata {

// What the marks of a state's edges say.
enum class Acceptance : uint8_t {
  kOfEdges,   // each edge has its own
  kOfStates,  // all edges of a state have the same marks: none or all
};

// Drops states that cannot be reached or from which nothing is accepted, and merges states and edges, by direct
// simulation too (Somenzi, Bloem, Efficient Büchi automata from LTL formulae, 2000; Babiak et al., LTL to Büchi
// automata translation: fast and more deterministic, 2012). The initial state stays [0]; states are in the order of a
// breadth-first search from there.
void simplify(Graph& graph, Acceptance acceptance);

// Takes letters from edges where another edge of the state leads to a state that accepts more: fewer choices.
// REQUIRES: simplified.
void make_more_deterministic(Graph& graph);

}  // namespace cmc::automata
