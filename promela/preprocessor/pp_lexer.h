#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "promela/preprocessor/pp_token.h"
#include "promela/text/diagnostic.h"
#include "promela/text/source.h"

namespace cmc::promela {

// Splits one text into C's preprocessing tokens. It removes comments and line splices and knows nothing about
// directives. Any bytes are accepted. Copies texts with a splice inside into `arena`; all others are views of the
// source.
class PpLexer {
 public:
  // Without `diagnostics` it stays silent.
  PpLexer(std::string_view text, uint32_t file, ExpansionId expansion, Diagnostics* diagnostics,
          std::deque<std::string>& arena);

  // The next token, kEnd at the end of the text.
  CToken next();
  // The next token of the current line; at its end kEnd, every time: the newline is not consumed.
  CToken next_in_line();
  // The rest of an #include line that starts with `<` up to `>`, else next_in_line().
  CToken next_header();
  // The raw rest of the line without its comments, for messages.
  std::string rest_of_line();

  // In skipped groups nothing is reported.
  void set_quiet(bool quiet) { quiet_ = quiet; }

 private:
  enum class Scope { kText, kLine };

  CToken lex(Scope scope);
  [[nodiscard]] char look(size_t ahead = 0) const;
  void advance(size_t count = 1);
  void settle();
  bool skip_space(Scope scope, bool& newline);
  void skip_block_comment();
  void skip_line_comment();
  void lex_identifier();
  void lex_number();
  CToken::Kind lex_quoted(char quote, const CToken& token);
  void lex_punctuator(CToken& token);
  [[nodiscard]] SourcePlace place() const;
  [[nodiscard]] std::string_view text_since(size_t start);
  void report(Severity severity, SourcePlace at, std::string message);

  std::string_view text_;
  uint32_t file_;
  ExpansionId expansion_;
  Diagnostics* diagnostics_;
  std::deque<std::string>& arena_;
  bool quiet_ = false;
  bool at_line_start_ = true;
  size_t position_ = 0;
  size_t token_end_ = 0;  // behind the last character taken, before splices
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

// The only token in `text`; empty if it has none or several.
[[nodiscard]] std::optional<CToken> lex_single(std::string_view text, std::deque<std::string>& arena);

}  // namespace cmc::promela
