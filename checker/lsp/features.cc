#include "checker/lsp/features.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/lsp/keyword_help.h"
#include "checker/lsp/words.h"

namespace cmc::lsp {
namespace {

constexpr size_t kMostCommentLines = 20;

Json to_json(const Position& position) { return {{"line", position.line}, {"character", position.character}}; }

Json markdown(const std::string& text) { return {{"contents", {{"kind", "markdown"}, {"value", text}}}}; }

Range range_of_word(const Document& document, const Position& position) {
  const TextBuffer& buffer = document.buffer();
  const WordAt word = word_at(buffer.text(), buffer.offset_of(position));
  return {buffer.position_at(word.begin), buffer.position_at(word.begin + word.word.size())};
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '*')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '*')) text.remove_suffix(1);
  return text;
}

// And not init or a claim.
bool is_proctype(const Entity& entity) {
  return entity.kind == EntityKind::kProctype && entity.declaration.find("proctype") != std::string::npos;
}

// The comment behind a declaration in its line, or that which ends in the line above.
std::string comment_of(const Snapshot& snapshot, const SourcePlace& place) {
  const std::string_view line = snapshot.sources.line(place.file, place.line);
  const size_t begin = line.find("/*", place.column);
  if (begin != std::string_view::npos) {
    const size_t end = std::min(line.find("*/", begin), line.size());
    return std::string(without_blanks(line.substr(begin + 2, end - begin - 2)));
  }
  std::string comment;
  for (uint32_t number = place.line - 1; number > 0 && number + kMostCommentLines > place.line; --number) {
    std::string_view above = without_blanks(snapshot.sources.line(place.file, number));
    const bool ends_here = above.ends_with('/') && number + 1 == place.line;
    if (number + 1 == place.line && !ends_here) return {};
    if (ends_here) above = without_blanks(above.substr(0, above.size() - 1));
    const size_t start = above.find("/*");
    const bool begins_here = start != std::string_view::npos || above.starts_with('/');
    if (start != std::string_view::npos) above.remove_prefix(start + 2);
    if (above.starts_with('/')) above.remove_prefix(1);
    comment = std::string(without_blanks(above)) + (comment.empty() ? "" : "\n" + comment);
    if (begins_here) return comment;
  }
  return {};
}

const char* what_it_is(const Entity& entity) {
  switch (entity.kind) {
    case EntityKind::kVariable: return entity.owner.empty() ? "global variable" : "local variable";
    case EntityKind::kParameter: return "parameter";
    case EntityKind::kField: return "field";
    case EntityKind::kProctype: return "process type";
    case EntityKind::kType: return "structure";
    case EntityKind::kMtype: return "symbolic value";
    case EntityKind::kLabel: return "label";
    case EntityKind::kFormula: return "formula: every run is to satisfy it";
    case EntityKind::kMacro: return "macro";
    case EntityKind::kInline: return "inline: its text stands in place of a call";
  }
  return "";
}

bool is_in_a_file(const Snapshot& snapshot, const SourcePlace& place) {
  const std::string& name = snapshot.sources.name(place.file);
  return !name.starts_with('<') && !name.starts_with('-');
}

Json location(const Document& document, const SourcePlace& place, size_t bytes) {
  const Snapshot& snapshot = *document.snapshot();
  return {{"uri", document.uri_of_file(snapshot.sources.name(place.file))},
          {"range", to_json(snapshot.range_of(place, bytes))}};
}

// visit(place) for each use and the definition of an entity.
template <class Visit>
void for_each_occurrence(const Snapshot& snapshot, uint32_t entity, Visit&& visit) {
  for (const auto& [place, occurrence] : snapshot.names.occurrences()) {
    if (occurrence.entity == entity && is_in_a_file(snapshot, place)) visit(place);
  }
}

enum class SymbolKind : uint8_t {
  kClass = 5,
  kField = 8,
  kEnumMember = 22,
  kFunction = 12,
  kVariable = 13,
  kConstant = 14,
  kStruct = 23,
  kEvent = 24
};

