#include "checker/report/logs/log_table.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/logs/log_json.h"
#include "checker/report/logs/store_fields.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

constexpr std::string_view kDifference = "difference";

enum class Unit : uint8_t { kNone, kCount, kBytes, kSeconds, kPercent, kRatio };

using Value = std::variant<std::monostate, uint64_t, double, std::string>;  // monostate: the log does not tell

struct Figure {
  std::string name;
  std::string title;
  Unit unit = Unit::kCount;
  Value value;
};

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

Value most_frequent_size(const SearchStatistics& statistics) {
  if (statistics.state_sizes.empty()) return {};
  const auto most =
      std::ranges::max_element(statistics.state_sizes, {}, [](const auto& entry) { return entry.second; });
  return uint64_t{most->first};
}

// Every log has the same list, in the same order.
std::vector<Figure> figures_of(const SearchLog& log) {
  const SearchStatistics& t = log.statistics;
  std::vector<Figure> figures;
  const auto add = [&](const char* name, const char* title, Unit unit, Value value) {
    figures.push_back({name, title, unit, std::move(value)});
  };
  const auto counted = [&](uint64_t value) { return t.collected ? Value(value) : Value(); };
  std::string outcome = "complete";
  if (!log.complete) outcome = fmt::format("incomplete ({})", fmt::join(log.reasons, ", "));
  if (log.running) outcome = "running or killed";
  const bool known = !log.running || log.visited > 0;
  const auto if_known = [&](Value value) { return known ? std::move(value) : Value(); };
  add("search", "search", Unit::kNone, std::move(outcome));
  add("visited", "states visited", Unit::kCount, if_known(log.visited));
  add("created", "states created", Unit::kCount, if_known(log.created));
  add("seconds", "time", Unit::kSeconds, if_known(log.seconds));
  add("states_per_second", "states per second", Unit::kCount,
      log.seconds >= 0.001 ? Value(static_cast<uint64_t>(static_cast<double>(log.visited) / log.seconds)) : Value());
  add("max_state_bytes", "maximum state size", Unit::kBytes, log.running ? Value() : Value(log.max_state_bytes));
  add("order", "order", Unit::kNone, log.running ? Value() : Value(std::string(name_in(kUsedOrderNames, log.order))));
  add("state_sizes", "different state sizes", Unit::kCount, counted(t.state_sizes.size()));
  add("most_frequent_state_bytes", "most frequent state size", Unit::kBytes, most_frequent_size(t));
  add("single_successor", "single successor states", Unit::kCount, counted(t.single_successor));
  add("dead_ends", "dead ends", Unit::kCount, counted(t.dead_ends));
  add("asleep_steps", "of sleeping processes", Unit::kCount, counted(t.asleep_steps));
  const bool depth_first = log.order == UsedOrder::kDepthFirst;
  add("dfs_problems", "DFS problems", Unit::kCount, depth_first ? counted(t.dfs_problems) : Value());
  add("dfs_problems_real", "DFS problems, real", Unit::kCount, depth_first ? counted(t.dfs_problems_real) : Value());
  const StoreFigures s = t.store.value_or(StoreFigures());
  const auto computed = [&](double value) { return t.store ? Value(value) : Value(); };
  const auto bits_set = static_cast<double>(s.bloom_bits_set);
  for (const StoreField& row : store_fields()) {
    const bool told = t.store && (row.in_text || !log.derived);
    add(row.name, row.title, row.is_bytes ? Unit::kBytes : Unit::kCount,
        told ? Value(row.member.get(*t.store)) : Value());
    if (std::string_view(row.name) == "explicit_lookups") {
      add("explicit_partitions", "disk: partitions in them", Unit::kCount,
          t.explicit_partitions ? Value(*t.explicit_partitions) : Value());
    }
    if (std::string_view(row.name) != "bloom_resolved") continue;
    add("collision_rate", "Bloom filter: collision rate", Unit::kRatio,
        computed(share_of(s.bloom_hashes * static_cast<double>(s.bloom_entries), bits_set)));
    add("fill_rate", "Bloom filter: fill rate", Unit::kRatio,
        computed(share_of(bits_set, static_cast<double>(s.bloom_bits))));
  }
  add("disk_wait_seconds", "disk: time waited for it", Unit::kSeconds,
      t.disk_wait_seconds ? Value(*t.disk_wait_seconds) : Value());
  const double share_of_disk = share_of(static_cast<double>(s.cache_failures), static_cast<double>(log.created) + 1);
  add("decided_in_memory", "decided without the disk", Unit::kPercent, computed(100 - 100 * share_of_disk));
  return figures;
}

