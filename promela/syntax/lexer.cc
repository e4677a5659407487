#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "promela/syntax/token.h"

namespace cmc::promela {
namespace {

#define CMC_TEXT(name, text) text
constexpr std::string_view kKeywords[] = {CMC_KEYWORDS(CMC_TEXT)};  // a keyword is its index
#undef CMC_TEXT

struct Mark {
  Tok kind;
  std::string_view text;
};
#define CMC_MARK(name, text) \
  { Tok::name, text }
constexpr Mark kMarks[] = {
    CMC_PUNCTUATION(CMC_MARK),
    // As SPIN reads them: after a pair, a third character may still change the token.
    {Tok::kArrow, "-->"},
    {Tok::kShiftLeft, "<=<"},
    {Tok::kShiftRight, ">=>"},
    {Tok::kNotEqual, "!!="},
};
#undef CMC_MARK

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_decimal(c); }

// SPIN reads the characters of gcc's output, so tokens of C that touch may become other tokens: the lexer too reads
// characters, across the borders of touching tokens.
class Lexer {
 public:
  Lexer(const std::vector<PpToken>& input, Diagnostics& diagnostics, std::deque<std::string>& arena)
      : input_(input), diagnostics_(diagnostics), arena_(arena) {
    for (const std::string_view word : kKeywords) keywords_.emplace(word, static_cast<Keyword>(keywords_.size()));
  }

  std::vector<Token> run() {
    std::vector<Token> result;
    result.reserve(input_.size());
    while (index_ < input_.size() && input_[index_].kind != PpToken::Kind::kEnd) {
      if (drop_stray_comment_end()) continue;
      result.push_back(lex());
      Token& token = result.back();
      if (std::exchange(behind_dropped_text_, false)) {
        token.space_before = true;
        token.joined = false;
        token.starts_line = std::exchange(dropped_starts_line_, false) || token.starts_line;
      }
      follow_embedded_c(token);
    }
    Token end;
    end.starts_line = true;
    end.space_before = true;
    if (index_ < input_.size()) end.location = input_[index_].location;
    result.push_back(end);
    return result;
  }

 private:
  // As SPIN's lexer, which takes the two characters for the end of a comment wherever they stand.
  bool drop_stray_comment_end() {
    if (embedded_ == Embedded::kBody || look() != '*' || look(1) != '/') return false;
    const PpToken& from = input_[index_];
    diagnostics_.warning(from.location, "'*/' without a comment before it; it is ignored, as SPIN does");
    dropped_starts_line_ = dropped_starts_line_ || (offset_ == 0 && from.starts_line);
    behind_dropped_text_ = true;
    skip(1);
    skip(1);
    return true;
  }

  // The character `ahead` of the next one; 0 where the touching tokens end.
  [[nodiscard]] char look(size_t ahead = 0) const {
    size_t index = index_;
    size_t offset = offset_ + ahead;
    while (index < input_.size() && offset >= input_[index].text.size()) {
      offset -= input_[index].text.size();
      ++index;
      if (index >= input_.size() || !input_[index].joined) return '\0';
    }
    return index < input_.size() ? input_[index].text[offset] : '\0';
  }

  // Takes `count` characters, which must be there.
  std::string_view take(size_t count) {
    const std::string_view text = input_[index_].text;
    if (offset_ + count <= text.size()) {
      const std::string_view taken = text.substr(offset_, count);
      skip(count);
      return taken;
    }
    std::string& joined = arena_.emplace_back();
    for (; count > 0; --count) {
      joined += look();
      skip(1);
    }
    return joined;
  }

  void skip(size_t count) {
    DCHECK(index_ < input_.size());
    offset_ += count;
    if (offset_ < input_[index_].text.size()) return;
    ++index_;
    offset_ = 0;
  }

  void report(const Token& token, std::string message) {
    if (embedded_ != Embedded::kBody) diagnostics_.error(token.location, std::move(message));
  }

  Token lex() {
    const PpToken& from = input_[index_];
    Token token;
    const bool at_start = offset_ == 0;
    token.starts_line = at_start && from.starts_line;
    token.space_before = at_start && from.space_before;
    token.joined = !at_start || from.joined;
    token.location = from.location;
    if (from.kind == PpToken::Kind::kNumber && !at_start) {
      token.location.place.column += static_cast<uint32_t>(offset_);
    }
    const char c = look();
    if (from.kind == PpToken::Kind::kString && at_start) {
      token.kind = Tok::kString;
      token.text = take(from.text.size());
    } else if (from.kind == PpToken::Kind::kCharacter && at_start) {
      lex_character(token);
    } else if (is_decimal(c)) {
      lex_number(token);
    } else if (starts_name(c)) {
      lex_name(token);
    } else {
      lex_punctuation(token);
    }
    return token;
  }

  template <class Predicate>
  std::string_view take_while(Predicate predicate) {
    const std::string_view text = input_[index_].text;
    size_t count = 0;
    while (offset_ + count < text.size() && predicate(text[offset_ + count])) ++count;
    if (offset_ + count == text.size()) {
      while (predicate(look(count))) ++count;
    }
    return take(count);
  }

