#include "checker/conform/event_log.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checker/report/style/style.h"
#include "promela/text/diagnostic.h"

namespace cmc::conform {
namespace {

using ReadJson = nlohmann::json;
using LogKind = LogFormat::Kind;

// Without back references a search takes polynomial time; libstdc++ promises it only if it is told so, and would else
// try each of exponentially many ways ("((a|aa)+)b" on a line of 60 a's), which no signal and no limit ends.
constexpr std::regex::flag_type kSyntax = std::regex::ECMAScript | std::regex::optimize
#ifdef __GLIBCXX__
                                          | std::regex_constants::__polynomial
#endif
    ;

// The regular expression without names of groups, which are put into `names`.
std::string without_names(const std::string& pattern, std::vector<std::string>& names) {
  std::string plain;
  for (size_t i = 0; i < pattern.size(); ++i) {
    plain += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      plain += pattern[++i];
    } else if (pattern[i] == '(') {
      const bool with_p = pattern.compare(i, 4, "(?P<") == 0;
      if (!with_p && pattern.compare(i, 3, "(?<") != 0) {
        if (i + 1 < pattern.size() && pattern[i + 1] != '?') names.emplace_back();
        continue;
      }
      const size_t begin = i + (with_p ? 4 : 3);
      const size_t end = std::min(pattern.find('>', begin), pattern.size());
      names.push_back(pattern.substr(begin, end - begin));
      i = end;
    }
  }
  return plain;
}

std::string text_of(const ReadJson& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_structured() ? "a list or an object" : value.dump();
}

}  // namespace

struct LogReader::Cells {
  struct Cell {
    std::string name;
    ReadJson value;
    uint64_t column = 0;
  };
  std::vector<Cell> cells;
  [[nodiscard]] const Cell* find(const std::string& name) const {
    const auto found = std::ranges::find(cells, name, &Cell::name);
    return found == cells.end() ? nullptr : &*found;
  }
};

struct LogReader::Timed {
  EventLog::Event event;
  TextPlace place;
  std::string node;
  long double time = 0;                   // exact for 64-bit integers
  std::map<std::string, int64_t> vector;  // empty: `time` counts
};

struct LogReader::Inside {
  std::map<std::string, int32_t> words;                 // of the model and the map
  std::map<std::string, std::vector<uint32_t>> fields;  // by event
  struct Pattern {
    std::regex regex;
    std::vector<std::string> names;
  };
  std::vector<Pattern> patterns;
  LogKind kind = LogKind::kJson;
  std::vector<std::string> columns;  // of CSV
  std::vector<Timed> timed;
  bool has_untimed = false;
};

LogReader::LogReader(const Model& model, const EventMap& map) : map_(map), inside_(std::make_unique<Inside>()) {
  std::map<std::string, int32_t>& words = inside_->words;
  words = {{"true", 1}, {"false", 0}};
  for (const auto& names : model.mtype_sets) {
    for (size_t i = 0; i < names.size(); ++i) words.try_emplace(names[i], static_cast<int32_t>(i) + 1);
  }
  for (size_t i = 0; i < model.channels.size(); ++i)
    words.try_emplace(model.channels[i].name, static_cast<int32_t>(i) + 1);
  for (const auto& [word, value] : map.text().values) words[word] = value;
  for (const Rule& rule : map.rules()) {
    std::vector<uint32_t>& fields = inside_->fields[rule.text.event];
    for (const uint32_t each : rule.fields) {
      if (std::ranges::find(fields, each) == fields.end()) fields.push_back(each);
    }
  }
}

LogReader::~LogReader() = default;

bool LogReader::has_clocks() const { return !inside_->timed.empty(); }

uint64_t EventLog::events() const {
  uint64_t count = 0;
  for (const Stream& each : streams_) count += each.events.size();
  return count;
}

TextPlace LogReader::place(uint64_t column) const { return {log_.files_.back(), line_, column}; }

