#include <deque>
#include <string>
#include <vector>

#include "promela/preprocessor/preprocessor.h"
#include "promela/syntax/token.h"

#include "tests/catch.h"

namespace cmc::promela {
namespace {

struct Lexed {
  std::deque<std::string> arena;
  std::vector<Token> tokens;
  std::string errors;

  explicit Lexed(const std::string& text) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const uint32_t main = sources.add("test.pml", text);
    tokens = tokenize(preprocess(sources, main, {}, diagnostics, arena), diagnostics, arena);
    errors = diagnostics.render(false);
    // The texts are views into `sources`, which ends here.
    for (Token& token : tokens) token.text = arena.emplace_back(token.text);
  }

  // Spellings joined by blanks, without the end.
  [[nodiscard]] std::string spelled() const {
    std::string result;
    for (const Token& token : tokens) {
      if (token.kind == Tok::kEnd) break;
      result += (result.empty() ? "" : " ") + std::string(token.text);
    }
    return result;
  }
};

}  // namespace

TEST_CASE("lexer: a stray end of a comment is dropped with a warning") {
  const Lexed stray("x */ = 1 */2\n*/\ny a*/b");
  CHECK(stray.spelled() == "x = 1 2 y a b");
  CHECK(stray.errors.find("test.pml:1:3: warning: '*/' without a comment before it") != std::string::npos);
  CHECK(stray.tokens[4].starts_line);
  CHECK(Lexed("x*/*c*/2").spelled() == "x * 2");
  CHECK(Lexed("x * / 2").spelled() == "x * / 2");
}

TEST_CASE("lexer: punctuation is joined as SPIN joins it, not as C does") {
  CHECK(Lexed("q!!x").spelled() == "q !! x");
  CHECK(Lexed("q??[x]").spelled() == "q ?? [ x ]");
  CHECK(Lexed("a<->b").spelled() == "a < -> b");
  CHECK(Lexed("[]<>p").spelled() == "[ ] < > p");
  CHECK(Lexed("a+=b").spelled() == "a + = b");
  CHECK(Lexed("a<<=b>>=c").spelled() == "a << = b >> = c");
  CHECK(Lexed("x---y").spelled() == "x -- - y");
  CHECK(Lexed("a...b").spelled() == "a .. . b");
  CHECK(Lexed(":::x").spelled() == ":: : x");
  CHECK(Lexed("a == b != c <= d >= e && f || g").spelled() == "a == b != c <= d >= e && f || g");
}

TEST_CASE("lexer: a pair followed by a third character changes as in SPIN") {
  const Lexed lexed("a --> b");
  REQUIRE(lexed.tokens.size() == 4);
  CHECK(lexed.tokens[1].kind == Tok::kArrow);
}

TEST_CASE("lexer: characters apart are not joined, nor are those that a macro brings together with a space") {
  CHECK(Lexed("a - > b : : c").spelled() == "a - > b : : c");
  CHECK(Lexed("#define C :\nC: x").spelled() == ": : x");
}

TEST_CASE("lexer: numbers of C are taken apart") {
  const Lexed lexed("1..N 0x1F 12ab 1.x");
  CHECK(lexed.spelled() == "1 .. N 0 x1F 12 ab 1 . x");
  CHECK(lexed.tokens[0].value == 1);
  CHECK(lexed.tokens[1].kind == Tok::kDotDot);
  CHECK(lexed.tokens[1].joined);
  CHECK(lexed.tokens[2].kind == Tok::kName);
  CHECK(lexed.tokens[2].location.place.column == 4);
}

TEST_CASE("lexer: a number beyond 32 bits wraps as SPIN's does, with a warning") {
  CHECK(Lexed("4294967297").tokens[0].value == 1);
  CHECK(Lexed("2147483648").tokens[0].value == -2147483647 - 1);
  CHECK(Lexed("99999999999999999999").tokens[0].value == -1);
  CHECK(Lexed("2147483648").errors.find("warning: number 2147483648 needs more than 32 bits") != std::string::npos);
  CHECK(Lexed("2147483647").errors.empty());
  CHECK(Lexed("010").tokens[0].value == 10);
}

TEST_CASE("lexer: character constants have SPIN's values") {
  CHECK(Lexed("'a'").tokens[0].value == 'a');
  CHECK(Lexed("'\\n'").tokens[0].value == '\n');
  CHECK(Lexed("'\\\\'").tokens[0].value == '\\');
  CHECK(Lexed("'\\0'").tokens[0].value == '0');
  CHECK(Lexed("'ab'").errors.find("exactly one character") != std::string::npos);
  CHECK(Lexed("it's").errors.find("error: missing terminating ' character") != std::string::npos);
}

TEST_CASE("lexer: every keyword is recognised by its spelling") {
  for (int i = 0; i <= static_cast<int>(Keyword::kXs); ++i) {
    const Keyword keyword = static_cast<Keyword>(i);
    const Lexed lexed{std::string(spelling(keyword))};
    REQUIRE(lexed.tokens.size() == 2);
    CHECK(lexed.tokens[0].kind == Tok::kKeyword);
    CHECK(lexed.tokens[0].keyword == keyword);
  }
  CHECK(Lexed("Active activex _ U X always").tokens[0].kind == Tok::kName);
}

TEST_CASE("lexer: every punctuation is recognised by its spelling") {
  for (int i = static_cast<int>(Tok::kLeftParen); i < static_cast<int>(Tok::kUnknown); ++i) {
    const Tok kind = static_cast<Tok>(i);
    if (kind == Tok::kHash) continue;  // at a line's start it would be a directive
    INFO(spelling(kind));
    const Lexed lexed{std::string(spelling(kind))};
    if (kind == Tok::kDollar) continue;  // to gcc it is a letter, tested below
    REQUIRE(lexed.tokens.size() == 2);
    CHECK(lexed.tokens[0].kind == kind);
  }
  CHECK(Lexed("a#b").tokens[1].kind == Tok::kHash);
  CHECK(Lexed("$x").tokens[0].kind == Tok::kDollar);
}

TEST_CASE("lexer: the first token of each line is marked, for implied semicolons") {
  const Lexed lexed("#define M a b\nx y\n M /* \n */ z");
  std::vector<bool> starts;
  for (const Token& token : lexed.tokens) starts.push_back(token.starts_line);
  CHECK(starts == std::vector<bool>{true, false, true, false, true, true});
}

TEST_CASE("lexer: foreign characters are errors, but not inside embedded C") {
  CHECK(Lexed("a \\ b").errors.find("'\\' is not part of Promela") != std::string::npos);
  CHECK(Lexed("a \xc3\xa9").errors.find("test.pml:1:3: error: this character is not part of Promela") !=
        std::string::npos);
  CHECK(Lexed("c_code { \\#include \"x\" '\\377' { \\ } } a").errors.empty());
  CHECK(!Lexed("c_code { x } \\").errors.empty());
}

TEST_CASE("lexer: the input ends with one end token, also when it is empty") {
  CHECK(Lexed("").tokens.size() == 1);
  CHECK(Lexed("").tokens[0].kind == Tok::kEnd);
  CHECK(Lexed("x\n\n").tokens[1].location.place.line == 3);
}

}  // namespace cmc::promela
