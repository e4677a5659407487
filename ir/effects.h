#pragma once

#include <cstdint>
#include <functional>

#include "ir/model.h"

// What statements evaluate, and what they write.

namespace cmc {

// Calls visit(expression) for all that an expression (kNoExpression: nothing) or a statement evaluates, operands
// before what they are a part of: also indices, those of what is written too, arguments, parameters and ranges of
// solver guards, the receive that a guard tests, and the body of a d_step.
void for_each_expression(const Model& model, ExpressionId id, const std::function<void(const Expression&)>& visit);
void for_each_expression(const Model& model, const Statement& statement,
                         const std::function<void(const Expression&)>& visit);

// The statement itself, then those in the body of a d_step.
void for_each_statement(const Model& model, const Statement& statement,
                        const std::function<void(const Statement&)>& visit);

// Calls visit(reference) for each variable that the statement writes, those in the body of a d_step too.
void for_each_written(const Model& model, const Statement& statement,
                      const std::function<void(const VariableReference&)>& visit);

// Whether the value, or which variable is named, depends on nothing but variables of the process and its pid; the
// variable is one of its own.
[[nodiscard]] bool is_of_process(const Model& model, ExpressionId id);
[[nodiscard]] bool is_of_process(const Model& model, const VariableReference& reference);

// The bytes from the reference's offset on among which all elements lie that it can name.
[[nodiscard]] uint32_t extent(const VariableReference& reference);

// Only leads on: `goto`, `break` and what SPIN lists as `.(goto)`. (`skip` is a condition.)
[[nodiscard]] bool is_jump(const Statement& statement);

// Of a variable declared `hidden`.
[[nodiscard]] bool is_hidden(const Model& model, const VariableReference& reference);
[[nodiscard]] bool reads_hidden(const Model& model, const Expression& expression);  // itself, not its operands
// Whether any expression does. If none does, states that differ in hidden variables only have equal futures.
[[nodiscard]] bool reads_hidden_variable(const Model& model);

}  // namespace cmc
