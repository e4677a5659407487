#include "checker/lsp/text_buffer.h"

#include <algorithm>

#include "base/text.h"

namespace cmc::lsp {
namespace {

// The bytes of the character that begins with `c`; a byte that begins none stands for itself.
size_t character_bytes(unsigned char c) { return c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1; }

uint32_t units_of(size_t bytes) { return bytes == 4 ? 2 : 1; }

}  // namespace

uint32_t utf16_units(std::string_view text) {
  uint32_t units = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = character_bytes(static_cast<unsigned char>(text[at]));
    units += units_of(bytes);
    at += bytes;
  }
  return units;
}

WordAt word_at(std::string_view text, size_t offset) {
  size_t begin = std::min(offset, text.size());
  size_t end = begin;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return {begin, {}};
  return {begin, word};
}

TextBuffer::TextBuffer(std::string text) : text_(std::move(text)) { find_lines(); }

void TextBuffer::find_lines() {
  starts_ = {0};
  for (size_t at = 0; at < text_.size(); ++at) {
    if (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n') ++at;
    if (text_[at] == '\r' || text_[at] == '\n') starts_.push_back(at + 1);
  }
}

std::string_view TextBuffer::line(size_t number) const {
  if (number >= starts_.size()) return {};
  const size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
  std::string_view line = std::string_view(text_).substr(starts_[number], end - starts_[number]);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

size_t TextBuffer::offset_of(const Position& position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::string_view text = line(position.line);
  size_t at = 0;
  for (uint32_t units = 0; at < text.size() && units < position.character;) {
    const size_t bytes = character_bytes(static_cast<unsigned char>(text[at]));
    units += units_of(bytes);
    at += bytes;
  }
  return starts_[position.line] + std::min(at, text.size());
}

Position TextBuffer::position_at(size_t offset) const {
  const size_t number = line_at(offset);
  return {static_cast<uint32_t>(number), utf16_units(line(number).substr(0, offset - starts_[number]))};
}

SourcePlace TextBuffer::place_of(size_t offset) const {
  const size_t number = line_at(offset);
  return {0, static_cast<uint32_t>(number + 1), static_cast<uint32_t>(offset - starts_[number] + 1)};
}

size_t TextBuffer::line_at(size_t offset) const {
  const auto next = std::ranges::upper_bound(starts_, std::min(offset, text_.size()));
  return static_cast<size_t>(next - starts_.begin()) - 1;
}

void TextBuffer::replace(const Range& range, std::string_view with) {
  const size_t begin = offset_of(range.start);
  const size_t end = std::max(begin, offset_of(range.end));
  text_.replace(begin, end - begin, with);
  find_lines();
}

}  // namespace cmc::lsp
