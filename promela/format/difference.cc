#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "base/lines.h"
#include "promela/format/format.h"
#include "promela/preprocessor/pp_lexer.h"
#include "promela/syntax/token.h"

namespace cmc::promela {
namespace {

std::string without_blanks(std::string_view line) {
  std::string text;
  std::ranges::remove_copy_if(line, std::back_inserter(text),
                              [](char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; });
  return text;
}

// What the front end makes of a text, before and after macros.
struct Read {
  Sources sources;
  std::deque<std::string> arena;
  std::vector<CToken> written;
  std::vector<Token> tokens;

  Read(std::string_view text, const std::string& name, const PreprocessorOptions& options) {
    const uint32_t file = sources.add(name, std::string(text));
    PpLexer lexer(sources.text(file), file, 0, nullptr, arena);
    while (written.empty() || written.back().kind != CToken::Kind::kEnd) written.push_back(lexer.next());
    Diagnostics ignored(sources);
    tokens = tokenize(preprocess(sources, file, options, ignored, arena), ignored, arena);
  }
};

bool equal(const CToken& a, const CToken& b, bool in_directive) {
  if (a.kind == CToken::Kind::kEnd) return b.kind == a.kind;  // which is in another line if a last line gets its end
  return a.kind == b.kind && a.text == b.text && a.starts_line == b.starts_line &&
         a.location.place.line == b.location.place.line && (!in_directive || a.space_before == b.space_before);
}

bool equal(const Token& a, const Token& b) {
  if (a.kind == Tok::kEnd) return b.kind == a.kind;
  return a.kind == b.kind && a.keyword == b.keyword && a.value == b.value && a.text == b.text &&
         a.starts_line == b.starts_line && a.location.place.line == b.location.place.line;
}

}  // namespace

std::optional<std::string> difference(std::string_view before, std::string_view after, const std::string& name,
                                      const PreprocessorOptions& options) {
  const std::vector<std::string_view> old_lines = lines_of(before);
  const std::vector<std::string_view> new_lines = lines_of(after);
  if (old_lines.size() != new_lines.size()) return "has another number of lines";
  for (size_t i = 0; i < old_lines.size(); ++i) {
    if (without_blanks(old_lines[i]) != without_blanks(new_lines[i]))
      return fmt::format("has other characters in line {}", i + 1);
  }
  const Read old_text(before, name, options);
  const Read new_text(after, name, options);
  bool in_directive = false;
  if (old_text.written.size() != new_text.written.size()) return "has more or fewer tokens";
  for (size_t i = 0; i < old_text.written.size(); ++i) {
    const CToken& token = old_text.written[i];
    if (token.starts_line) in_directive = token.is("#");
    if (!equal(token, new_text.written[i], in_directive))
      return fmt::format("has another token in line {}", token.location.place.line);
  }
  if (old_text.tokens.size() != new_text.tokens.size()) return "has more or fewer tokens behind its macros";
  for (size_t i = 0; i < old_text.tokens.size(); ++i) {
    if (!equal(old_text.tokens[i], new_text.tokens[i]))
      return fmt::format("has another token behind the macros of line {}", old_text.tokens[i].location.place.line);
  }
  return std::nullopt;
}

}  // namespace cmc::promela
