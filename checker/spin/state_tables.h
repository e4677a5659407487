#pragma once

#include <string>

#include "base/result.h"
#include "ir/model.h"

// The state machines and symbols of a model, as SPIN lists them. Statements have the numbers that trails name; no
// statements are merged. Formulas have CMC's automata.

namespace cmc::spin {

// pan -d: a line for each transition.
[[nodiscard]] Result<std::string> state_tables(const Model& model);

// pan -D: a graph for Graphviz for each proctype and claim.
[[nodiscard]] Result<std::string> state_graphs(const Model& model);

// spin -d: variables, proctypes and labels, without SPIN's numbers of scopes.
[[nodiscard]] Result<std::string> symbol_table(const Model& model);

}  // namespace cmc::spin