SymbolKind symbol_kind(EntityKind kind) {
  switch (kind) {
    case EntityKind::kProctype: return SymbolKind::kClass;
    case EntityKind::kField: return SymbolKind::kField;
    case EntityKind::kMtype: return SymbolKind::kEnumMember;
    case EntityKind::kType: return SymbolKind::kStruct;
    case EntityKind::kLabel: return SymbolKind::kEvent;
    case EntityKind::kFormula: return SymbolKind::kEvent;
    case EntityKind::kMacro: return SymbolKind::kConstant;
    case EntityKind::kInline: return SymbolKind::kFunction;
    default: return SymbolKind::kVariable;
  }
}

constexpr int kSnippet = 15;  // CompletionItemKind
constexpr int kKeyword = 14;

int completion_kind(EntityKind kind) {
  switch (kind) {
    case EntityKind::kProctype: return 7;  // Class
    case EntityKind::kField: return 5;     // Field
    case EntityKind::kMtype: return 20;    // EnumMember
    case EntityKind::kType: return 22;     // Struct
    case EntityKind::kMacro: return 21;    // Constant
    case EntityKind::kInline: return 3;    // Function
    case EntityKind::kLabel: return 18;    // Reference
    case EntityKind::kFormula: return 23;  // Event
    default: return 6;                     // Variable
  }
}

// The words in front of an offset, the last first, and what stands between the last and the offset.
struct Before {
  std::string_view between;  // without blanks
  std::string_view word;
};
Before what_is_before(std::string_view text, size_t offset) {
  size_t begin = offset;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;  // what is being typed
  size_t at = begin;
  while (at > 0 && !is_word_character(text[at - 1]) && text[at - 1] != '\n' && text[at - 1] != ']') --at;
  std::string_view between = text.substr(at, begin - at);
  while (between.starts_with(' ')) between.remove_prefix(1);
  while (between.ends_with(' ')) between.remove_suffix(1);
  if (at > 0 && text[at - 1] == ']') {  // x[i].
    while (at > 0 && text[at - 1] != '[' && text[at - 1] != '\n') --at;
    at -= at > 0 ? 1 : 0;
  }
  size_t word = at;
  while (word > 0 && is_word_character(text[word - 1])) --word;
  return {between, text.substr(word, at - word)};
}

}  // namespace

Json to_json(const Range& range) { return {{"start", to_json(range.start)}, {"end", to_json(range.end)}}; }

Json to_json(const Remark& remark) {
  Json related = Json::array();
  for (const Remark::Related& each : remark.related) {
    related.push_back(
        {{"location", {{"uri", uri_of(each.path)}, {"range", to_json(each.range)}}}, {"message", each.message}});
  }
  return {{"range", to_json(remark.range)},
          {"severity", static_cast<int>(remark.severity) + 1},
          {"source", "cmc"},
          {"message", remark.message},
          {"relatedInformation", std::move(related)}};
}

Json hover(const Document& document, const Position& position) {
  const TextBuffer& buffer = document.buffer();
  const WordAt word = word_at(buffer.text(), buffer.offset_of(position));
  if (word.word.empty()) return nullptr;
  std::string text;
  if (const std::optional<uint32_t> found = document.entity_at(position)) {
    const Snapshot& snapshot = *document.snapshot();
    const Entity& entity = snapshot.names.entities()[*found];
    text = fmt::format("```promela\n{}\n```\n{}{}", entity.declaration, what_it_is(entity),
                       entity.owner.empty() ? "" : fmt::format(" of `{}`", entity.owner));
    if (entity.definition) {
      const std::string comment = comment_of(snapshot, *entity.definition);
      if (!comment.empty()) text += "\n\n" + comment;
    }
  } else if (const char* const help = keyword_help(word.word)) {
    text = help;
  } else {
    return nullptr;
  }
  Json result = markdown(text);
  result["range"] = to_json(range_of_word(document, position));
  return result;
}

