#include "checker/report/logs/search_log.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "checker/report/logs/log_lines.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

using namespace log_lines;  // the forms of all lines

std::string fill(std::string_view pattern, const std::vector<uint64_t>& numbers,
                 const std::vector<double>& fractions = {}) {
  std::string line;
  auto number = numbers.begin();
  auto fraction = fractions.begin();
  for (const char c : pattern) {
    if (c == '%') {
      line += group_digits(*number++);
    } else if (c == '~') {
      line += fmt::format("{:.2f}", *fraction++);
    } else {
      line += c;
    }
  }
  CHECK(number == numbers.end() && fraction == fractions.end());
  return line + '\n';
}

uint64_t milliseconds(double seconds) {
  return static_cast<uint64_t>(std::llround(std::clamp(seconds, 0.0, kMaxLogSeconds) * 1000));
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string write_store(StoreFigures s) {
  const auto bits_set = static_cast<double>(s.bloom_bits_set);
  const std::vector<double> rates = {ratio(s.bloom_hashes * static_cast<double>(s.bloom_entries), bits_set),
                                     ratio(bits_set, static_cast<double>(s.bloom_bits))};
  const bool in_rounds = s.turns > 0;
  if (in_rounds) s.revisits = s.seen_on_pages();
  std::string text;
  for (const StoreLine& line : in_rounds ? std::span<const StoreLine>(kRoundLines) : kCacheLines) {
    const std::string_view form = line.form;
    if (form == kRebuilds && (s.bloom_hashes != 1 || s.bloom_rebuilds == 0)) continue;
    std::vector<uint64_t> numbers(static_cast<size_t>(std::ranges::count(form, '%')));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = line.figures[i].get(s);
    text += fill(form, numbers, form.find('~') == std::string_view::npos ? std::vector<double>() : rates);
  }
  return text;
}

}  // namespace

std::string group_digits(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ".");
  }
  return digits;
}

SearchLog make_log(const SearchResult& result) {
  SearchLog log;
  log.complete = result.complete();
  for (const Reason& reason : result.reasons) {
    const char* const kind = info(reason.kind).name;
    if (std::ranges::find(log.reasons, kind) == log.reasons.end()) log.reasons.emplace_back(kind);
  }
  if (!log.complete && log.reasons.empty()) log.reasons.emplace_back("errors");
  log.order = result.order;
  log.visited = result.states_stored;
  log.created = result.transitions;
  log.seconds = result.wall_seconds;
  log.max_state_bytes = result.state_bytes_max;
  log.statistics = result.statistics;
  return log;
}

std::string running_log(std::string_view begun) { return fmt::format("{} begun {}\n", kRunning, begun); }

std::string write_log(const SearchLog& log) {
  std::string text(kComplete);
  if (!log.complete) text = fmt::format("{} ({}):", kIncomplete, fmt::join(log.reasons, ", "));
  text += ' ';
  text += fill(kTotals, {log.visited, log.created, static_cast<uint64_t>(std::llround(std::max(0.0, log.seconds))),
                         log.max_state_bytes});
  text += fmt::format("{} {}\n", kOrder, name_in(kUsedOrderNames, log.order));
  if (!log.command.empty()) text += fmt::format("{} {}\n", kCommand, printable(log.command));
  const SearchStatistics& statistics = log.statistics;
  if (!statistics.collected) return text;
  if (log.order == UsedOrder::kDepthFirst) {
    text += fill(kShape, {statistics.single_successor, statistics.dead_ends, statistics.dfs_problems,
                          statistics.dfs_problems_real});
  } else {
    text += fill(kShapeInOtherOrders, {statistics.single_successor, statistics.dead_ends});
  }
  if (statistics.asleep_steps > 0) text += fill(kAsleep, {statistics.asleep_steps});
  if (statistics.store) {
    text += write_store(*statistics.store);
    if (statistics.disk_wait_seconds && statistics.explicit_partitions) {
      text += fill(kWait, {milliseconds(*statistics.disk_wait_seconds), *statistics.explicit_partitions});
    }
  }
  text += kHistogram;
  const char* separator = " ";
  for (const auto& [size, count] : statistics.state_sizes) {
    text += fmt::format("{}{}:{}", separator, group_digits(size), group_digits(count));
    separator = ", ";
  }
  return text + '\n';
}

}  // namespace cmc
