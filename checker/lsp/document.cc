#include "checker/lsp/document.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "checker/lsp/words.h"
#include "promela/lower/lower.h"

namespace cmc::lsp {
namespace {

using promela::Diagnostic;
using promela::Expansion;
using promela::Sources;

constexpr std::string_view kFileScheme = "file://";
constexpr size_t kMostRelated = 12;

// Of a place, the word that is there, or one character.
Range range_at(const Sources& sources, const SourcePlace& place) {
  const std::string_view line = sources.line(place.file, place.line);
  const size_t begin = std::min<size_t>(place.column == 0 ? 0 : place.column - 1, line.size());
  const size_t end = promela::end_column(sources, place) - 1;
  const uint32_t number = place.line == 0 ? 0 : place.line - 1;
  return {{number, utf16_units(line.substr(0, begin))}, {number, utf16_units(line.substr(0, end))}};
}

std::string same_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

}  // namespace

std::string uri_of(const std::string& path) {
  if (!path.starts_with('/')) return path;
  std::string uri(kFileScheme);
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

std::string path_of(const std::string& uri) {
  if (!uri.starts_with(kFileScheme)) return uri;
  std::string path;
  for (size_t i = kFileScheme.size(); i < uri.size(); ++i) {
    const bool escaped = uri[i] == '%' && i + 2 < uri.size() &&
                         std::isxdigit(static_cast<unsigned char>(uri[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(uri[i + 2])) != 0;
    path += escaped ? static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16)) : uri[i];
    if (escaped) i += 2;
  }
  return same_path(path);
}

Range Snapshot::range_of(const SourcePlace& place, size_t bytes) const {
  const std::string_view line = sources.line(place.file, place.line);
  const size_t begin = std::min<size_t>(place.column - 1, line.size());
  return {{place.line - 1, utf16_units(line.substr(0, begin))},
          {place.line - 1, utf16_units(line.substr(0, begin + bytes))}};
}

void Document::read(const OpenTexts& open, const promela::CompileOptions& options) {
  if (is_read_) return;
  is_read_ = true;
  remarks_.clear();
  remarks_[path_];  // also if there are none: what was said before is over
  auto next = std::make_unique<Snapshot>();
  for (const auto& [path, text] : open) next->sources.replace(path, text->text());
  const uint32_t main = next->sources.add(path_, buffer_.text());
  promela::Diagnostics diagnostics(next->sources);
  std::optional<promela::Understood> text = promela::understand(next->sources, main, options, diagnostics);
  if (text)
    static_cast<void>(
        promela::lower(text->program, text->analysis, next->sources, options.escapes_like_java, diagnostics));
  for (const Diagnostic& diagnostic : diagnostics.all()) add(next->sources, diagnostic);
  files_.clear();
  included_.clear();
  for (uint32_t file = 0; file < next->sources.file_count(); ++file) {
    files_.push_back(path_of_file(next->sources.name(file)));
    if (file > 0) included_ += fmt::format("{}{}", '\0', next->sources.text(file));
  }
  is_current_ = text.has_value();
  if (!text) return;
  next->names = NameIndex(*text, next->sources);
  snapshot_ = std::move(next);
}

void Document::add(const Sources& sources, const Diagnostic& diagnostic) {
  const SourcePlace& place = diagnostic.location.place;
  const bool has_place = place.line != 0 && place.file < sources.file_count();
  Remark remark{has_place ? range_at(sources, place) : Range{}, diagnostic.message, diagnostic.severity};
  remark.hint = promela::suggested_name(diagnostic);
  const auto relate = [&](const SourcePlace& other, std::string message) {
    if (other.line == 0 || other.file >= sources.file_count() || remark.related.size() == kMostRelated) return;
    remark.related.push_back({path_of_file(sources.name(other.file)), range_at(sources, other), std::move(message)});
  };
  for (promela::ExpansionId id = diagnostic.location.expansion; id != 0; id = sources.expansion(id).parent) {
    const Expansion& expansion = sources.expansion(id);
    const char* const how = expansion.kind == Expansion::Kind::kMacro    ? "expanded from macro"
                            : expansion.kind == Expansion::Kind::kInline ? "in this call of inline"
                                                                         : "in this #include of";
    relate(expansion.place, fmt::format("{} '{}'", how, expansion.name));
  }
  for (const Diagnostic& note : diagnostic.notes) relate(note.location.place, note.message);
  remarks_[has_place ? path_of_file(sources.name(place.file)) : path_].push_back(std::move(remark));
}

// A -D definition is in no file.
std::string Document::path_of_file(const std::string& name) const {
  return name == path_ || name.starts_with('<') || name.starts_with('-') ? path_ : same_path(name);
}

std::string Document::uri_of_file(const std::string& name) const {
  const std::string path = path_of_file(name);
  return path == path_ ? uri_ : cmc::lsp::uri_of(path);
}

bool Document::includes(const std::string& path) const { return std::ranges::find(files_, path) != files_.end(); }

std::optional<uint32_t> Document::entity_at(const Position& position) const {
  if (snapshot_ == nullptr) return std::nullopt;
  const size_t offset = buffer_.offset_of(position);
  const WordAt word = word_at(buffer_.text(), offset);
  if (word.word.empty()) return std::nullopt;
  const NameIndex& names = snapshot_->names;
  if (is_current()) {
    const Occurrence* const found = names.at(buffer_.place_of(word.begin));
    return found == nullptr ? std::nullopt : std::optional(found->entity);
  }
  // The places have moved: one of that name in this proctype, or in none.
  const std::string proctype = proctype_at(offset);
  std::optional<uint32_t> best;
  for (uint32_t i = 0; i < names.entities().size(); ++i) {
    const Entity& entity = names.entities()[i];
    if (entity.name != word.word) continue;
    if (entity.owner == proctype) return i;
    if (entity.owner.empty() || !best) best = i;
  }
  return best;
}

std::string Document::proctype_at(size_t offset) const {
  const SourcePlace here = buffer_.place_of(offset);
  const Words words = read_words(buffer_.text(), 0);
  std::string around;
  for (size_t i = 0; i < words.words.size() && words.words[i].place < here; ++i) {
    const std::string_view word = words.words[i].text;
    if ((word == "proctype" || word == "D_proctype" || word == "inline") && i + 1 < words.words.size()) {
      around = word == "inline" ? "" : std::string(words.words[i + 1].text);
    } else if (word == "init" || word == "never" || word == "trace" || word == "notrace") {
      around = word;
    } else if (word == "ltl" || word == "typedef") {
      around.clear();
    }
  }
  return around;
}

}  // namespace cmc::lsp
