#pragma once

#include <functional>
#include <memory>

#include "checker/shorten/statement_graph.h"

namespace cmc {

// Whether a counterexample may end with that error.
using WantedError = std::function<bool(const StatementGraph::Error&)>;

// Shortens a counterexample through more states than can be searched, as long as the effort lasts and something
// helps. Parts of its path are left out, one after the other, and of the rest whatever can be executed is, if that
// ends in an error that is wanted (Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input", 2002, do
// so with inputs; not beside a claim). From states of the path, one after the other, a small number of states is
// searched breadth first; where one of them is a later state of the path, or an error that is wanted shows, the path
// goes there.
//
// `graph` holds the states that were found first; it is given up before others are looked for. The error becomes that
// which the path ends with. Of a counterexample with a loop the stem is shortened, and each part of the loop between
// what makes it one (loop_check.h).
void shorten_by_short_cuts(SuccessorGenerator& statements, const Model& model, const SearchOptions& options,
                           Effort& effort, const WantedError& is_wanted, std::unique_ptr<StatementGraph> graph,
                           FoundError& error);

}  // namespace cmc