std::string text_of(const Figure& figure) {
  if (const auto* text = std::get_if<std::string>(&figure.value)) return printable(*text);
  if (const auto* count = std::get_if<uint64_t>(&figure.value)) {
    return figure.unit == Unit::kBytes ? format_count(*count) + " bytes" : format_count(*count);
  }
  if (const auto* number = std::get_if<double>(&figure.value)) {
    switch (figure.unit) {
      case Unit::kSeconds: return *number == 0 ? "0 s" : format_seconds(*number);  // a log has whole seconds
      case Unit::kPercent: return fmt::format("{:.2f} %", *number);
      default: return fmt::format("{:.3f}", *number);
    }
  }
  return "-";
}

// By how much the second log has more: "+1,234 (+5.0 %)". Empty: one of them does not tell, or it is no number.
std::optional<double> number_of(const Value& value) {
  if (const auto* count = std::get_if<uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::string difference_text(const Figure& first, const Figure& second) {
  const std::optional<double> before = number_of(first.value);
  const std::optional<double> after = number_of(second.value);
  if (!before || !after) return first.value == second.value ? "" : "other";
  if (*before == *after) return "=";
  Figure size = first;
  if (const auto* count = std::get_if<uint64_t>(&first.value)) {
    const uint64_t other = std::get<uint64_t>(second.value);
    size.value = std::max(*count, other) - std::min(*count, other);
  } else {
    size.value = std::abs(*after - *before);
  }
  std::string text = (*after > *before ? "+" : "-") + text_of(size);
  if (*before != 0 && first.unit != Unit::kPercent)
    text += fmt::format(" ({:+.1f} %)", 100 * (*after - *before) / *before);
  return text;
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t have = display_width(text);
  return std::string(width > have ? width - have : 0, ' ') + std::string(text);
}

std::string csv_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return csv_cell(*text);
  if (const auto* count = std::get_if<uint64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
  return "";
}

struct SpanFigure {
  const char* name;
  const char* title;
  uint64_t TimeSeriesRow::*member;
  bool grows;  // it counts up: only the difference is of interest
};
constexpr SpanFigure kSpanFigures[] = {
    {"visited", "states visited", &TimeSeriesRow::visited, true},
    {"created", "states created", &TimeSeriesRow::created, true},
    {"open", "open states", &TimeSeriesRow::open, false},
    {"candidates", "candidates", &TimeSeriesRow::candidates, false},
    {"reclaimed", "states reclaimed", &TimeSeriesRow::reclaimed, true},
    {"pages_written", "pages written", &TimeSeriesRow::pages_written, true},
    {"pages_read", "pages read", &TimeSeriesRow::pages_read, true},
};

// What happened between the two rows; nothing of what stayed as it was.
std::string span_text(const std::string& name, const NamedLog& log) {
  if (!log.span) return "";
  const auto& [begin, end] = *log.span;
  const double seconds = end.seconds - begin.seconds;
  std::string text = fmt::format("{}: from {:.1f} to {:.1f} seconds\n", printable(name), begin.seconds, end.seconds);
  for (const SpanFigure& figure : kSpanFigures) {
    const uint64_t from = begin.*figure.member;
    const uint64_t to = end.*figure.member;
    if (from == to) continue;
    text += fmt::format("  {:<16}  {} to {}", figure.title, format_count(from), format_count(to));
    if (figure.grows && to > from && seconds > 0)
      text +=
          fmt::format(": {} a second", format_count(static_cast<uint64_t>(static_cast<double>(to - from) / seconds)));
    text += '\n';
  }
  const std::vector<TimeSeriesRow>& rows = *log.series;
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    if (!is_gap(rows[i], rows[i + 1])) continue;
    text += fmt::format("  no figures from {:.1f} to {:.1f} seconds\n", rows[i].seconds, rows[i + 1].seconds);
  }
  return text + '\n';
}

nlohmann::ordered_json span_json(const NamedLog& log) {
  nlohmann::ordered_json json;
  const auto& [begin, end] = *log.span;
  for (const auto& [name, row] : {std::pair{"from", &begin}, std::pair{"to", &end}}) {
    json[name]["seconds"] = row->seconds;
    for (const SpanFigure& figure : kSpanFigures) json[name][figure.name] = row->*figure.member;
  }
  return json;
}

std::string identities_text(const std::string& name, const SearchLog& log) {
  std::string text;
  if (!log.command.empty()) text += fmt::format("{}: {}\n", printable(name), printable(log.command));
  const std::vector<BrokenIdentity> broken = check_identities(log);
  if (log.running) {
    text += fmt::format("{}: the search is still running, or it was killed\n", printable(name));
  } else if (!log.statistics.collected) {
    text += fmt::format("{}: there are no figures that identities tie together\n", printable(name));
  } else if (store_failed(log)) {
    text += fmt::format("{}: no identities, since the store failed in the middle of counting\n", printable(name));
  } else if (broken.empty()) {
    text += fmt::format("{}: all identities hold\n", printable(name));
  } else {
    text += fmt::format("{}: {} broken:\n", printable(name),
                        broken.size() == 1 ? "an identity is" : fmt::format("{} identities are", broken.size()));
    for (const BrokenIdentity& identity : broken) {
      text += fmt::format("  {}: {} is not {}\n", identity.text, identity.left, identity.right);
    }
  }
  for (const std::string& remark : log_remarks(log)) text += fmt::format("  note: {}\n", remark);
  return text;
}

}  // namespace

