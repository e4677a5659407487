#pragma once

#include <string>

#include "promela/text/diagnostic.h"

namespace cmc {

// What is wrong with a model's text: cmc.diagnostics/1 (docs/json.md), with a newline behind it. It is what --json
// gives instead of a result.
[[nodiscard]] std::string diagnostics_json(const std::string& model_file, const promela::Sources& sources,
                                           const promela::Diagnostics& diagnostics);

}  // namespace cmc
