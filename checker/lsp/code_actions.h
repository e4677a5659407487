#pragma once

#include <nlohmann/json.hpp>

#include "checker/lsp/document.h"

namespace cmc::lsp {

// What can be changed with a click in a range: names that were meant instead of unknown ones, `while`, `=` where `==`
// was meant, a missing `else`, a macro that is written out.
[[nodiscard]] nlohmann::json code_actions(const Document& document, const Range& range);

}  // namespace cmc::lsp