Status LogReader::begin(const std::string& file) {
  const LogFormat& format = map_.text().format;
  log_.files_.push_back(file == "-" ? "<stdin>" : file);
  log_.streams_.push_back({log_.files_.back(), {}, {}});
  line_ = 0;
  inside_->columns.clear();
  inside_->kind = format.kind != LogKind::kByName ? format.kind
                  : file.ends_with(".csv")        ? LogKind::kCsv
                                                  : LogKind::kJson;
  if (inside_->kind != LogKind::kText || !inside_->patterns.empty()) return Success{};
  for (size_t i = 0; i < format.patterns.size(); ++i) {
    Inside::Pattern pattern;
    const std::string plain = without_names(format.patterns[i], pattern.names);
    try {
      pattern.regex = std::regex(plain, kSyntax);
    } catch (const std::regex_error& error) {
      return error_at(format.pattern_places[i], fmt::format("this is no regular expression: {}", error.what()));
    }
    if (std::ranges::find(pattern.names, format.event) == pattern.names.end())
      return error_at(format.pattern_places[i], fmt::format("no group is called {0}: (?<{0}>...)", format.event));
    inside_->patterns.push_back(std::move(pattern));
  }
  if (inside_->patterns.empty()) return Error{"the map says that logs are text, but has no `line` with a pattern"};
  return Success{};
}

Status LogReader::read_cells(std::string_view line, Cells& cells) {
  if (inside_->kind == LogKind::kJson) {
    try {
      const ReadJson json = ReadJson::parse(line);
      if (!json.is_object()) return error_at(place(1), "an event is a JSON object, in a line of its own");
      for (const auto& [name, value] : json.items()) {
        const size_t found = line.find(fmt::format("\"{}\"", name));
        cells.cells.push_back({name, value, found == std::string_view::npos ? 1 : found + 1});
      }
    } catch (const ReadJson::parse_error& error) {
      return error_at(place(std::max<uint64_t>(error.byte, 1)),
                      "this line is no JSON object, or is cut; `log csv` or `log text` in the map says that the log "
                      "is another one");
    } catch (const ReadJson::exception&) {
      return error_at(place(1), "this line has a number that is too large");
    }
    return Success{};
  }
  if (inside_->kind == LogKind::kText) {
    const std::string text(line.substr(0, kMostText));
    std::smatch match;
    for (const Inside::Pattern& each : inside_->patterns) {
      try {
        if (!std::regex_search(text, match, each.regex)) continue;
      } catch (const std::regex_error&) {
        return error_at(place(1), "the regular expression takes too long for this line");
      }
      for (size_t i = 0; i < each.names.size() && i + 1 < match.size(); ++i) {
        if (each.names[i].empty() || !match[i + 1].matched) continue;
        cells.cells.push_back({each.names[i], match[i + 1].str(), static_cast<uint64_t>(match.position(i + 1)) + 1});
      }
      break;
    }
    return Success{};  // a line that fits nothing is no event
  }
  std::vector<Cells::Cell> row;
  for (size_t at = 0;;) {  // RFC 4180, without line ends in quotes
    const size_t begin = at;
    std::string value;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size()) return error_at(place(begin + 1), "a quote is not closed");
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        value += line[at];
      }
      if (++at < line.size() && line[at] != ',') return error_at(place(at + 1), "a comma is missing");
    } else {
      while (at < line.size() && line[at] != ',') value += line[at++];
    }
    row.push_back({"", value, begin + 1});
    if (at >= line.size()) break;
    ++at;
  }
  if (inside_->columns.empty()) {
    for (const Cells::Cell& each : row) inside_->columns.push_back(each.value.get<std::string>());
    const std::string& event = map_.text().format.event;
    if (std::ranges::find(inside_->columns, event) == inside_->columns.end())
      return error_at(place(1), fmt::format("the first line has the names of columns, and none is '{}'", event));
    return Success{};
  }
  if (row.size() != inside_->columns.size())
    return error_at(place(1), fmt::format("{} values in a log of {} columns", row.size(), inside_->columns.size()));
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].value != "") cells.cells.push_back({inside_->columns[i], row[i].value, row[i].column});
  }
  return Success{};
}

Status LogReader::add(std::string_view line) {
  ++line_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return Success{};
  Cells cells;
  const Status read = read_cells(line, cells);
  if (!read.ok()) return read;
  return cells.cells.empty() ? Success{} : add_event(cells);
}

