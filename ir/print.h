#pragma once

#include <string>
#include <string_view>

#include "ir/model.h"

// Expressions and statements as text, much as SPIN prints them: "((x+1)<y[2])", "q!ack,n". `proctype` gives the names
// of locals; null: only globals have names. Robust against indices that are out of range.

namespace cmc {

// "+" and so on, as SPIN and C write it; null: it is not one between two operands.
[[nodiscard]] const char* operator_symbol(Operator op);

[[nodiscard]] std::string reference_text(const Model& model, const Proctype* proctype,
                                         const VariableReference& reference);
[[nodiscard]] std::string expression_text(const Model& model, const Proctype* proctype, ExpressionId id);

// A formula of Model::formulas in SPIN's syntax; what has two operands is in parentheses. A formula that the front
// end made reads back as itself.
[[nodiscard]] std::string build_formula_text(const Model& model, uint32_t formula);

// Statement::text if it has one.
[[nodiscard]] std::string statement_text(const Model& model, const Proctype* proctype, StatementId id);
// Made from the parts, whatever Statement::text is.
[[nodiscard]] std::string build_statement_text(const Model& model, const Proctype* proctype, StatementId id);

// The file's name; empty: the place is not known.
[[nodiscard]] std::string file_of(const Model& model, const SourcePlace& place);
// "FILE:LINE" between the two; empty: the place is not known.
[[nodiscard]] std::string place_text(const Model& model, const SourcePlace& place, std::string_view before = "",
                                     std::string_view behind = "");

}  // namespace cmc
