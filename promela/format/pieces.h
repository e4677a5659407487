#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

// Lines of a text as the formatter sees them. It knows no grammar, so it reads every text.

namespace cmc::promela {

struct Piece {
  enum class Kind : uint8_t {
    kWord,      // names, keywords, numbers, characters beyond ASCII
    kOperator,  // as many of the characters of operators as stand together
    kOpen,      // ( [ {
    kClose,
    kComma,
    kSemicolon,
    kQuoted,
    kComment,   // the part of it that is in this line
    kEmbedded,  // C, the part of it that is in this line
  } kind = Kind::kWord;
  size_t begin = 0;
  std::string_view text;

  [[nodiscard]] bool is(Kind which, std::string_view spelling) const { return kind == which && text == spelling; }
};

class PieceReader {
 public:
  // The pieces of the next line, which has no line end.
  [[nodiscard]] std::vector<Piece> read(std::string_view line);
  // The same of a line of the preprocessor, or of the rest of one: none of its braces and words counts.
  [[nodiscard]] std::vector<Piece> read_directive(std::string_view line);
  // Where the next line begins.
  [[nodiscard]] bool in_comment() const { return in_comment_; }
  [[nodiscard]] bool in_embedded() const { return depth_ > 0; }

 private:
  void skip_comment();
  void skip_quoted();
  void skip_embedded();
  [[nodiscard]] bool starts_with(std::string_view what) const { return line_.substr(at_).starts_with(what); }

  std::string_view line_;
  size_t at_ = 0;
  bool in_comment_ = false;  // /* */
  bool awaits_c_ = false;    // behind c_code and its kin, before {
  size_t depth_ = 0;         // of braces in C; 0: this is Promela
};

}  // namespace cmc::promela