Status LogReader::add_event(const Cells& cells) {
  const LogFormat& format = map_.text().format;
  const Cells::Cell* const name = cells.find(format.event);
  if (name == nullptr) return error_at(place(1), fmt::format("the line has no '{}'", printable(format.event)));
  if (!name->value.is_string()) return error_at(place(name->column), "the name of an event is a string");
  const std::string event = name->value.get<std::string>();
  if (map_.text().ignored.contains(event)) return Success{};
  if (!map_.knows(event)) {
    std::vector<std::string_view> names;
    for (const Rule& each : map_.rules()) names.push_back(each.text.event);
    const std::string close = promela::did_you_mean(event, names);
    return error_at(place(name->column),
                    fmt::format("the map has no event '{}'{}", printable(event),
                                close.empty() ? "; `ignore` names events that are not looked at" : close));
  }
  CMC_TRY(const uint32_t number, class_of(cells, event));
  const EventLog::Event made{number, static_cast<uint32_t>(log_.files_.size() - 1), line_};
  if (cells.find(format.clock) != nullptr) return add_clock(cells, made);
  inside_->has_untimed = true;
  if (!inside_->timed.empty()) return error_at(place(1), "this event has no clock, others have");
  log_.streams_.back().events.push_back(made);
  return Success{};
}

Result<uint32_t> LogReader::class_of(const Cells& cells, const std::string& event) {
  std::vector<int32_t> values(map_.fields().size());
  std::string text;
  for (const uint32_t field : inside_->fields[event]) {
    const std::string& name = map_.fields()[field];
    const Cells::Cell* const cell = cells.find(name);
    if (cell == nullptr)
      return error_at(place(1), fmt::format("the event '{}' has no '{}', which the map names", event, name));
    std::optional<int64_t> value;
    const std::string word = text_of(cell->value);
    if (cell->value.is_number_unsigned()) {
      value = static_cast<int64_t>(std::min<uint64_t>(cell->value.get<uint64_t>(), INT64_MAX));
    } else if (cell->value.is_number_integer()) {
      value = cell->value.get<int64_t>();
    } else if (cell->value.is_boolean()) {
      value = cell->value.get<bool>() ? 1 : 0;
    } else if (cell->value.is_string()) {
      const auto known = inside_->words.find(word);
      value = known != inside_->words.end() ? known->second : parse_number<int64_t>(word);
    }
    if (!value) {
      return error_at(place(cell->column),
                      fmt::format("'{}' is {}, which is neither a whole number nor a name of the model or the map",
                                  name, printable(word.substr(0, 80))));
    }
    if (*value < INT32_MIN || *value > INT32_MAX)
      return error_at(place(cell->column), fmt::format("'{}' is {}, which does not fit into 32 bits", name, *value));
    values[field] = static_cast<int32_t>(*value);
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, printable(word));
  }
  std::string content = event + '\0';
  content.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  const auto [found, is_new] =
      log_.numbers_.try_emplace(std::move(content), static_cast<uint32_t>(log_.classes_.size()));
  if (is_new) log_.classes_.push_back({event, std::move(values), fmt::format("{}({})", printable(event), text)});
  return found->second;
}

Status LogReader::add_clock(const Cells& cells, EventLog::Event event) {
  const LogFormat& format = map_.text().format;
  const Cells::Cell& cell = *cells.find(format.clock);
  if (inside_->has_untimed) return error_at(place(cell.column), "this event has a clock, others have none");
  ReadJson clock = cell.value;
  if (clock.is_string()) clock = ReadJson::parse(clock.get<std::string>(), nullptr, false);
  Timed timed{event, place(cell.column), log_.streams_.back().name, 0, {}};
  const Cells::Cell* const node = cells.find(format.node);
  if (node != nullptr) timed.node = text_of(node->value);
  if (clock.is_number_integer()) {
    timed.time = clock.is_number_unsigned() ? static_cast<long double>(clock.get<uint64_t>())
                                            : static_cast<long double>(clock.get<int64_t>());
  } else if (clock.is_number()) {
    timed.time = clock.get<double>();
  } else if (clock.is_object() && !clock.empty()) {
    for (const auto& [name, count] : clock.items()) {
      if (!count.is_number_integer() || count.get<int64_t>() < 0)
        return error_at(timed.place, fmt::format("the clock of '{}' is no whole number", printable(name)));
      timed.vector[name] = count.get<int64_t>();
    }
    if (node == nullptr)
      return error_at(timed.place, fmt::format("a vector clock needs a '{}', whose event it is", format.node));
    if (!timed.vector.contains(timed.node))
      return error_at(timed.place, fmt::format("the clock has no '{}', whose event it is", printable(timed.node)));
  } else {
    return error_at(timed.place, "a clock is a number, or an object with a number for each node");
  }
  if (!inside_->timed.empty() && inside_->timed.front().vector.empty() != timed.vector.empty())
    return error_at(timed.place, "some clocks are numbers and others are vectors");
  inside_->timed.push_back(std::move(timed));
  return Success{};
}

