#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/result/replay.h"
#include "checker/result/result.h"
#include "ir/model.h"

// Counterexamples to formulas, as words: what the claim saw.

namespace cmc {

// What a claim that ends says if it was made of a formula: there is no claim that the user wrote.
inline constexpr const char* kFormulaViolated = "the formula is violated; no continuation can make it true";

// The property whose formula the claim that runs was made of; null: there is none.
[[nodiscard]] const Property* formula_of_claim(const Model& product);

// Gives errors that are ends of such a claim the text above.
void name_violations(const Model& product, SearchResult& result);

// The different atoms of a formula, in the order of its text.
[[nodiscard]] std::vector<ExpressionId> atoms_of(const Model& model, uint32_t formula);

// Whether the formula is false on the word that the claim read along the path: it reads a letter with each of its
// moves. Of a path that ends, the last state is repeated for ever; a path that no continuation makes good passes that
// test, too. The formula is evaluated directly, without its automaton. A text if it is true, or if the path is none
// of `product`; nothing is said if an atom cannot be evaluated.
[[nodiscard]] std::string verify_formula(const Model& product, uint32_t formula, const FoundError& error,
                                         SuccessorGenerator& reference);

// Whether labels of processes count beside the claim: a cycle through an accept label is a violation, as in SPIN,
// also if the formula is true.
[[nodiscard]] bool accept_labels_count(const Model& product);

// keep_confirmed() with it, if `product` was made for a formula and no accept labels of processes count beside it.
void verify_formulas(const Model& product, SearchResult& result, SuccessorGenerator& reference);

}  // namespace cmc
