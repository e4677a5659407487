#include "checker/conform/map_text.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text.h"
#include "checker/report/style/style.h"

namespace cmc::conform {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The first place outside of brackets and strings at which `is_there` is true; none: there is none.
template <class IsThere>
std::optional<size_t> find_outside(std::string_view text, IsThere is_there) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (depth == 0 && is_there(i)) return i;
    if (c == '"') in_string = true;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
  }
  return std::nullopt;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::optional<size_t> comma = find_outside(text, [&](size_t i) { return text[i] == ','; });
    parts.emplace_back(trimmed(text.substr(0, comma.value_or(text.size()))));
    if (!comma) return parts;
    text.remove_prefix(*comma + 1);
  }
}

// Thrown and caught in this file: what is wrong at which offset of the directive.
struct Malformed {
  size_t at;
  std::string message;
};

// One directive, read from left to right.
class Directive {
 public:
  explicit Directive(std::string_view text) : text_(text) {}

  [[nodiscard]] size_t at() const { return at_; }
  [[nodiscard]] bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool skip(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool skip_word(std::string_view word) {
    skip_space();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word) || (rest.size() > word.size() && is_word_character(rest[word.size()]))) return false;
    at_ += word.size();
    return true;
  }
  // Names of events may have dots and dashes.
  std::string name(const char* what, bool of_event = false) {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (is_word_character(text_[at_]) || (of_event && (text_[at_] == '.' || text_[at_] == '-'))))
      ++at_;
    if (begin == at_) fail(fmt::format("{} is missing here", what));
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string word() {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  // What is inside of brackets that were opened.
  std::string inside(char close) {
    const std::string_view rest = text_.substr(at_);
    const std::optional<size_t> end = find_outside(rest, [&](size_t i) { return rest[i] == close; });
    if (!end) fail(fmt::format("'{}' is missing", close));
    at_ += *end + 1;
    return std::string(trimmed(rest.substr(0, *end)));
  }
  std::string rest() {
    skip_space();
    const std::string_view all = text_.substr(at_);
    at_ = text_.size();
    return std::string(trimmed(all));
  }
  // Up to the word `where`, which is passed.
  std::string up_to_where(bool& has_where) {
    const std::string_view rest = text_.substr(at_);
    const std::optional<size_t> found = find_outside(rest, [&](size_t i) {
      const bool begins = i == 0 || !is_word_character(rest[i - 1]);
      const bool ends = i + 5 == rest.size() || (i + 5 < rest.size() && !is_word_character(rest[i + 5]));
      return begins && ends && rest.substr(i, 5) == "where";
    });
    has_where = found.has_value();
    at_ = has_where ? at_ + *found + 5 : text_.size();
    return std::string(trimmed(rest.substr(0, found.value_or(rest.size()))));
  }
  [[noreturn]] void fail(std::string message) const { throw Malformed{at_, std::move(message)}; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

void set_message(std::string_view text, RuleText& rule) {
  // data(a, b) is data, a, b
  const size_t open = text.find('(');
  const bool is_call = open != std::string_view::npos && open > 0 && text.back() == ')' &&
                       std::ranges::all_of(text.substr(0, open), is_word_character) &&
                       !find_outside(text, [&](size_t i) { return text[i] == ','; });
  if (is_call && text.substr(0, open) != "eval") {
    rule.arguments.emplace_back(text.substr(0, open));
    for (std::string& each : split_at_commas(text.substr(open + 1, text.size() - open - 2)))
      rule.arguments.push_back(std::move(each));
    return;
  }
  rule.arguments = split_at_commas(text);
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char c = text[++i];
    result += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return result;
}

void read_print(std::string_view text, RuleText& rule, const Directive& directive) {
  text = trimmed(text.substr(6));
  if (!text.starts_with('(') || !text.ends_with(')')) directive.fail("printf is written printf(\"...\", VALUE...)");
  std::vector<std::string> parts = split_at_commas(text.substr(1, text.size() - 2));
  const std::string& format = parts.front();
  if (format.size() < 2 || format.front() != '"' || format.back() != '"')
    directive.fail("printf has no text in quotes");
  rule.kind = RuleText::Kind::kPrint;
  rule.target = unescaped(std::string_view(format).substr(1, format.size() - 2));
  rule.arguments.assign(parts.begin() + 1, parts.end());
}

void read_step(std::string_view text, RuleText& rule, const Directive& directive) {
  if (text.starts_with("printf") && text.size() > 6 && !is_word_character(text[6]))
    return read_print(text, rule, directive);
  const auto is = [&](size_t i, char c) { return i < text.size() && text[i] == c; };
  const std::optional<size_t> found = find_outside(text, [&](size_t i) {
    if (text[i] == '!') return i > 0 && !is(i + 1, '=');
    if (text[i] == '?') return true;
    const bool compares = i > 0 && (is(i - 1, '<') || is(i - 1, '>') || is(i - 1, '!') || is(i - 1, '='));
    return text[i] == '=' && !compares && !is(i + 1, '=');
  });
  if (!found) directive.fail("a step is CHANNEL ! VALUES, CHANNEL ? VALUES, VARIABLE = VALUE or printf(...)");
  const char c = text[*found];
  rule.kind = c == '!' ? RuleText::Kind::kSend : c == '?' ? RuleText::Kind::kReceive : RuleText::Kind::kAssign;
  rule.target = trimmed(text.substr(0, *found));
  std::string_view right = text.substr(*found + (is(*found + 1, c) ? 2 : 1));
  right = trimmed(right);
  if (rule.target.empty() || right.empty()) directive.fail("something is missing beside the step's operator");
  if (rule.kind == RuleText::Kind::kAssign) {
    rule.arguments = {std::string(right)};
  } else {
    set_message(right, rule);
  }
  for (const std::string& each : rule.arguments) {
    if (each.empty()) directive.fail("a value is missing between commas; _ stands for any value");
  }
}

// The parts of a conjunction: those that read no field say which steps are observed.
std::vector<std::string> conjuncts(std::string_view text) {
  const auto twice = [&](char c) {
    return find_outside(text, [&](size_t i) { return text.substr(i, 2) == std::string(2, c); });
  };
  std::vector<std::string> parts;
  if (twice('|')) return {std::string(text)};
  for (std::optional<size_t> found = twice('&'); found; found = twice('&')) {
    parts.emplace_back(trimmed(text.substr(0, *found)));
    text.remove_prefix(*found + 2);
  }
  parts.emplace_back(trimmed(text));
  return parts;
}

RuleText read_event(Directive& directive) {
  RuleText rule;
  rule.event = directive.name("the name of an event", true);
  if (directive.skip('(')) {
    const std::string fields = directive.inside(')');
    if (!fields.empty()) rule.fields = split_at_commas(fields);
    for (const std::string& field : rule.fields) {
      if (field.empty() || !std::ranges::all_of(field, is_word_character))
        directive.fail(fmt::format("'{}' is no name of a field", printable(field)));
    }
  }
  if (directive.skip_word("at")) {
    rule.proctype = directive.name("a process type");
    if (directive.skip('[')) rule.pid = directive.inside(']');
    if (directive.skip('@')) rule.label = directive.name("a label");
  }
  bool has_where = directive.skip_word("where");
  if (!has_where && directive.skip(':')) read_step(directive.up_to_where(has_where), rule, directive);
  if (has_where) rule.where = conjuncts(directive.rest());
  if (has_where && rule.where.front().empty()) directive.fail("a condition is missing behind where");
  if (!directive.at_end()) directive.fail("a colon and a step are expected here");
  if (rule.kind == RuleText::Kind::kAny && rule.proctype.empty())
    directive.fail("nothing says which step it is: neither `at PROCTYPE@LABEL` nor `: STEP`");
  return rule;
}

void read_format(Directive& directive, LogFormat& format) {
  while (!directive.at_end()) {
    const std::string word = directive.word();
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == std::string::npos) {
      if (key != "json" && key != "csv" && key != "text")
        directive.fail(fmt::format("'{}' is neither json, csv nor text", printable(key)));
      format.kind = key == "json"  ? LogFormat::Kind::kJson
                    : key == "csv" ? LogFormat::Kind::kCsv
                                   : LogFormat::Kind::kText;
      continue;
    }
    if (key != "event" && key != "node" && key != "clock")
      directive.fail(fmt::format("'{}' is neither event, node nor clock", printable(key)));
    (key == "event" ? format.event : key == "node" ? format.node : format.clock) = word.substr(equals + 1);
  }
}

void read_value(Directive& directive, MapText& map) {
  const std::string word = directive.name("a word of the log", true);
  if (!directive.skip('=')) directive.fail("'=' is missing");
  const std::string number = directive.rest();
  const std::optional<int32_t> value = parse_number<int32_t>(number);
  if (!value) directive.fail(fmt::format("'{}' is no number", printable(number)));
  map.values[word] = *value;
}

void read_directive(Directive& directive, const TextPlace& place, std::string_view text, MapText& map) {
  if (directive.skip_word("event")) {
    RuleText rule = read_event(directive);
    rule.place = place;
    rule.text = trimmed(text);
    map.rules.push_back(std::move(rule));
  } else if (directive.skip_word("ignore")) {
    do map.ignored.insert(directive.name("the name of an event", true));
    while (directive.skip(',') || !directive.at_end());
  } else if (directive.skip_word("value")) {
    read_value(directive, map);
  } else if (directive.skip_word("log")) {
    read_format(directive, map.format);
  } else if (directive.skip_word("line")) {
    map.format.patterns.push_back(directive.rest());
    map.format.pattern_places.push_back(place);
    map.format.kind = LogFormat::Kind::kText;
  } else {
    directive.fail("a line of a map begins with event, ignore, value, log or line");
  }
}

}  // namespace

Error error_at(const TextPlace& place, std::string_view message) {
  std::string where = printable(place.file);
  if (place.line > 0) where += fmt::format(":{}", place.line);
  if (place.column > 0) where += fmt::format(":{}", place.column);
  return Error{fmt::format("{}: error: {}", where, message)};
}

Result<MapText> parse_map(const std::string& file, std::string_view text, bool is_model) {
  MapText map;
  uint64_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    size_t start = 0;
    while (start < line.size() && is_space(line[start])) ++start;
    const bool is_comment = line.substr(start).starts_with("//@");
    if (is_comment) start += 3;
    if (is_model && !is_comment) continue;
    line = line.substr(start);
    if (trimmed(line).empty() || trimmed(line).starts_with('#') || trimmed(line).starts_with("//")) continue;
    Directive directive(line);
    try {
      read_directive(directive, {file, number, start + 1}, line, map);
    } catch (const Malformed& error) {
      return error_at({file, number, start + error.at + 1}, error.message);
    }
  }
  return map;
}

}  // namespace cmc::conform
