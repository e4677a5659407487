#pragma once

#include "checker/automata/claim_letters.h"

namespace cmc::automata {

// Whether it is sure that an automaton cannot tell how often a letter is repeated: of two words that differ only in
// the lengths of finite blocks of equal letters it accepts both or none (they are stutter-equivalent). False proves
// nothing.
//
// Two automata are made of A (Etessami, "Stutter-invariant languages, omega-automata, and temporal logic", 1999;
// Michaud, Duret-Lutz, "Practical stutter-invariance checks for omega-regular languages", 2015):
//
//   cl(A)  has an edge q -a-> t for each path of edges a a ... a from q to t, with the acceptance of all of them;
//   sl(A)  may stay for more letters a behind each edge q -a-> r, before it goes on as r; or else, before it.
//
// Let w and v be stutter-equivalent, w accepted by A, and u be w with each finite block shortened to one letter. Then
// cl(A) accepts u: of the run on w it takes what a block does in one edge. And if A accepts u then sl(A) accepts v:
// with the run on u, it stays with each letter as often as v repeats it. So A accepts v if it accepts all that cl(A)
// and all that sl(A) accepts. Both are shown by fair simulation by A (Henzinger, Kupferman, Rajamani, "Fair
// simulation", 2002): each edge of theirs is answered by one of A with the same letter, and if they take accepting
// ones for ever, so does A.
//
// An edge of A counts as accepting if one of its two states is, or if it leaves a strongly connected component, which
// happens finitely often; one of cl(A) or sl(A) only if a state that it enters is accepting, and in that component.
// Either way runs are accepting iff they have infinitely many such edges.
//
// What leads to a final state is answered at once by what leads to a final state. So a violation that a prefix of a
// word shows is shown by each prefix that is stutter-equivalent to it, although a run of a model may end there, in an
// error of a process.
[[nodiscard]] bool is_closed_under_stuttering(const LetterAutomaton& automaton);

}  // namespace cmc::automata
