#pragma once

#include <vector>

#include "promela/preprocessor/pp_token.h"
#include "promela/preprocessor/preprocessor.h"

namespace cmc::promela {

// Decides as `gcc -E` where output lines start and where tokens touch. Both matter: SPIN 6 implies semicolons at line
// ends and joins characters into its own tokens. So this follows gcc's printer: it keeps the number of the line that
// it is printing; a token that is read first on its line, and every other one behind whitespace or a macro whose line
// number differs (a comment or macro arguments over several lines), begins a new line. Tokens that touch in the
// source touch in the output; at the seams of macros a space is printed where C tokens would run together.
class PpOutput {
 public:
  // Tells that a token was read that is first on its line; it may be printed later, or never.
  void line_change(const CToken& token);
  // Printing goes on in another file (or after #line), at this line.
  void file_change(uint32_t line);
  // Also takes padding.
  void print(const CToken& token);

  [[nodiscard]] size_t size() const { return tokens_.size(); }
  // Whether what comes next stands between the braces of c_code, c_decl or c_expr.
  [[nodiscard]] bool in_embedded_c() const;
  [[nodiscard]] std::vector<PpToken> take() { return std::move(tokens_); }

 private:
  void go_to_line(uint32_t line);
  [[nodiscard]] bool needs_space(const CToken& token);
  void append(const CToken& token, bool space);

  std::vector<PpToken> tokens_;
  uint32_t line_ = 1;
  bool printed_ = false;      // something on this line
  bool line_starts_ = true;   // nothing on this line
  bool avoid_paste_ = false;  // padding came before
  CToken::Space source_ = CToken::Space::kNone;
  CToken previous_;  // kEnd: none on this line
};

// Whether C would join two touching tokens or read them differently.
[[nodiscard]] bool would_paste(const CToken& left, const CToken& right);

}  // namespace cmc::promela
