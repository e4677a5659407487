#pragma once

#include <optional>

#include "checker/plain/simple_cycles.h"
#include "checker/shorten/statement_graph.h"

namespace cmc {

// The shortest way into an accepting cycle and once round it, among the expanded states of `graph`. Of several: the
// one whose accepting state has the lowest number, then the one whose first state of the loop has; their ways are the
// least ones in lexicographic order. So if all states are expanded that fewer steps reach than the lasso has, there
// is no shorter one at all, and it depends on nothing but the model.
//
// From each accepting state of a component with a cycle the loops are searched breadth first, forwards and backwards,
// as long as one can be shorter than the best so far (Gastin, Moro, Zeitoun, "Minimization of counterexamples in
// SPIN", 2004, do so depth first).
//
// None: there is no such cycle. If the effort was spent meanwhile (Effort::cut()), neither is sure. REQUIRES: the
// graph keeps edges.
[[nodiscard]] std::optional<Lasso> find_shortest_lasso(StatementGraph& graph, Effort& effort);

}  // namespace cmc
