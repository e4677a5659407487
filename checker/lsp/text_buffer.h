#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expression.h"

namespace cmc::lsp {

// As the protocol counts: lines from 0, and within a line UTF-16 code units from 0.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};
struct Range {
  Position start;
  Position end;
};

// The text of a document, with the lines that the front end counts: they end with LF, CR LF or CR.
class TextBuffer {
 public:
  explicit TextBuffer(std::string text = "");

  [[nodiscard]] const std::string& text() const { return text_; }
  // Without its end; empty if there is no such line, from 0.
  [[nodiscard]] std::string_view line(size_t number) const;
  [[nodiscard]] size_t line_count() const { return starts_.size(); }

  // A position behind the end of its line is at that end, one behind the last line at the end of the text.
  [[nodiscard]] size_t offset_of(const Position& position) const;
  [[nodiscard]] Position position_at(size_t offset) const;
  // As the front end counts: lines and bytes from 1; the file is 0.
  [[nodiscard]] SourcePlace place_of(size_t offset) const;

  void replace(const Range& range, std::string_view with);

 private:
  void find_lines();
  [[nodiscard]] size_t line_at(size_t offset) const;

  std::string text_;
  std::vector<size_t> starts_;
};

// UTF-16 code units of a text in UTF-8; a byte that begins no character counts as one.
[[nodiscard]] uint32_t utf16_units(std::string_view text);

// The word around or right before an offset of `text`; empty: there is none.
struct WordAt {
  size_t begin = 0;
  std::string_view word;
};
[[nodiscard]] WordAt word_at(std::string_view text, size_t offset);

}  // namespace cmc::lsp
