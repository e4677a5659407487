#pragma once

#include <cstdint>
#include <optional>

#include "ir/expression.h"
#include "promela/syntax/ast.h"

// Operators of the tree as operators of the IR, and the values of constant expressions.

namespace cmc::promela {

// REQUIRES: no temporal operator.
[[nodiscard]] Operator ir_operator(ast::Op op);

// Nothing: the expression is not made of constants and arithmetic, or divides by zero.
[[nodiscard]] std::optional<int32_t> constant_value(const ast::Expression& expression);

}  // namespace cmc::promela
