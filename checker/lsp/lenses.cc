#include "checker/lsp/lenses.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/lsp/features.h"
#include "checker/lsp/words.h"

namespace cmc::lsp {
namespace {

constexpr const char* kSafety = "safety";
constexpr size_t kMostLenses = 1000;
constexpr int kErrorSeverity = 1;
constexpr int kHintSeverity = 4;

Range whole_line(const Document& document, uint32_t number) {
  const std::string_view line = document.buffer().line(number - 1);
  const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  return {{number - 1, utf16_units(line.substr(0, first))}, {number - 1, utf16_units(line)}};
}

Json remark(const Range& range, int severity, const char* source, const std::string& message) {
  return {{"range", to_json(range)}, {"severity", severity}, {"source", source}, {"message", message}};
}

bool is_of(const Json& item, const Document& document) {
  return item.contains("line") && item["line"].is_number_unsigned() && item.contains("file") &&
         item["file"] == document.path();
}

}  // namespace

bool Findings::add(const TaskNews& news, const Document& document) {
  if (news.text != document.subject()) return false;
  if (text_ != news.text) *this = Findings();
  text_ = news.text;
  const Json found = Json::parse(news.json, nullptr, false);
  try {
    if (news.task == Task::kLint && found.at("schema") == "cmc.lint/1") {
      hints_.clear();
      for (const Json& each : found.at("findings")) {
        if (is_of(each, document))
          hints_.push_back({{0, each["line"], each.at("column")}, each.at("message").get<std::string>()});
      }
      return true;
    }
    if (news.task != Task::kCheck || found.at("schema") != "cmc.result/1") return false;
    for (const Json& each : found.at("properties")) {
      Property property{each.at("name"), each.at("verdict"), {}, 0, {}};
      std::string reason;
      if (property.verdict == "incomplete" && !each.at("reasons").empty())
        reason = ": " + each["reasons"][0].at("text").get<std::string>();
      property.title = fmt::format("{}{} · {} states · {:.1f} s", property.verdict, reason,
                                   each.at("states_stored").get<uint64_t>(), each.at("wall_seconds").get<double>());
      if (is_of(each, document)) property.line = each["line"];
      if (property.verdict == "violated") property.report = news.output;
      std::erase_if(violations_, [&](const Violation& old) { return old.property == property.name; });
      properties_[property.name] = std::move(property);
    }
    for (const Json& each : found.at("errors")) {
      const uint32_t line = is_of(each, document) ? each["line"].get<uint32_t>() : 1;
      violations_.push_back({each.at("property"), each.at("message"), line});
    }
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::vector<Json> Findings::diagnostics(const Document& document) const {
  std::vector<Json> all;
  if (text_ != document.subject()) return all;
  for (const Violation& each : violations_)
    all.push_back(remark(whole_line(document, each.line), kErrorSeverity, kCheckSource,
                         fmt::format("{}: {}", each.property, each.message)));
  for (const Hint& each : hints_) {
    const std::string_view line = document.buffer().line(each.place.line - 1);
    const size_t begin = std::min<size_t>(std::max(each.place.column, 1u) - 1, line.size());
    Range range = whole_line(document, each.place.line);
    range.start.character = utf16_units(line.substr(0, begin));
    all.push_back(remark(range, kHintSeverity, "cmc lint", each.message));
  }
  return all;
}

std::string Findings::counterexample(const Document& document, const std::string& property) const {
  if (text_ != document.subject()) return {};
  for (const auto& [name, each] : properties_) {
    if ((property.empty() || name == property) && !each.report.empty()) return each.report;
  }
  return {};
}

const Findings::Property* Findings::find(uint32_t line, const std::string& name) const {
  for (const auto& [key, each] : properties_) {
    if (key == name || (each.line == line && name != kSafety)) return &each;
  }
  return nullptr;
}

Json Findings::lenses(const Document& document) const {
  Json all = Json::array();
  const Words found = read_words(document.buffer().text(), 0);
  const bool is_current = text_ == document.subject();
  Range range;
  uint32_t last_line = 0;
  for (size_t i = 0; i < found.words.size() && all.size() < kMostLenses; ++i) {
    const Word& word = found.words[i];
    const bool is_formula = word.text == "ltl" || word.text == "never";
    if (word.is_directive || (!is_formula && word.text != "proctype" && word.text != "assert")) continue;
    const uint32_t line = word.place.line;
    std::string name = is_formula ? "" : kSafety;
    if (is_formula && i + 1 < found.words.size() && found.words[i + 1].place.line == line) {
      // "ltl p { ... }", but not "ltl { p }".
      const std::string_view text = document.buffer().line(line - 1);
      const std::string_view between =
          text.substr(word.place.column - 1 + word.text.size(),
                      found.words[i + 1].place.column - word.place.column - word.text.size());
      if (between.find_first_not_of(" \t") == std::string_view::npos) name = found.words[i + 1].text;
    }
    if (line != last_line) range = whole_line(document, line);
    last_line = line;
    const Property* const property = is_current ? find(line, name) : nullptr;
    const auto add = [&](const std::string& title, const char* command) {
      all.push_back({{"range", to_json(range)},
                     {"command",
                      {{"title", title},
                       {"command", command},
                       {"arguments", {document.uri(), property == nullptr ? name : property->name}}}}});
    };
    add(property == nullptr ? "check" : property->title, "cmc.check");
    if (property != nullptr && !property->report.empty()) add("why", "cmc.why");
    if (word.text == "proctype") add("simulate", "cmc.simulate");
  }
  return all;
}

}  // namespace cmc::lsp
