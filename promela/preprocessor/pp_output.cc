#include "promela/preprocessor/pp_output.h"

namespace cmc::promela {
namespace {

using Kind = CToken::Kind;

PpToken::Kind kind_of(Kind kind) {
  switch (kind) {
    case Kind::kIdentifier: return PpToken::Kind::kIdentifier;
    case Kind::kNumber: return PpToken::Kind::kNumber;
    case Kind::kCharacter: return PpToken::Kind::kCharacter;
    case Kind::kString: return PpToken::Kind::kString;
    case Kind::kPunctuator:
    case Kind::kOther: return PpToken::Kind::kPunctuation;
    case Kind::kPadding:
    case Kind::kEnd: break;
  }
  return PpToken::Kind::kEnd;
}

}  // namespace

bool would_paste(const CToken& left, const CToken& right) {
  const char c = right.kind == Kind::kPunctuator ? right.text[0] : '\0';
  if (left.kind == Kind::kIdentifier) {
    const bool name_goes_on =
        right.kind == Kind::kNumber && right.text.find_first_of(".+-") == std::string_view::npos;
    return name_goes_on || right.kind == Kind::kIdentifier || right.kind == Kind::kCharacter ||
           right.kind == Kind::kString;
  }
  if (left.kind == Kind::kNumber) {
    return right.kind == Kind::kNumber || right.kind == Kind::kIdentifier || right.kind == Kind::kCharacter ||
           c == '.' || c == '+' || c == '-';
  }
  if (left.text == "\\") return right.kind == Kind::kIdentifier;
  if (left.kind != Kind::kPunctuator) return false;
  const std::string_view a = left.text;
  constexpr std::string_view kPastesWithEqual = "=!<>+-*/%&|^";
  if (c == '=' &&
      ((a.size() == 1 && kPastesWithEqual.find(a[0]) != std::string_view::npos) || a == "<<" || a == ">>")) {
    return true;
  }
  if (a == ">") return c == '>';
  if (a == "<") return c == '<' || c == '%' || c == ':';
  if (a == "+") return c == '+';
  if (a == "-") return c == '-' || c == '>';
  if (a == "/") return c == '/' || c == '*';
  if (a == "%") return c == ':' || c == '%';
  if (a == "&") return c == '&';
  if (a == "|") return c == '|';
  if (a == ":") return c == ':' || c == '>';
  if (a == "->") return c == '*';
  if (a == ".") return c == '.' || c == '%' || right.kind == Kind::kNumber;
  if (a == "#") return c == '#' || c == '%';
  if (a == "<=") return c == '>';
  return false;
}

// Up to 7 lines ahead gcc prints newlines, else a line marker: either way a new line, except on the line it is at.
void PpOutput::go_to_line(uint32_t line) {
  if (printed_) {
    ++line_;
    printed_ = false;
    line_starts_ = true;
  }
  if (line != line_) line_starts_ = true;
  line_ = line;
}

void PpOutput::line_change(const CToken& token) {
  go_to_line(token.line);
  printed_ = true;
  previous_ = {};
  source_ = CToken::Space::kNone;
}

void PpOutput::file_change(uint32_t line) {
  line_starts_ = true;
  printed_ = false;
  line_ = line;
}

bool PpOutput::needs_space(const CToken& token) {
  if (!avoid_paste_) return token.space_before;
  if (source_ == CToken::Space::kNone) source_ = token.space_before ? CToken::Space::kYes : CToken::Space::kNo;
  if (source_ == CToken::Space::kYes) return true;
  return previous_.kind == Kind::kEnd ? token.is("#") : would_paste(previous_, token);
}

void PpOutput::print(const CToken& token) {
  if (token.kind == Kind::kPadding) {
    avoid_paste_ = true;
    const bool replace =
        source_ == CToken::Space::kNone || (source_ != CToken::Space::kYes && token.padding == CToken::Space::kNone);
    if (replace) source_ = token.padding;
    return;
  }
  bool space = true;
  if ((avoid_paste_ || token.space_before) && token.line != line_) {
    line_change(token);
  } else {
    space = needs_space(token);
  }
  avoid_paste_ = false;
  source_ = CToken::Space::kNone;
  previous_ = token;
  printed_ = true;
  append(token, space);
}

// Punctuators are taken apart: Promela joins characters by other rules.
void PpOutput::append(const CToken& token, bool space) {
  const bool split = token.kind == Kind::kPunctuator;
  const size_t pieces = split ? token.text.size() : 1;
  for (size_t i = 0; i < pieces; ++i) {
    PpToken piece;
    piece.kind = kind_of(token.kind);
    piece.text = split ? token.text.substr(i, 1) : token.text;
    piece.location = token.location;
    const bool written_here = token.location.expansion == 0;
    if (written_here) piece.location.place.column += static_cast<uint32_t>(i);
    piece.starts_line = i == 0 && line_starts_;
    piece.space_before = i == 0 && (space || line_starts_);
    piece.joined = i > 0 || !(space || line_starts_);
    tokens_.push_back(piece);
    line_starts_ = false;
  }
}

bool PpOutput::in_embedded_c() const {
  bool head = false;
  size_t braces = 0;
  for (const PpToken& token : tokens_) {
    if (braces > 0) {
      if (token.text == "{") ++braces;
      if (token.text == "}") --braces;
    } else if (token.text == "c_code" || token.text == "c_decl" || token.text == "c_expr") {
      head = true;
    } else if (head && token.text == "{") {
      head = false;
      braces = 1;
    }
  }
  return braces > 0;
}

}  // namespace cmc::promela
