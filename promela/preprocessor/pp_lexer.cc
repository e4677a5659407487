#include "promela/preprocessor/pp_lexer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cmc::promela {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\0'; }

// Longest first. `::` is one token in gcc's GNU dialects.
constexpr std::array<std::string_view, 24> kLongPunctuators = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>",
                                                               "<=",  ">=",  "==",  "!=", "&&", "||", "*=", "/=",
                                                               "%=",  "+=",  "-=",  "&=", "^=", "|=", "##", "::"};
constexpr std::string_view kPunctuation = "[](){}.&*+-~!/%<>^|?:;=,#";

// Length of the line splice at `at`: a backslash and a newline, with blanks between as gcc allows. 0: none.
size_t splice_length(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '\\') return 0;
  size_t end = at + 1;
  while (end < text.size() && text[end] != '\n' && is_blank(text[end]) && text[end] != '\0') ++end;
  return end < text.size() && text[end] == '\n' ? end + 1 - at : 0;
}

}  // namespace

PpLexer::PpLexer(std::string_view text, uint32_t file, ExpansionId expansion, Diagnostics* diagnostics,
                 std::deque<std::string>& arena)
    : text_(text), file_(file), expansion_(expansion), diagnostics_(diagnostics), arena_(arena) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) position_ = line_start_ = kByteOrderMark.size();
  settle();
}

void PpLexer::settle() {
  token_end_ = position_;
  while (const size_t length = splice_length(text_, position_)) {
    position_ += length;
    line_start_ = position_;
    ++line_;
  }
}

char PpLexer::look(size_t ahead) const {
  size_t at = position_;
  for (; ahead > 0 && at < text_.size(); --ahead) {
    ++at;
    while (const size_t length = splice_length(text_, at)) at += length;
  }
  return at < text_.size() ? text_[at] : '\0';
}

void PpLexer::advance(size_t count) {
  for (; count > 0 && position_ < text_.size(); --count) {
    const bool newline = text_[position_] == '\n';
    ++position_;
    if (newline) {
      ++line_;
      line_start_ = position_;
    }
    settle();
  }
}

SourcePlace PpLexer::place() const { return {file_, line_, static_cast<uint32_t>(position_ - line_start_ + 1)}; }

std::string_view PpLexer::text_since(size_t start) {
  const std::string_view raw = text_.substr(start, token_end_ - start);
  if (raw.find('\n') == std::string_view::npos) return raw;
  std::string& clean = arena_.emplace_back();
  for (size_t at = 0; at < raw.size();) {
    if (const size_t length = splice_length(raw, at)) {
      at += length;
    } else {
      clean += raw[at++];
    }
  }
  return clean;
}

void PpLexer::report(Severity severity, SourcePlace at, std::string message) {
  if (diagnostics_ == nullptr || quiet_) return;
  if (severity == Severity::kError) {
    diagnostics_->error({at, expansion_}, std::move(message));
  } else {
    diagnostics_->warning({at, expansion_}, std::move(message));
  }
}

CToken PpLexer::next() { return lex(Scope::kText); }
CToken PpLexer::next_in_line() { return lex(Scope::kLine); }

// Blanks and comments; in a line, up to its newline. True if there were any; `newline`: a line ended outside
// comments.
bool PpLexer::skip_space(Scope scope, bool& newline) {
  bool any = false;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      if (scope == Scope::kLine) return any;
      newline = true;
      any = false;
      advance();
      continue;
    }
    if (is_blank(c)) {
      advance();
    } else if (c == '/' && look(1) == '*') {
      skip_block_comment();
    } else if (c == '/' && look(1) == '/') {
      skip_line_comment();
    } else {
      return any;
    }
    any = true;
  }
  return any;
}

void PpLexer::skip_block_comment() {
  const SourcePlace start = place();
  advance(2);
  while (position_ < text_.size()) {
    if (text_[position_] == '*' && look(1) == '/') {
      advance(2);
      return;
    }
    advance();
  }
  report(Severity::kError, start, "unterminated comment");
}

