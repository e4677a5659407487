#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "checker/lsp/document.h"

// What a client asks about a document, as the results of LSP 3.17. A text with errors is answered from the last one
// without.

namespace cmc::lsp {

using Json = nlohmann::json;

[[nodiscard]] Json to_json(const Range& range);
[[nodiscard]] Json to_json(const Remark& remark);

[[nodiscard]] Json hover(const Document& document, const Position& position);
[[nodiscard]] Json definition(const Document& document, const Position& position);
// With the definition.
[[nodiscard]] Json references(const Document& document, const Position& position);
[[nodiscard]] Json highlights(const Document& document, const Position& position);
// The range of the name, or null: there is none that can be changed.
[[nodiscard]] Json rename_range(const Document& document, const Position& position);
// Error: why it cannot be, or would leave a text that means something else. `open`, `options`: as the document was
// read.
[[nodiscard]] Result<Json> rename(const Document& document, const Position& position, const std::string& name,
                                  const OpenTexts& open, const promela::CompileOptions& options);
[[nodiscard]] Json symbols(const Document& document);
[[nodiscard]] Json folds(const Document& document);
[[nodiscard]] Json completion(const Document& document, const Position& position);
[[nodiscard]] Json semantic_tokens(const Document& document);
[[nodiscard]] const std::vector<const char*>& semantic_token_types();

}  // namespace cmc::lsp
