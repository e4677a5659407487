#pragma once

#include <functional>

#include "checker/generator/generator.h"
#include "checker/result/options.h"
#include "checker/result/result.h"
#include "checker/shorten/effort.h"
#include "checker/shorten/trail_order.h"
#include "ir/model.h"

namespace cmc {

// Replaces the counterexamples of a search that is over by others that are as short as possible and depend on nothing
// but the model: not on the engine that found an error, its threads, the order, reductions, or the memory limit. They
// are looked for breadth first among single statements, nothing left out (statement_graph.h).
//
// The order of errors: the fewer steps the earlier (a rendezvous is one step, and so is a d_step); then an error of a
// step before one that lies in a state, as a deadlock does; then by the steps, as compare_steps() has them, in
// lexicographic order; then by kind and place. A search that stopped at its Nth error gets the first N errors (of
// SearchOptions::max_trails at most); another one gets for each kind, message and place that it found the first
// error.
//
// A cycle: the fewest steps into it and once round (shortest_lasso.h), and it comes before errors that take more
// steps. With weak fairness the way there is the shortest to a component with a fair cycle, found with as many levels
// as are needed; the loop is short, not shortest.
//
// With TrailOrder::kSwitches, of the shortest ways to the errors of the kind that comes first by that order one with
// the fewest switches between processes; of a cycle the way to its loop is chosen so (fewest_switches.h).
//
// What is there when the budget or the memory limit of `options` are used up, or at an interrupt, is not what is
// promised, and SearchResult::shortening says so. Then the shortest counterexample that the search found gets shorter
// as far as that goes (short_cuts.h). `statements` makes the single statements of `model`, with its claim if it has
// one; `options` are those of the search. `on_wait` is called once if this takes so long that somebody who waits for
// the result should hear of it; the result is then still that of the search. `restore` is called before a path of the
// search is read or kept, which may never be: it turns the paths of the result into ones that `statements` follows
// (restore_runs.h), and does nothing if it has done so. REQUIRES: the result has errors.
void shorten_counterexamples(SuccessorGenerator& statements, const Model& model, const SearchOptions& options,
                             const Budget& budget, SearchResult& result, std::function<void()> on_wait = {},
                             TrailOrder order = TrailOrder::kFirst, std::function<void()> restore = {});

}  // namespace cmc
