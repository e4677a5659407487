#include "checker/mutate/written_text.h"

#include <algorithm>

namespace cmc::mutate {
namespace {

using promela::Expansion;
using promela::Location;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\\'; }

}  // namespace

WrittenText::WrittenText(const promela::Sources& sources, uint32_t file)
    : sources_(sources), file_(file), text_(sources.text(file)) {
  for (size_t at = 0; at < text_.size(); ++at) {
    if (text_[at] == '\n') line_starts_.push_back(at + 1);
  }
}

SourcePlace WrittenText::place(size_t offset) const {
  const auto line = std::ranges::upper_bound(line_starts_, offset) - 1;
  return {file_, static_cast<uint32_t>(line - line_starts_.begin() + 1), static_cast<uint32_t>(offset - *line + 1)};
}

std::optional<size_t> WrittenText::offset(const SourcePlace& place) const {
  if (place.file != file_ || place.line == 0 || place.line > line_starts_.size()) return std::nullopt;
  const size_t at = line_starts_[place.line - 1] + place.column - 1;
  return at < text_.size() ? std::optional(at) : std::nullopt;
}

const Expansion* WrittenText::macro_of(const Location& location, bool outermost) const {
  const Expansion* found = nullptr;
  for (promela::ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
    const Expansion& each = sources_.expansion(id);
    if (each.kind == Expansion::Kind::kMacro && (found == nullptr || outermost)) found = &each;
  }
  return found;
}

bool WrittenText::is_included(const Location& location) const {
  for (promela::ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
    if (sources_.expansion(id).kind == Expansion::Kind::kInclude) return true;
  }
  return false;
}

size_t WrittenText::skip_space(size_t at) const {
  while (at < text_.size()) {
    if (is_space(text_[at])) {
      ++at;
    } else if (text_.substr(at).starts_with("/*")) {
      at = std::min(text_.find("*/", at + 2), text_.size() - 2) + 2;
    } else if (text_.substr(at).starts_with("//")) {
      at = std::min(text_.find('\n', at), text_.size());
    } else {
      break;
    }
  }
  return at;
}

Range WrittenText::token_at(size_t at) const {
  static constexpr std::string_view kPairs[] = {"::", "->", "..", "++", "--", "!!", "??", "&&",
                                                "||", "<=", ">=", "==", "!=", "<<", ">>"};
  size_t end = at;
  if (is_word(text_[at])) {
    while (end < text_.size() && is_word(text_[end])) ++end;
  } else if (text_[at] == '"' || text_[at] == '\'') {
    for (++end; end < text_.size() && text_[end] != text_[at] && text_[end] != '\n'; ++end) end += text_[end] == '\\';
    end = std::min(end + 1, text_.size());
  } else {
    end += std::ranges::find(kPairs, text_.substr(at, 2)) != std::end(kPairs) ? 2 : 1;
  }
  return {at, end};
}

std::optional<Range> WrittenText::token(const Location& location, std::string_view spelling) const {
  if (is_included(location)) return std::nullopt;
  const auto spelt_there = [&](const SourcePlace& place) -> std::optional<Range> {
    const std::optional<size_t> at = offset(place);
    if (!at) return std::nullopt;
    const Range range = token_at(*at);
    return text(range) == spelling ? std::optional(range) : std::nullopt;
  };
  if (const std::optional<Range> found = spelt_there(location.place)) return found;
  for (promela::ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
    const Expansion& each = sources_.expansion(id);
    if (each.kind != Expansion::Kind::kMacro) continue;
    if (const std::optional<Range> found = spelt_there(each.place)) return found;
  }
  return std::nullopt;
}

// Behind the bracket that closes the one there; its own place: none does.
size_t WrittenText::behind_bracket(size_t open) const {
  int depth = 0;
  for (size_t at = open; at < text_.size(); at = skip_space(token_at(at).end)) {
    depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return open;
}

// With the brackets closed that are opened in it: those of a macro's arguments. None: one is closed that is not
// opened.
std::optional<Range> WrittenText::closed(Range range) const {
  int depth = 0;
  for (size_t at = skip_space(range.begin); at < text_.size(); at = skip_space(token_at(at).end)) {
    if (at >= range.end && depth == 0) return range;
    depth += text_[at] == '(' ? 1 : text_[at] == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;
    range.end = std::max(range.end, at + 1);
  }
  return depth == 0 ? std::optional(range) : std::nullopt;
}

std::optional<Range> WrittenText::part(const promela::ast::Extent& extent) const {
  if (is_included(extent.first) || is_included(extent.last)) return std::nullopt;
  const std::optional<size_t> first = offset(extent.first.place);
  const std::optional<size_t> last = offset(extent.last.place);
  if (!first || !last || *first > *last) return std::nullopt;
  if (first == last && macro_of(extent.first, true) != nullptr && macro_of(extent.last, true) != nullptr) {
    if (const std::optional<Range> inner = part_of_macro(extent)) {
      if (!is_whole_macro(*inner, macro_of(extent.first, false)->name)) return inner;
    } else {
      return std::nullopt;
    }
  }
  Range range{*first, token_at(*last).end};
  const Expansion* const macro = macro_of(extent.last, true);
  if (macro != nullptr && text(token_at(*last)) == macro->name) {
    const size_t behind = skip_space(range.end);
    if (behind < text_.size() && text_[behind] == '(') range.end = behind_bracket(behind);
  }
  return closed(range);
}

std::optional<Range> WrittenText::part_of_macro(const promela::ast::Extent& extent) const {
  const Expansion* const first = macro_of(extent.first, false);
  const Expansion* const last = macro_of(extent.last, false);
  const std::optional<size_t> begin = offset(first->place);
  const std::optional<size_t> end = offset(last->place);
  if (first->name != last->name || !begin || !end || *begin > *end) return std::nullopt;
  return closed({*begin, token_at(*end).end});
}

// Whether nothing but the macro's name and parameters stands in front of it, and nothing behind it.
bool WrittenText::is_whole_macro(const Range& range, std::string_view name) const {
  const size_t line_end = std::min(text_.find('\n', range.end), text_.size());
  if (skip_space(range.end) < line_end) return false;
  const size_t line = line_starts_[place(range.begin).line - 1];
  size_t at = skip_space(line);
  if (at >= range.begin || text_[at] != '#') return false;
  at = skip_space(at + 1);
  if (at < range.begin) at = skip_space(token_at(at).end);
  if (at >= range.begin || text(token_at(at)) != name) return false;
  at = token_at(at).end;
  if (at < range.begin && text_[at] == '(') at = behind_bracket(at);
  return skip_space(at) == range.begin;
}

}  // namespace cmc::mutate
