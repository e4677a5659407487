#pragma once

#include "checker/dap/target.h"
#include "checker/dap/views.h"

// Requests that set breakpoints: all of one kind, instead of those that there were. Each makes the body of a
// response, which says of each breakpoint whether it was understood, and if not why.

namespace cmc::dap {

[[nodiscard]] Json set_line_breakpoints(Target& target, const Json& arguments, const Counting& counting);
[[nodiscard]] Json set_function_breakpoints(Target& target, const Json& arguments);
[[nodiscard]] Json set_data_breakpoints(Target& target, const Json& arguments);

}  // namespace cmc::dap
