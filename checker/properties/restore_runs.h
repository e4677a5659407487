#pragma once

#include "checker/generator/generator.h"
#include "checker/search/result.h"
#include "ir/model.h"

namespace cmc {

// Whether local steps of processes may be merged while the claim of `product` looks on: the claim is that of an ltl
// formula without X, which cannot tell how often a state is repeated and sees no local steps, and no labels of
// processes count beside it.
[[nodiscard]] bool allows_merged_steps(const Model& product);

// Paths of a search that reduces are not runs yet: with merged steps the claim moved once beside several statements
// of a process, and with dead variables reset a loop may need another round before their values repeat. Replaces each
// path of the result by a run with the same statements, in the same order, beside which the claim does what the error
// says; there is one, because the search has shown that neither can be seen. `statements` makes the product of single
// statements.
//
// A node is a number of statements taken and a state of the product; a breadth-first search among these nodes finds
// the way to the claim's end, or a cycle with an accepting one.
void restore_runs(SuccessorGenerator& statements, const Model& product, SearchResult& result);

}  // namespace cmc
