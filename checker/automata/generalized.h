#pragma once

#include <optional>

#include "checker/automata/formula.h"
#include "checker/automata/graph.h"

namespace cmc::automata {

// A generalized Büchi automaton with the words of the formula. Nothing: it would be too large (kMostStates, or too
// many edges).
//
// Each formula is a state of a very weak alternating automaton; a state of the result is a set of them, all of which
// hold. What holds now and what must hold next comes from  a U b = b || (a && X(a U b))  and
// a R b = b && (a || X(a R b)). Whoever puts b off promises it; each b has a mark, which the transitions that do not
// promise b carry (Couvreur, On-the-fly verification of linear temporal logic, 1999). A transition is dropped if
// another one asks for less, and sets of formulas with the same transitions are one state (Gastin, Oddoux, Fast LTL
// to Büchi automata translation, 2001).
[[nodiscard]] std::optional<Graph> generalized_automaton(const Formulas& formulas, FormulaId root,
                                                         GraphLimits limits);

}  // namespace cmc::automata
