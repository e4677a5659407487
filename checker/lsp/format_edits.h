#pragma once

#include <nlohmann/json.hpp>

#include "checker/lsp/document.h"
#include "promela/format/format.h"

namespace cmc::lsp {

// The edits of `cmc fmt` in these lines, each within a line. Error: why the text is left as it is.
[[nodiscard]] Result<nlohmann::json> format_edits(const Document& document, const OpenTexts& open,
                                                  const promela::CompileOptions& options,
                                                  const promela::Layout& layout, const Range& range);

}  // namespace cmc::lsp
