#include "checker/mutate/written_text.h"

#include <algorithm>

#include "base/text.h"

namespace cmc::mutate {
namespace {

using promela::Expansion;
using promela::Location;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\\'; }

}  // namespace

WrittenText::WrittenText(const promela::Sources& sources) : sources_(sources), line_starts_(sources.file_count()) {
  for (uint32_t file = 0; file < line_starts_.size(); ++file) {
    if (file > 0 && !sources.is_file(sources.name(file))) continue;
    line_starts_[file].push_back(0);
    const std::string_view text = sources.text(file);
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') line_starts_[file].push_back(at + 1);
    }
  }
}

SourcePlace WrittenText::place(const Range& range) const {
  const std::vector<size_t>& starts = line_starts_[range.file];
  const auto line = std::ranges::upper_bound(starts, range.begin) - 1;
  return {range.file, static_cast<uint32_t>(line - starts.begin() + 1),
          static_cast<uint32_t>(range.begin - *line + 1)};
}

std::optional<Range> WrittenText::token_at(const SourcePlace& place) const {
  if (place.file >= line_starts_.size()) return std::nullopt;
  const std::vector<size_t>& starts = line_starts_[place.file];
  if (place.line == 0 || place.line > starts.size()) return std::nullopt;
  const size_t at = starts[place.line - 1] + place.column - 1;
  if (at >= sources_.text(place.file).size()) return std::nullopt;
  return token_at(place.file, at);
}

const Expansion* WrittenText::macro_of(const Location& location, bool outermost) const {
  const Expansion* found = nullptr;
  for (promela::ExpansionId id = location.expansion; id != 0; id = sources_.expansion(id).parent) {
    const Expansion& each = sources_.expansion(id);
    if (each.kind == Expansion::Kind::kMacro && (found == nullptr || outermost)) found = &each;
  }
  return found;
}

size_t WrittenText::skip_space(uint32_t file, size_t at) const {
  const std::string_view text = sources_.text(file);
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("/*")) {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      break;
    }
  }
  return at;
}

Range WrittenText::token_at(uint32_t file, size_t at) const {
  const std::string_view text = sources_.text(file);
  static constexpr std::string_view kPairs[] = {"::", "->", "..", "++", "--", "!!", "??", "&&",
                                                "||", "<=", ">=", "==", "!=", "<<", ">>"};
  size_t end = at;
  if (is_word_character(text[at])) {
    while (end < text.size() && is_word_character(text[end])) ++end;
  } else if (text[at] == '"' || text[at] == '\'') {
    for (++end; end < text.size() && text[end] != text[at] && text[end] != '\n'; ++end) end += text[end] == '\\';
    end = std::min(end + 1, text.size());
  } else {
    end += std::ranges::find(kPairs, text.substr(at, 2)) != std::end(kPairs) ? 2 : 1;
  }
  return {file, at, end};
}

std::optional<Range> WrittenText::token(const Location& location, std::string_view spelling) const {
  const auto spelt_there = [&](const SourcePlace& place) {
    const std::optional<Range> range = token_at(place);
    return range && text(*range) == spelling ? range : std::nullopt;
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
size_t WrittenText::behind_bracket(uint32_t file, size_t open) const {
  const std::string_view text = sources_.text(file);
  int depth = 0;
  for (size_t at = open; at < text.size(); at = skip_space(file, token_at(file, at).end)) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return open;
}

// With the brackets closed that are opened in it: those of a macro's arguments. None: one is closed that is not
// opened.
std::optional<Range> WrittenText::closed(Range range) const {
  const std::string_view text = sources_.text(range.file);
  int depth = 0;
  for (size_t at = range.begin; at < text.size(); at = skip_space(range.file, token_at(range.file, at).end)) {
    if (at >= range.end && depth == 0) return range;
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;
    range.end = std::max(range.end, at + 1);
  }
  return depth == 0 ? std::optional(range) : std::nullopt;
}

std::optional<Range> WrittenText::part(const promela::ast::Extent& extent) const {
  const std::optional<Range> first = token_at(extent.first.place);
  const std::optional<Range> last = token_at(extent.last.place);
  if (!first || !last || first->file != last->file || first->begin > last->begin) return std::nullopt;
  const Expansion* const macro = macro_of(extent.last, true);
  if (first->begin == last->begin && macro != nullptr && macro_of(extent.first, true) != nullptr) {
    const std::optional<Range> inner = part_of_macro(extent);
    if (!inner) return std::nullopt;
    if (!is_whole_macro(*inner, macro_of(extent.first, false)->name)) return inner;
  }
  Range range{first->file, first->begin, last->end};
  // A macro puts something between its arguments.
  const Expansion* const of_first = macro_of(extent.first, true);
  const bool in_arguments = of_first != nullptr && text(*first) != of_first->name;
  if (in_arguments && text(range).find(',') != std::string_view::npos) return std::nullopt;
  if (macro != nullptr && text(*last) == macro->name) {
    const size_t behind = skip_space(range.file, range.end);
    const std::string_view text = sources_.text(range.file);
    if (behind < text.size() && text[behind] == '(') range.end = behind_bracket(range.file, behind);
  }
  return closed(range);
}

std::optional<Range> WrittenText::part_of_macro(const promela::ast::Extent& extent) const {
  const Expansion* const macro = macro_of(extent.first, false);
  const Expansion* const other = macro_of(extent.last, false);
  const std::optional<Range> first = token_at(macro->place);
  const std::optional<Range> last = token_at(other->place);
  if (macro->name != other->name || !first || !last || first->file != last->file) return std::nullopt;
  if (first->begin > last->begin) return std::nullopt;
  return closed({first->file, first->begin, last->end});
}

// Whether nothing but the macro's name and parameters stands in front of it, and nothing behind it.
bool WrittenText::is_whole_macro(const Range& range, std::string_view name) const {
  const std::string_view text = sources_.text(range.file);
  const size_t line_end = std::min(text.find('\n', range.end), text.size());
  if (skip_space(range.file, range.end) < line_end) return false;
  size_t at = skip_space(range.file, line_starts_[range.file][place(range).line - 1]);
  if (at >= range.begin || text[at] != '#') return false;
  at = skip_space(range.file, at + 1);
  if (at < range.begin) at = skip_space(range.file, token_at(range.file, at).end);
  if (at >= range.begin || this->text(token_at(range.file, at)) != name) return false;
  at = token_at(range.file, at).end;
  if (at < range.begin && text[at] == '(') at = behind_bracket(range.file, at);
  return skip_space(range.file, at) == range.begin;
}

}  // namespace cmc::mutate