Status LogReader::finish() {
  if (inside_->timed.empty()) return Success{};
  log_.streams_.clear();
  return inside_->timed.front().vector.empty() ? order_by_time() : order_by_vectors();
}

Status LogReader::order_by_time() {
  std::vector<Timed>& all = inside_->timed;
  std::ranges::stable_sort(all, {}, &Timed::time);
  const auto twin = std::ranges::adjacent_find(all, {}, &Timed::time);
  if (twin != all.end()) {
    const TextPlace& other = twin->place;
    return error_at(std::next(twin)->place,
                    fmt::format("two events at one clock; the other is {}:{}", printable(other.file), other.line));
  }
  EventLog::Stream& stream = log_.streams_.emplace_back();
  stream.name = "all";
  for (const Timed& each : all) stream.events.push_back(each.event);
  all.clear();
  return Success{};
}

Status LogReader::order_by_vectors() {
  std::map<std::string, std::vector<const Timed*>> nodes;
  for (const Timed& each : inside_->timed) nodes[each.node].push_back(&each);
  if (nodes.size() > kMostNodes) return Error{fmt::format("there are more than {} nodes", kMostNodes)};
  for (auto& [name, events] : nodes) {
    const auto own = [&name = name](const Timed* each) { return each->vector.at(name); };
    std::ranges::stable_sort(events, {}, own);
    for (size_t i = 1; i < events.size(); ++i) {
      if (own(events[i - 1]) == own(events[i]))
        return error_at(events[i]->place,
                        fmt::format("two events of '{}' at one clock; the other is {}:{}", printable(name),
                                    printable(events[i - 1]->place.file), events[i - 1]->place.line));
      for (const auto& [other, count] : events[i - 1]->vector) {
        const auto next = events[i]->vector.find(other);
        if (next == events[i]->vector.end() || next->second < count)
          return error_at(events[i]->place, fmt::format("the clock of '{}' goes back", printable(other)));
      }
    }
  }
  for (const auto& [name, events] : nodes) {
    EventLog::Stream& stream = log_.streams_.emplace_back();
    stream.name = name;
    std::vector<uint32_t> before(nodes.size());
    for (const Timed* each : events) {
      stream.events.push_back(each->event);
      size_t number = 0;
      for (const auto& [other, theirs] : nodes) {
        const auto known = each->vector.find(other);
        uint32_t& count = before[number++];
        if (&theirs == &events || known == each->vector.end()) continue;
        while (count < theirs.size() && theirs[count]->vector.at(other) <= known->second) ++count;
      }
      stream.needs.insert(stream.needs.end(), before.begin(), before.end());
    }
  }
  inside_->timed.clear();
  return check_order();
}

// Each event comes behind those that its clock knows of, in some order.
Status LogReader::check_order() const {
  const std::vector<EventLog::Stream>& streams = log_.streams_;
  std::vector<uint32_t> cut(streams.size());
  for (bool moves = true; moves;) {
    moves = false;
    for (size_t i = 0; i < streams.size(); ++i) {
      for (; cut[i] < streams[i].events.size() && log_.is_ready(i, cut); ++cut[i]) moves = true;
    }
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    if (cut[i] < streams[i].events.size())
      return error_at(log_.place(streams[i].events[cut[i]]), "its clock knows of an event that knows of this one");
  }
  return Success{};
}

bool EventLog::is_ready(size_t stream, std::span<const uint32_t> cut) const {
  const std::vector<uint32_t>& needs = streams_[stream].needs;
  if (needs.empty()) return true;
  const uint32_t* const need = needs.data() + size_t{cut[stream]} * streams_.size();
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (cut[i] < need[i]) return false;
  }
  return true;
}

}  // namespace cmc::conform
