#pragma once

#include <span>
#include <string_view>

namespace cmc::lsp {

struct Keyword {
  const char* word;
  const char* help;     // Markdown
  const char* snippet;  // what a completion writes, as LSP has it; null: the word
};
[[nodiscard]] std::span<const Keyword> keywords();

// Null: it is no keyword.
[[nodiscard]] const char* keyword_help(std::string_view word);

}  // namespace cmc::lsp
