#include "promela/text/diagnostic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace cmc::promela {
namespace {

constexpr size_t kMaxWarnings = 100;
constexpr size_t kMaxShownColumns = 120;
constexpr size_t kTabColumns = 8;
constexpr size_t kMaxExpansionNotes = 12;

// ANSI sequences; all empty without colour.
struct Style {
  std::string_view bold, error, warning, note, caret, reset;
};

constexpr Style kPlain = {};
constexpr Style kColoured = {"\033[1m", "\033[0;1;31m", "\033[0;1;35m", "\033[0;1;36m", "\033[0;1;32m", "\033[0m"};

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// A source line as it is printed, and the column of the caret in it.
struct ShownLine {
  std::string text;
  size_t caret = 0;
};

// Tabs become blanks and control characters `?`, so that a caret below stands right on any terminal.
ShownLine show(std::string_view line, uint32_t column) {
  std::vector<std::string> cells;  // one per printed column
  size_t caret = std::string::npos;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (continues_character(c) && i > 0 && static_cast<unsigned char>(line[i - 1]) >= 0x80) {
      if (!cells.empty()) cells.back() += c;
      continue;
    }
    if (i + 1 >= column && caret == std::string::npos) caret = cells.size();
    if (c == '\t') {
      do cells.emplace_back(" ");
      while (cells.size() % kTabColumns != 0);
    } else {
      const unsigned char byte = static_cast<unsigned char>(c);
      cells.emplace_back(1, byte < 0x20 || byte == 0x7f ? '?' : c);
    }
  }
  if (caret == std::string::npos) caret = cells.size();

  size_t begin = 0;
  if (cells.size() > kMaxShownColumns && caret > kMaxShownColumns / 2) {
    begin = std::min(caret - kMaxShownColumns / 2, cells.size() - kMaxShownColumns);
  }
  const size_t end = std::min(cells.size(), begin + kMaxShownColumns);
  ShownLine result;
  if (begin > 0) result.text = "...";
  result.caret = result.text.size() + caret - begin;
  for (size_t i = begin; i < end; ++i) result.text += cells[i];
  if (end < cells.size()) result.text += "...";
  return result;
}

// Prints diagnostics into a string.
class Renderer {
 public:
  Renderer(const Sources& sources, const Style& style) : sources_(sources), style_(style) {}

  void render(const Diagnostic& diagnostic) {
    const std::vector<Expansion> chain = expansions(diagnostic.location.expansion);
    render_includes(chain);
    render_message(diagnostic.severity, diagnostic.location.place, diagnostic.message);
    render_expansions(chain);
    for (const Diagnostic& note : diagnostic.notes) {
      render_message(Severity::kNote, note.location.place, note.message);
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  [[nodiscard]] std::vector<Expansion> expansions(ExpansionId id) const {
    std::vector<Expansion> chain;
    for (; id != 0; id = chain.back().parent) chain.push_back(sources_.expansion(id));
    return chain;
  }

  void render_includes(const std::vector<Expansion>& chain) {
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      if (it->kind != Expansion::Kind::kInclude) continue;
      out_ += fmt::format("In file included from {}:{}:\n", sources_.name(it->place.file), it->place.line);
    }
  }

  // Macros from the outermost to the innermost, as clang; calls of inlines from the innermost to the outermost, as a
  // stack trace.
  void render_expansions(const std::vector<Expansion>& chain) {
    std::vector<const Expansion*> notes;
    size_t run = 0;
    for (const Expansion& expansion : chain) {
      if (expansion.kind == Expansion::Kind::kInclude) continue;
      if (expansion.kind == Expansion::Kind::kInline) {
        notes.push_back(&expansion);
        run = notes.size();
      } else {
        notes.insert(notes.begin() + static_cast<std::ptrdiff_t>(run), &expansion);
      }
    }
    const size_t omitted = notes.size() > kMaxExpansionNotes ? notes.size() - kMaxExpansionNotes : 0;
    for (size_t i = 0; i < notes.size(); ++i) {
      if (omitted > 0 && i >= kMaxExpansionNotes / 2 && i < kMaxExpansionNotes / 2 + omitted) {
        if (i == kMaxExpansionNotes / 2) {
          out_ += fmt::format("{}note: {}({} expansions are not shown)\n", style_.note, style_.reset, omitted);
        }
        continue;
      }
      const bool is_macro = notes[i]->kind == Expansion::Kind::kMacro;
      render_message(
          Severity::kNote, notes[i]->place,
          fmt::format("{} '{}'", is_macro ? "expanded from macro" : "in this call of inline", notes[i]->name));
    }
  }

  void render_message(Severity severity, SourcePlace place, std::string_view message) {
    const bool has_place = place.line != 0 && place.file < sources_.file_count();
    out_ += style_.bold;
    if (has_place) out_ += fmt::format("{}:{}:{}: ", sources_.name(place.file), place.line, place.column);
    switch (severity) {
      case Severity::kError: out_ += fmt::format("{}error: ", style_.error); break;
      case Severity::kWarning: out_ += fmt::format("{}warning: ", style_.warning); break;
      case Severity::kNote: out_ += fmt::format("{}note: ", style_.note); break;
    }
    // clang prints the text of errors and warnings in bold, that of notes plainly.
    out_ += style_.reset;
    if (severity != Severity::kNote) out_ += style_.bold;
    out_ += message;
    if (severity != Severity::kNote) out_ += style_.reset;
    out_ += '\n';
    if (has_place) render_source_line(place);
  }

  void render_source_line(SourcePlace place) {
    const ShownLine shown = show(sources_.line(place.file, place.line), place.column);
    out_ += fmt::format("{}\n{:{}}{}^{}\n", shown.text, "", shown.caret, style_.caret, style_.reset);
  }

  const Sources& sources_;
  const Style& style_;
  std::string out_;
};

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A name out of a text can have millions of letters.
void shorten(std::string& message) {
  constexpr size_t kMostBytes = 1000;
  constexpr std::string_view kLeftOut = " ... ";
  if (message.size() <= kMostBytes) return;
  const auto is_inside = [&](size_t at) { return (static_cast<unsigned char>(message[at]) & 0xC0) == 0x80; };
  size_t begin = kMostBytes / 2;
  size_t end = message.size() - kMostBytes / 2;
  while (begin > 0 && is_inside(begin)) --begin;  // of a character of UTF-8
  while (end < message.size() && is_inside(end)) ++end;
  message.replace(begin, end - begin, kLeftOut);
}

}  // namespace

