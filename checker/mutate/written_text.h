#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "promela/syntax/ast.h"
#include "promela/text/source.h"

namespace cmc::mutate {

// A piece of a file: bytes from its start.
struct Range {
  uint32_t file = 0;  // of Sources
  size_t begin = 0;
  size_t end = 0;  // behind it
};

// Where the tokens of a syntax tree are written: directly, in the body of an inline, in the body or an argument of a
// macro. What comes from no file, such as -D, or cannot be told, is nowhere.
class WrittenText {
 public:
  // `sources` lives longer.
  explicit WrittenText(const promela::Sources& sources);

  [[nodiscard]] std::string_view text(const Range& range) const {
    return sources_.text(range.file).substr(range.begin, range.end - range.begin);
  }
  [[nodiscard]] SourcePlace place(const Range& range) const;  // where it begins

  // Of a token that is spelt so.
  [[nodiscard]] std::optional<Range> token(const promela::Location& location, std::string_view spelling) const;
  // Of a part of the text. If it is all that a macro stands for, the use of the macro; else, if it is a part of what
  // a macro stands for, that part of the macro's body.
  [[nodiscard]] std::optional<Range> part(const promela::ast::Extent& extent) const;
  // The token that begins there.
  [[nodiscard]] Range token_at(uint32_t file, size_t offset) const;
  // Behind comments and spaces.
  [[nodiscard]] size_t skip_space(uint32_t file, size_t offset) const;

 private:
  [[nodiscard]] std::optional<Range> token_at(const SourcePlace& place) const;
  [[nodiscard]] const promela::Expansion* macro_of(const promela::Location& location, bool outermost) const;
  [[nodiscard]] std::optional<Range> part_of_macro(const promela::ast::Extent& extent) const;
  [[nodiscard]] bool is_whole_macro(const Range& range, std::string_view name) const;
  [[nodiscard]] size_t behind_bracket(uint32_t file, size_t open) const;
  [[nodiscard]] std::optional<Range> closed(Range range) const;

  const promela::Sources& sources_;
  std::vector<std::vector<size_t>> line_starts_;  // by file; empty: it is none
};

}  // namespace cmc::mutate