std::vector<std::string> short_names(std::span<const NamedLog> logs) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const NamedLog& each : logs) {
    std::string name = each.file.substr(each.file.rfind('/') + 1);
    if (!seen.insert(name).second) {
      names.clear();
      for (const NamedLog& full : logs) names.push_back(full.file);
      return names;
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string logs_text(std::span<const NamedLog> logs) {
  const std::vector<std::string> names = short_names(logs);
  std::vector<std::vector<Figure>> columns;
  std::vector<size_t> widths;
  for (size_t i = 0; i < logs.size(); ++i) {
    columns.push_back(figures_of(logs[i].log));
    widths.push_back(display_width(printable(names[i])));
    for (const Figure& figure : columns.back()) widths[i] = std::max(widths[i], display_width(text_of(figure)));
  }
  if (columns.empty()) return "";
  std::vector<std::string> differences;
  if (columns.size() == 2) {
    for (size_t row = 0; row < columns[0].size(); ++row)
      differences.push_back(difference_text(columns[0][row], columns[1][row]));
  }
  size_t difference_width = kDifference.size();
  for (const std::string& each : differences) difference_width = std::max(difference_width, display_width(each));
  size_t title_width = 0;
  for (const Figure& figure : columns.front()) title_width = std::max(title_width, figure.title.size());

  std::string text(title_width, ' ');
  for (size_t i = 0; i < logs.size(); ++i) text += "  " + pad_left(printable(names[i]), widths[i]);
  if (!differences.empty()) text += "  " + pad_left(kDifference, difference_width);
  text += '\n';
  for (size_t row = 0; row < columns.front().size(); ++row) {
    const bool told =
        std::ranges::any_of(columns, [&](const auto& column) { return column[row].value.index() != 0; });
    if (!told) continue;
    text += pad_right(columns.front()[row].title, title_width);
    for (size_t i = 0; i < columns.size(); ++i) text += "  " + pad_left(text_of(columns[i][row]), widths[i]);
    if (!differences.empty()) text += "  " + pad_left(differences[row], difference_width);
    text += '\n';
  }
  text += '\n';
  for (size_t i = 0; i < logs.size(); ++i) text += span_text(names[i], logs[i]);
  for (size_t i = 0; i < logs.size(); ++i) text += identities_text(names[i], logs[i].log);
  return text;
}

std::string logs_json(std::span<const NamedLog> logs) {
  nlohmann::ordered_json json;
  json["schema"] = "cmc.log/1";
  json["version"] = kVersion;
  json["logs"] = nlohmann::ordered_json::array();
  for (const NamedLog& each : logs) {
    const SearchLog& log = each.log;
    nlohmann::ordered_json entry;
    entry["file"] = each.file;
    if (!log.command.empty()) entry["command"] = log.command;
    entry["running"] = log.running;
    entry["complete"] = log.complete;
    entry["reasons"] = log.reasons;
    entry["order"] = name_in(kUsedOrderNames, log.order);
    entry["visited"] = log.visited;
    entry["created"] = log.created;
    entry["seconds"] = log.seconds;
    entry["state_bytes_max"] = log.max_state_bytes;
    if (log.statistics.collected) entry["log"] = statistics_json(log.statistics, log.order);
    entry["derived"] = log.derived;
    const std::vector<BrokenIdentity> broken = check_identities(log);
    entry["identities_hold"] = broken.empty();
    entry["broken_identities"] = nlohmann::ordered_json::array();
    for (const BrokenIdentity& identity : broken) {
      entry["broken_identities"].push_back(
          {{"text", identity.text}, {"left", identity.left}, {"right", identity.right}});
    }
    entry["remarks"] = log_remarks(log);
    if (each.span) entry["span"] = span_json(each);
    json["logs"].push_back(std::move(entry));
  }
  if (logs.size() == 2) {
    json["differences"] = nlohmann::ordered_json::object();
    const std::vector<Figure> first = figures_of(logs[0].log);
    const std::vector<Figure> second = figures_of(logs[1].log);
    for (size_t i = 0; i < first.size(); ++i) {
      const std::optional<double> before = number_of(first[i].value);
      const std::optional<double> after = number_of(second[i].value);
      if (before && after && *before != *after) json["differences"][first[i].name] = *after - *before;
    }
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string logs_csv(std::span<const NamedLog> logs) {
  std::string text = "file";
  for (const Figure& figure : figures_of({})) text += ',' + figure.name;
  text += ",identities_broken\n";
  for (const NamedLog& each : logs) {
    text += csv_cell(each.file);
    for (const Figure& figure : figures_of(each.log)) text += ',' + csv_value(figure.value);
    text += fmt::format(",{}\n", check_identities(each.log).size());
  }
  return text;
}

}  // namespace cmc
