#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "promela/syntax/ast.h"
#include "promela/text/source.h"

namespace cmc::mutate {

// A piece of the model's own file: bytes from its start.
struct Range {
  size_t begin = 0;
  size_t end = 0;  // behind it
};

// Where the tokens of a syntax tree are written in the file of the model: directly, in the body of an inline, in the
// body or an argument of a macro. What comes from another file, or cannot be told, is nowhere.
class WrittenText {
 public:
  // `sources` lives longer.
  WrittenText(const promela::Sources& sources, uint32_t file);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(const Range& range) const {
    return text_.substr(range.begin, range.end - range.begin);
  }
  [[nodiscard]] SourcePlace place(size_t offset) const;

  // Of a token that is spelt so.
  [[nodiscard]] std::optional<Range> token(const promela::Location& location, std::string_view spelling) const;
  // Of a part of the text. If it is all that a macro stands for, the use of the macro; else, if it is a part of what
  // a macro stands for, that part of the macro's body.
  [[nodiscard]] std::optional<Range> part(const promela::ast::Extent& extent) const;
  // The token that begins there.
  [[nodiscard]] Range token_at(size_t offset) const;
  // Behind comments and spaces.
  [[nodiscard]] size_t skip_space(size_t offset) const;

 private:
  [[nodiscard]] std::optional<size_t> offset(const SourcePlace& place) const;
  [[nodiscard]] const promela::Expansion* macro_of(const promela::Location& location, bool outermost) const;
  [[nodiscard]] bool is_included(const promela::Location& location) const;
  [[nodiscard]] std::optional<Range> part_of_macro(const promela::ast::Extent& extent) const;
  [[nodiscard]] bool is_whole_macro(const Range& range, std::string_view name) const;
  [[nodiscard]] size_t behind_bracket(size_t open) const;
  [[nodiscard]] std::optional<Range> closed(Range range) const;

  const promela::Sources& sources_;
  uint32_t file_;
  std::string_view text_;
  std::vector<size_t> line_starts_{0};
};

}  // namespace cmc::mutate
