#pragma once

#include "promela/sema/symbols.h"
#include "promela/syntax/ast.h"
#include "promela/text/diagnostic.h"

// Resolves names, checks types and lays out variables, in the order of the text: Promela declares before use, and as
// in SPIN a name cannot be declared again where it is visible.

namespace cmc::promela {

// Fills the sema fields of `program`. The analysis refers to the program, which must outlive it.
// Errors go to `diagnostics`; the result is usable only if there were none.
[[nodiscard]] Analysis analyse(ast::Program& program, Diagnostics& diagnostics);

}  // namespace cmc::promela