Json definition(const Document& document, const Position& position) {
  const std::optional<uint32_t> found = document.entity_at(position);
  if (!found) return nullptr;
  const Snapshot& snapshot = *document.snapshot();
  const Entity& entity = snapshot.names.entities()[*found];
  if (!entity.definition || !is_in_a_file(snapshot, *entity.definition)) return nullptr;
  return location(document, *entity.definition, entity.name.size());
}

Json references(const Document& document, const Position& position) {
  Json all = Json::array();
  const std::optional<uint32_t> found = document.entity_at(position);
  if (!found) return all;
  const Snapshot& snapshot = *document.snapshot();
  const size_t bytes = snapshot.names.entities()[*found].name.size();
  for_each_occurrence(snapshot, *found,
                      [&](const SourcePlace& place) { all.push_back(location(document, place, bytes)); });
  return all;
}

Json highlights(const Document& document, const Position& position) {
  Json all = Json::array();
  const std::optional<uint32_t> found = document.entity_at(position);
  if (!found) return all;
  const Snapshot& snapshot = *document.snapshot();
  const size_t bytes = snapshot.names.entities()[*found].name.size();
  for_each_occurrence(snapshot, *found, [&](const SourcePlace& place) {
    if (place.file == 0) all.push_back({{"range", to_json(snapshot.range_of(place, bytes))}});
  });
  return all;
}

Json rename_range(const Document& document, const Position& position) {
  const std::optional<uint32_t> found = document.entity_at(position);
  if (!found || !document.is_current() || document.snapshot()->names.is_pasted(*found)) return nullptr;
  return to_json(range_of_word(document, position));
}

namespace {

// The names of all entities, and how often each is used. `renamed` has that name instead of its own.
std::vector<std::pair<std::string, size_t>> uses(const NameIndex& names, std::optional<uint32_t> renamed,
                                                 const std::string& name) {
  std::vector<std::pair<std::string, size_t>> all;
  for (const Entity& entity : names.entities()) all.emplace_back(entity.name, 0);
  if (renamed) all[*renamed].first = name;
  for (const auto& [place, occurrence] : names.occurrences()) ++all[occurrence.entity].second;
  std::ranges::sort(all);
  return all;
}

bool has_errors(const Document& document) {
  return std::ranges::any_of(document.remarks(), [](const auto& file) {
    return std::ranges::any_of(file.second,
                               [](const Remark& remark) { return remark.severity == promela::Severity::kError; });
  });
}

// Whether the text with the new name means what it meant: every place of the old one is known, and every name is used
// as often as before.
Status check_renamed(const Document& document, uint32_t found, const std::string& name, const OpenTexts& open,
                     const promela::CompileOptions& options) {
  const Snapshot& snapshot = *document.snapshot();
  const std::string& before = snapshot.names.entities()[found].name;
  std::vector<TextBuffer> texts;  // by file
  for (uint32_t file = 0; file < snapshot.sources.file_count(); ++file) {
    texts.emplace_back(std::string(snapshot.sources.text(file)));
    for (const Word& word : read_words(snapshot.sources.text(file), file).words) {
      if (word.text != before || snapshot.names.at(word.place) != nullptr) continue;
      return Error{
          fmt::format("nobody knows what '{}' is in line {} of {} (of another branch of #if, of an inline "
                      "that is not called)",
                      before, word.place.line, snapshot.sources.name(file))};
    }
  }
  std::vector<SourcePlace> places;
  for_each_occurrence(snapshot, found, [&](const SourcePlace& place) { places.push_back(place); });
  OpenTexts beside = open;
  for (const SourcePlace& place : std::views::reverse(places)) {  // so that those in front stay where they are
    texts[place.file].replace(snapshot.range_of(place, before.size()), name);
    if (place.file > 0) beside[path_of(document.uri_of_file(snapshot.sources.name(place.file)))] = &texts[place.file];
  }
  Document renamed(document.uri(), texts.front().text());
  renamed.read(beside, options);
  if (renamed.is_current() && !has_errors(renamed) &&
      uses(snapshot.names, found, name) == uses(renamed.snapshot()->names, std::nullopt, name))
    return Success{};
  return Error{
      fmt::format("'{}' cannot be renamed here: not all of its places are known (an inline that is called more "
                  "than once has a variable for each call)",
                  before)};
}

}  // namespace