void Diagnostics::error(Location location, std::string message) {
  shorten(message);
  // Passes that look at the same place twice need not remember what they said.
  for (const Diagnostic& known : all_) {
    if (known.severity == Severity::kError && known.location.place == location.place && known.message == message) {
      latest_is_kept_ = false;
      return;
    }
  }
  latest_is_kept_ = error_count_ < kMaxErrors;
  ++error_count_;
  if (latest_is_kept_) all_.push_back({Severity::kError, location, std::move(message), {}});
}

void Diagnostics::warning(Location location, std::string message) {
  shorten(message);
  latest_is_kept_ = warning_count_ < kMaxWarnings;
  ++warning_count_;
  if (latest_is_kept_) all_.push_back({Severity::kWarning, location, std::move(message), {}});
}

void Diagnostics::remark(Location location, std::string message) {
  shorten(message);
  latest_is_kept_ = remark_count_++ < kMaxWarnings;
  if (latest_is_kept_) all_.push_back({Severity::kNote, location, std::move(message), {}});
}

void Diagnostics::note(Location location, std::string message) {
  if (!latest_is_kept_) return;
  shorten(message);
  all_.back().notes.push_back({Severity::kNote, location, std::move(message), {}});
}

std::string Diagnostics::suggestion(std::string_view name, const std::vector<std::string_view>& candidates) const {
  return too_many_errors() ? "" : did_you_mean(name, candidates);
}

uint32_t end_column(const Sources& sources, const SourcePlace& place) {
  const std::string_view line = sources.line(place.file, place.line);
  const size_t begin = std::min<size_t>(place.column == 0 ? 0 : place.column - 1, line.size());
  size_t end = begin;
  while (end < line.size() && is_word_character(line[end])) ++end;
  if (end == begin && end < line.size()) ++end;
  return static_cast<uint32_t>(end + 1);
}

std::string_view suggested_name(const Diagnostic& diagnostic) {
  constexpr std::string_view kQuestion = "; did you mean '";
  const std::string_view message = diagnostic.message;
  const size_t begin = message.rfind(kQuestion);
  if (begin == std::string_view::npos || !message.ends_with("'?")) return {};
  const std::string_view name = message.substr(begin + kQuestion.size());
  return name.substr(0, name.size() - 2);
}

std::string Diagnostics::render(bool color) const {
  Renderer renderer(sources_, color ? kColoured : kPlain);
  for (const Diagnostic& diagnostic : all_) renderer.render(diagnostic);
  std::string text = renderer.take();
  std::string counts;
  if (error_count_ > 0) counts = counted(error_count_, "error");
  if (warning_count_ > 0) counts += (counts.empty() ? "" : " and ") + counted(warning_count_, "warning");
  if (!counts.empty()) text += counts + " generated.\n";
  return text;
}

namespace {

// Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::string_view closest_match(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr size_t kMaxNameLength = 64;
  if (name.size() > kMaxNameLength) return {};
  const size_t allowed = std::max<size_t>(1, name.size() / 3);
  std::string_view best;
  size_t best_distance = allowed + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > name.size() + allowed || name.size() > candidate.size() + allowed) continue;
    const size_t distance = edit_distance(name, candidate);
    // A distance as long as the name would suggest anything: `x` is no typing error for `y`.
    if (distance < best_distance && distance < name.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::string_view match = closest_match(name, candidates);
  return match.empty() ? "" : fmt::format("; did you mean '{}'?", match);
}

}  // namespace cmc::promela
