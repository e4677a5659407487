#pragma once

#include <string>

#include "ir/model.h"

// Texts of conditions in SPIN's verifier and parser: they differ from those of its simulator.

namespace cmc::spin {

// As pan shows the condition of an assertion that failed: "(x==1)", " !(b)", "((x==2)&& !(a))".
[[nodiscard]] std::string verifier_expression(const Model& model, const Proctype* proctype, ExpressionId id);

// What pan says about a formula that a finite run violates. SPIN's automaton for it ends with an assertion about the
// condition under which its last edge is taken; `last_condition` is that of CMC's automaton.
[[nodiscard]] std::string formula_violation(const Model& product, const Property& formula,
                                            ExpressionId last_condition);

// As SPIN's parser shows a formula: "[] (<> ((x==1)))".
[[nodiscard]] std::string parsed_formula(const Model& model, uint32_t formula);

}  // namespace cmc::spin