  void lex_name(Token& token) {
    token.text = take_while(continues_name);
    const auto found = keywords_.find(token.text);
    token.kind = found == keywords_.end() ? Tok::kName : Tok::kKeyword;
    if (found != keywords_.end()) token.keyword = found->second;
  }

  // SPIN's (int) strtol(...): saturates at 64 bits, then the low 32 bits count.
  void lex_number(Token& token) {
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    token.kind = Tok::kNumber;
    token.text = take_while(is_decimal);
    int64_t value = 0;
    for (const char c : token.text) {
      const int digit = c - '0';
      value = value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
    }
    token.value = static_cast<int32_t>(value);
    if (value != token.value && embedded_ != Embedded::kBody) {
      diagnostics_.warning(token.location, fmt::format("number {} needs more than 32 bits; it is read as {}",
                                                       token.text, token.value));
    }
  }

  // A quote, a character or a backslash and a character, a quote. Of the escapes, n r t f mean what they mean in C,
  // any other character means itself: '\0' is 48.
  void lex_character(Token& token) {
    const std::string_view text = input_[index_].text;
    const bool escaped = text.size() >= 2 && text[1] == '\\';
    const bool well_formed = text.size() == (escaped ? 4u : 3u) && text.ends_with('\'');
    token.text = take(text.size());
    token.kind = Tok::kNumber;
    if (!well_formed) {
      token.kind = Tok::kUnknown;
      report(token, text.size() > 1 && text.ends_with('\'')
                        ? "a character constant has exactly one character between its quotes"
                        : "missing terminating ' character");
      return;
    }
    const char c = text[escaped ? 2 : 1];
    token.value = static_cast<unsigned char>(c);
    if (!escaped) return;
    switch (c) {
      case 'n': token.value = '\n'; break;
      case 'r': token.value = '\r'; break;
      case 't': token.value = '\t'; break;
      case 'f': token.value = '\f'; break;
      default: break;
    }
  }

  void lex_punctuation(Token& token) {
    const std::array<char, 3> ahead = {look(0), look(1), look(2)};
    const std::string_view next(ahead.data(), ahead.size());
    const Mark* best = nullptr;
    for (const Mark& mark : kMarks) {
      const bool matches = next.starts_with(mark.text) && (best == nullptr || mark.text.size() > best->text.size());
      if (matches) best = &mark;
    }
    if (best != nullptr) {
      token.kind = best->kind;
      token.text = take(best->text.size());
      return;
    }
    token.kind = Tok::kUnknown;
    const bool is_multibyte = static_cast<unsigned char>(look()) >= 0x80;
    token.text = is_multibyte ? take_while([](char c) { return static_cast<unsigned char>(c) >= 0x80; }) : take(1);
    const unsigned char c = static_cast<unsigned char>(token.text[0]);
    report(token, c < 0x20 || c >= 0x7f ? std::string("this character is not part of Promela")
                                        : fmt::format("'{}' is not part of Promela", token.text));
  }

  // In c_code { ... } and its kin C's characters are no errors; the parser skips them.
  void follow_embedded_c(const Token& token) {
    const bool opens =
        token.kind == Tok::kKeyword &&
        (token.keyword == Keyword::kCCode || token.keyword == Keyword::kCDecl || token.keyword == Keyword::kCExpr);
    if (embedded_ != Embedded::kBody) {
      if (opens) embedded_ = Embedded::kHead;
      const bool body = embedded_ == Embedded::kHead && token.kind == Tok::kLeftBrace;
      if (body) {
        embedded_ = Embedded::kBody;
        braces_ = 1;
      }
      return;
    }
    if (token.kind == Tok::kLeftBrace) ++braces_;
    if (token.kind == Tok::kRightBrace && --braces_ == 0) embedded_ = Embedded::kNone;
  }

  enum class Embedded : uint8_t { kNone, kHead, kBody };

  const std::vector<PpToken>& input_;
  Diagnostics& diagnostics_;
  std::deque<std::string>& arena_;
  std::unordered_map<std::string_view, Keyword> keywords_;
  size_t index_ = 0;
  size_t offset_ = 0;
  Embedded embedded_ = Embedded::kNone;
  size_t braces_ = 0;
  bool behind_dropped_text_ = false;
  bool dropped_starts_line_ = false;  // it was the first of its line
};

}  // namespace

std::vector<Token> tokenize(const std::vector<PpToken>& input, Diagnostics& diagnostics,
                            std::deque<std::string>& arena) {
  return Lexer(input, diagnostics, arena).run();
}

std::string_view spelling(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)]; }

std::string_view spelling(Tok kind) {
  switch (kind) {
    case Tok::kEnd: return "end of file";
    case Tok::kName: return "name";
    case Tok::kNumber: return "number";
    case Tok::kString: return "string";
    case Tok::kKeyword: return "keyword";
    case Tok::kUnknown: return "unknown character";
    default: return std::ranges::find(kMarks, kind, &Mark::kind)->text;
  }
}

}  // namespace cmc::promela