Result<Json> rename(const Document& document, const Position& position, const std::string& name,
                    const OpenTexts& open, const promela::CompileOptions& options) {
  if (!document.is_current() || has_errors(document))
    return Error{"the text has errors, so nobody knows all places of the name"};
  const std::optional<uint32_t> found = document.entity_at(position);
  if (!found) return Error{"there is no name that the model declares"};
  const Snapshot& snapshot = *document.snapshot();
  const NameIndex& names = snapshot.names;
  const Entity& entity = names.entities()[*found];
  if (names.is_pasted(*found))
    return Error{fmt::format("a macro makes the name '{}' of parts: it cannot be changed everywhere", entity.name)};
  const bool is_name =
      !name.empty() && std::ranges::all_of(name, is_word_character) && (name[0] < '0' || name[0] > '9');
  if (!is_name || keyword_help(name) != nullptr)
    return Error{fmt::format("'{}' is not a name that Promela allows", name)};
  for (const Entity& other : names.entities()) {
    const bool is_macro = entity.kind == EntityKind::kMacro && other.kind == EntityKind::kMacro;
    if (&other != &entity && is_macro && other.name == entity.name)
      return Error{fmt::format("the macro '{}' is defined in several places", entity.name)};
    const bool meet = other.owner == entity.owner || other.owner.empty() || entity.owner.empty();
    if (other.name == name && meet)
      return Error{fmt::format("'{}' is declared already: {}", name, other.declaration)};
  }
  if (entity.kind == EntityKind::kProctype && !is_proctype(entity)) return Error{"this is a keyword"};
  if (const Status checked = check_renamed(document, *found, name, open, options); !checked.ok())
    return Error{checked.error()};
  Json changes = Json::object();
  for_each_occurrence(snapshot, *found, [&](const SourcePlace& place) {
    Json where = location(document, place, entity.name.size());
    changes[where["uri"].get<std::string>()].push_back({{"range", where["range"]}, {"newText", name}});
  });
  return Json{{"changes", std::move(changes)}};
}

Json symbols(const Document& document) {
  Json all = Json::array();
  if (document.snapshot() == nullptr) return all;
  const Snapshot& snapshot = *document.snapshot();
  std::map<std::string, size_t> owners;  // where in `all` they are
  for (const Entity& entity : snapshot.names.entities()) {
    if (!entity.definition || entity.definition->file != 0) continue;
    const Range name = snapshot.range_of(*entity.definition, entity.name.size());
    Range whole = name;
    if (entity.end.line > entity.definition->line && entity.end.file == 0)
      whole.end = snapshot.range_of(entity.end, 1).end;
    Json symbol = {{"name", entity.name},
                   {"detail", entity.declaration},
                   {"kind", static_cast<int>(symbol_kind(entity.kind))},
                   {"range", to_json(whole)},
                   {"selectionRange", to_json(name)},
                   {"children", Json::array()}};
    const auto owner = owners.find(entity.owner);
    const bool inside = !entity.owner.empty() && entity.kind != EntityKind::kMtype && owner != owners.end();
    if (inside) {
      Json& outer = all[owner->second];
      // A client wants what contains something to be around it.
      const Json end = symbol["range"]["end"];
      if (outer["range"]["end"]["line"] < end["line"]) outer["range"]["end"] = end;
      outer["children"].push_back(std::move(symbol));
    } else {
      if (entity.kind == EntityKind::kProctype || entity.kind == EntityKind::kType) owners[entity.name] = all.size();
      all.push_back(std::move(symbol));
    }
  }
  return all;
}

