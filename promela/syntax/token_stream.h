#pragma once

#include <string>
#include <vector>

#include "promela/syntax/token.h"

// The parser's view of the tokens: the text with inline bodies spliced in where they are called, and with the
// semicolons that SPIN 6 implies at line ends.
//
// A semicolon is implied before a token that starts a line, inside a body and outside parentheses, when the token
// before it can end a statement.

namespace cmc::promela {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens);

  // The next token; an implied semicolon has kind kSemicolon and an empty text.
  [[nodiscard]] const Token& peek();
  Token next();
  // The next token without implied semicolons, for text that is not parsed as Promela (C code, inline bodies).
  Token next_raw();

  // Reads `body` before everything else. `name` guards against recursion: see is_expanding.
  void splice(std::vector<Token> body, std::string name);
  [[nodiscard]] bool is_expanding(const std::string& name) const;
  // The number of inline expansions under way.
  [[nodiscard]] size_t expansion_depth();

  // Whether semicolons are implied: true inside bodies and typedefs.
  void set_in_sequence(bool value) { in_sequence_ = value; }
  [[nodiscard]] const Token& last() const { return last_; }

 private:
  struct Frame {
    std::vector<Token> tokens;
    size_t position = 0;
    std::string name;
  };

  [[nodiscard]] const Token& current();
  [[nodiscard]] bool semicolon_implied(const Token& upcoming) const;

  std::vector<Frame> frames_;
  Token last_;
  Token implied_;
  bool in_sequence_ = false;
  bool suppress_implied_ = false;  // right behind an expansion's start, or when one was just handed out
  int parentheses_ = 0;
};

}  // namespace cmc::promela