void PpLexer::skip_line_comment() {
  while (position_ < text_.size() && text_[position_] != '\n') advance();
}

CToken PpLexer::lex(Scope scope) {
  bool newline = std::exchange(at_line_start_, false);
  CToken token;
  token.space_before = skip_space(scope, newline);
  token.starts_line = newline;
  token.location = {place(), expansion_};
  token.line = line_;
  const size_t start = position_;
  token_end_ = start;
  if (position_ >= text_.size() || text_[position_] == '\n') return token;
  const char c = text_[position_];
  if (is_name_start(c)) {
    token.kind = CToken::Kind::kIdentifier;
    lex_identifier();
  } else if (is_digit(c) || (c == '.' && is_digit(look(1)))) {
    token.kind = CToken::Kind::kNumber;
    lex_number();
  } else if (c == '"' || c == '\'') {
    token.kind = lex_quoted(c, token);
  } else {
    lex_punctuator(token);
  }
  token.text = text_since(start);
  return token;
}

void PpLexer::lex_identifier() {
  while (position_ < text_.size() && is_name_part(text_[position_])) advance();
}

void PpLexer::lex_number() {
  char previous = '\0';
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const bool exponent = previous == 'e' || previous == 'E' || previous == 'p' || previous == 'P';
    if (!is_name_part(c) && c != '.' && !(exponent && (c == '+' || c == '-'))) return;
    previous = c;
    advance();
  }
}

CToken::Kind PpLexer::lex_quoted(char quote, const CToken& token) {
  const CToken::Kind kind = quote == '"' ? CToken::Kind::kString : CToken::Kind::kCharacter;
  advance();
  while (position_ < text_.size() && text_[position_] != '\n') {
    const char c = text_[position_];
    if (c == '\\' && look(1) != '\n') advance();
    advance();
    if (c == quote) return kind;
  }
  // gcc -E keeps the rest of the line as one token after a warning. SPIN refuses it, unless a macro drops it.
  report(quote == '"' ? Severity::kError : Severity::kWarning, token.location.place,
         std::string("missing terminating ") + quote + " character");
  return kind;
}

void PpLexer::lex_punctuator(CToken& token) {
  const std::array<char, 3> ahead = {look(0), look(1), look(2)};
  const std::string_view three(ahead.data(), ahead.size());
  const auto* const found = std::find_if(kLongPunctuators.begin(), kLongPunctuators.end(),
                                         [&](std::string_view candidate) { return three.starts_with(candidate); });
  const bool known = kPunctuation.find(ahead[0]) != std::string_view::npos;
  token.kind = known ? CToken::Kind::kPunctuator : CToken::Kind::kOther;
  advance(found == kLongPunctuators.end() ? 1 : found->size());
}

CToken PpLexer::next_header() {
  bool newline = false;
  const bool space = skip_space(Scope::kLine, newline);
  const size_t line_end = std::min(text_.find('\n', position_), text_.size());
  const size_t close = text_.find('>', position_);
  if (look() != '<' || close == std::string_view::npos || close > line_end) return next_in_line();
  CToken token;
  token.kind = CToken::Kind::kString;
  token.space_before = space;
  token.location = {place(), expansion_};
  token.line = line_;
  token.text = text_.substr(position_, close + 1 - position_);
  position_ = close + 1;
  settle();
  return token;
}

std::string PpLexer::rest_of_line() {
  std::string result;
  bool newline = false;
  skip_space(Scope::kLine, newline);
  while (position_ < text_.size() && text_[position_] != '\n') {
    if (skip_space(Scope::kLine, newline)) {
      result += ' ';
    } else {
      result += text_[position_];
      advance();
    }
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

std::optional<CToken> lex_single(std::string_view text, std::deque<std::string>& arena) {
  PpLexer lexer(text, 0, 0, nullptr, arena);
  CToken token = lexer.next();
  const bool single = token.kind != CToken::Kind::kEnd && token.text.size() == text.size();
  return single ? std::optional<CToken>(token) : std::nullopt;
}

}  // namespace cmc::promela