Json folds(const Document& document) {
  Json all = Json::array();
  for (const Words::Fold& fold : read_words(document.buffer().text(), 0).folds) {
    Json each = {{"startLine", fold.first}, {"endLine", fold.last}};
    if (fold.is_comment) each["kind"] = "comment";
    all.push_back(std::move(each));
  }
  return all;
}

Json completion(const Document& document, const Position& position) {
  Json items = Json::array();
  const size_t offset = document.buffer().offset_of(position);
  const Before before = what_is_before(document.buffer().text(), offset);
  const std::string proctype = document.proctype_at(offset);
  const auto add = [&](const Entity& entity) {
    items.push_back({{"label", entity.name}, {"kind", completion_kind(entity.kind)}, {"detail", entity.declaration}});
  };
  const std::vector<Entity> none;
  const std::vector<Entity>& entities = document.snapshot() == nullptr ? none : document.snapshot()->names.entities();
  const auto add_all = [&](auto&& wanted) {
    for (const Entity& entity : entities) {
      if (wanted(entity)) add(entity);
    }
  };
  if (before.between == ".") {
    std::string structure;
    for (const Entity& entity : entities) {
      if (entity.name == before.word && !entity.structure.empty()) structure = entity.structure;
    }
    add_all([&](const Entity& entity) { return entity.kind == EntityKind::kField && entity.owner == structure; });
    return items;
  }
  if (before.between.empty() && before.word == "goto") {
    add_all([&](const Entity& entity) { return entity.kind == EntityKind::kLabel && entity.owner == proctype; });
    return items;
  }
  if (before.between == "@") {
    add_all([&](const Entity& entity) { return entity.kind == EntityKind::kLabel && entity.owner == before.word; });
    return items;
  }
  if (before.between.empty() && before.word == "run") {
    add_all([](const Entity& entity) { return is_proctype(entity); });
    return items;
  }
  add_all([&](const Entity& entity) {
    if (entity.kind == EntityKind::kField || entity.kind == EntityKind::kLabel || entity.kind == EntityKind::kFormula)
      return false;
    return entity.kind == EntityKind::kMtype || entity.owner.empty() || entity.owner == proctype;
  });
  for (const Keyword& keyword : keywords()) {
    Json item = {{"label", keyword.word}, {"kind", keyword.snippet == nullptr ? kKeyword : kSnippet}};
    if (keyword.snippet != nullptr) {
      item["insertText"] = keyword.snippet;
      item["insertTextFormat"] = 2;
    }
    items.push_back(std::move(item));
  }
  return items;
}

const std::vector<const char*>& semantic_token_types() {
  static const std::vector<const char*> types = {"variable",   "parameter", "property", "class", "type",
                                                 "enumMember", "event",     "event",    "macro", "function"};
  return types;  // by EntityKind
}

Json semantic_tokens(const Document& document) {
  Json data = Json::array();
  if (!document.is_current()) return {{"data", data}};
  const Snapshot& snapshot = *document.snapshot();
  Position last;
  for (const auto& [place, occurrence] : snapshot.names.occurrences()) {
    if (place.file != 0) break;
    const Entity& entity = snapshot.names.entities()[occurrence.entity];
    const Range range = snapshot.range_of(place, entity.name.size());
    const uint32_t lines = range.start.line - last.line;
    data.push_back(lines);
    data.push_back(range.start.character - (lines == 0 ? last.character : 0));
    data.push_back(range.end.character - range.start.character);
    data.push_back(static_cast<int>(entity.kind));
    data.push_back(occurrence.is_definition ? 1 : 0);
    last = range.start;
  }
  return {{"data", std::move(data)}};
}

}  // namespace cmc::lsp
