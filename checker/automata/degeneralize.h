#pragma once

#include <optional>

#include "checker/automata/graph.h"

namespace cmc::automata {

// The same words with one mark, which all edges of a state have or none of them (Acceptance::kOfStates). Nothing: it
// would be too large.
//
// Copies of each state count which marks of its component have been met, in a fixed order; the copy that has met all
// of them accepts, and counting starts again (Gastin, Oddoux, Fast LTL to Büchi automata translation, 2001). A
// component counts only the marks that a run in it can miss, and counting starts again where a run enters it (Babiak
// et al., Compositional approach to suspension and other improvements to LTL translation, 2013).
// REQUIRES: simplified with Acceptance::kOfEdges.
[[nodiscard]] std::optional<Graph> degeneralize(const Graph& graph, GraphLimits limits);

}  // namespace cmc::automata
