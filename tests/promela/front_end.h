#pragma once

#include <optional>
#include <string>

#include "ir/model.h"
#include "promela/syntax/ast.h"

// What the tests of the front end share: a text through the parser, or through all of it.

namespace cmc::promela {

// A text after preprocessor, lexer and parser.
struct Parsed {
  explicit Parsed(const std::string& text);
  ast::Program program;
  std::string messages;  // see Compiled::messages
};

// A text through the whole front end.
struct Compiled {
  explicit Compiled(const std::string& text, bool escapes_like_java = false);
  std::optional<Model> model;
  std::string messages;  // one line each: "line:column: error: words", notes indented below
};

// Statements in one line each, compound ones in a bracketed form: `if(x = 1|else;x = 2)`, `atomic{x = 1;x = 2}`.
[[nodiscard]] std::string outline(const ast::Sequence& sequence);
[[nodiscard]] std::string outline(const ast::Statement& statement);

// The outline of `body`, the body of a process, behind global declarations; messages instead if there is any.
[[nodiscard]] std::string outline_of(const std::string& body, const std::string& globals = "");

// The text of an expression after parsing: all binary operators in parentheses.
[[nodiscard]] std::string expression_of(const std::string& expression, const std::string& globals = "");

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cmc::promela
