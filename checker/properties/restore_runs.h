#pragma once

#include "checker/generator/generator.h"
#include "checker/result/result.h"
#include "ir/model.h"

namespace cmc {

// Paths of a search that reduces are not runs yet: with merged steps the claim moved once beside several statements
// of a process, and with dead variables reset a loop may need another round before their values repeat. Replaces each
// path of the result by a run with the same statements, in the same order, beside which the claim does what the error
// says; there is one, because the search has shown that neither can be seen. A claim that moves more often may be in
// error in another way than the one that was found, or before it has gone round a loop; then the error is that one.
// `statements` makes the product of single statements.
//
// A node is a number of statements taken and a state of the product; a breadth-first search among these nodes finds
// the way to the claim's end, or a cycle with an accepting one.
void restore_runs(SuccessorGenerator& statements, const Model& product, SearchResult& result);

}  // namespace cmc
