#include "promela/format/pieces.h"

namespace cmc::promela {
namespace {

constexpr std::string_view kOperatorCharacters = "-+*/%&|^~<>=!?:.@$#\\";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
bool is_operator(char c) { return kOperatorCharacters.find(c) != std::string_view::npos; }

Piece::Kind kind_of(char c) {
  switch (c) {
    case '(':
    case '[':
    case '{': return Piece::Kind::kOpen;
    case ')':
    case ']':
    case '}': return Piece::Kind::kClose;
    case ',': return Piece::Kind::kComma;
    case ';': return Piece::Kind::kSemicolon;
    case '"':
    case '\'': return Piece::Kind::kQuoted;
    default: return is_operator(c) ? Piece::Kind::kOperator : Piece::Kind::kWord;
  }
}

}  // namespace

std::vector<Piece> PieceReader::read(std::string_view line) {
  line_ = line;
  at_ = 0;
  std::vector<Piece> pieces;
  while (true) {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
    if (at_ >= line_.size()) return pieces;
    const size_t begin = at_;
    Piece::Kind kind = Piece::Kind::kComment;
    if (depth_ > 0) {
      skip_embedded();
      kind = at_ > begin ? Piece::Kind::kEmbedded : Piece::Kind::kClose;
      if (kind == Piece::Kind::kClose) {
        ++at_;
        depth_ = 0;
      }
    } else if (in_comment_ || starts_with("/*")) {
      if (!in_comment_) at_ += 2;
      skip_comment();
    } else if (starts_with("//")) {
      at_ = line_.size();
    } else {
      kind = kind_of(line_[at_]);
      if (kind == Piece::Kind::kQuoted) {
        skip_quoted();
      } else if (kind == Piece::Kind::kOperator) {
        while (at_ < line_.size() && is_operator(line_[at_]) && !starts_with("/*") && !starts_with("//")) ++at_;
      } else if (kind == Piece::Kind::kWord) {
        while (at_ < line_.size() && !is_space(line_[at_]) && kind_of(line_[at_]) == kind) ++at_;
        const std::string_view word = line_.substr(begin, at_ - begin);
        awaits_c_ = word == "c_code" || word == "c_expr" || word == "c_decl";
      } else if (line_[at_++] == '{' && awaits_c_) {
        depth_ = 1;
        awaits_c_ = false;
      }
    }
    pieces.push_back({kind, begin, line_.substr(begin, at_ - begin)});
  }
}

std::vector<Piece> PieceReader::read_directive(std::string_view line) {
  PieceReader reader;
  reader.in_comment_ = in_comment_;
  std::vector<Piece> pieces = reader.read(line);
  in_comment_ = reader.in_comment_;
  return pieces;
}

void PieceReader::skip_comment() {
  const size_t end = line_.find("*/", at_);
  in_comment_ = end == std::string_view::npos;
  at_ = in_comment_ ? line_.size() : end + 2;
}

// To the end of the line at most: an apostrophe is no mistake in a directive.
void PieceReader::skip_quoted() {
  const char quote = line_[at_++];
  while (at_ < line_.size() && line_[at_] != quote) at_ += line_[at_] == '\\' ? 2 : 1;
  at_ = at_ < line_.size() ? at_ + 1 : line_.size();
}

// To the brace that ends it, or to the end of the line.
void PieceReader::skip_embedded() {
  while (at_ < line_.size()) {
    if (in_comment_ || starts_with("/*")) {
      if (!in_comment_) at_ += 2;
      skip_comment();
    } else if (starts_with("//")) {
      at_ = line_.size();
    } else if (line_[at_] == '"' || line_[at_] == '\'') {
      skip_quoted();
    } else {
      if (line_[at_] == '{') ++depth_;
      if (line_[at_] == '}' && depth_ == 1) return;
      if (line_[at_] == '}') --depth_;
      ++at_;
    }
  }
}

}  // namespace cmc::promela
