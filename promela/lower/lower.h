#pragma once

#include "ir/model.h"
#include "promela/sema/symbols.h"
#include "promela/syntax/ast.h"
#include "promela/text/diagnostic.h"

// From the analysed tree to the IR: the layout of channels, initial values, expressions and statements, and for each
// proctype the locations and edges that ControlFlow finds.

namespace cmc::promela {

// The model is usable only if no error was reported.
[[nodiscard]] Model lower(const ast::Program& program, const Analysis& analysis, const Sources& sources,
                          bool escapes_like_java, Diagnostics& diagnostics);

}  // namespace cmc::promela
