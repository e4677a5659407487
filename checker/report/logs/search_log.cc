#include "checker/report/logs/search_log.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/report/logs/log_lines.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

using namespace log_lines;  // the forms of all lines

std::string fill(std::string_view pattern, std::initializer_list<uint64_t> numbers,
                 std::initializer_list<double> fractions = {}) {
  std::string line;
  const uint64_t* number = numbers.begin();
  const double* fraction = fractions.begin();
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

std::string write_pages(const StoreFigures& s) {
  return fill(kPages, {s.pages_written, s.pages_read, s.page_bytes, s.partitions, s.lookup_buffer});
}

std::string write_rounds(const StoreFigures& s) {
  return fill(kRounds, {s.turns, s.lookups, s.max_lookup}) +
         fill(kDecided, {s.lossy_resolved, s.duplicate_candidates, s.seen_in_memory, s.seen_on_pages(), s.reopened}) +
         fill(kHeld, {s.stored_states, s.lossy_left}) + write_pages(s);
}

std::string write_caches(const StoreFigures& s) {
  std::string text;
  const auto bits_set = static_cast<double>(s.bloom_bits_set);
  text += fill(kStore, {s.explicit_lookups});
  text += fill(kBloom, {s.bloom_hashes, s.bloom_bits, s.bloom_partial_collisions});
  text += fill(kBloomFill, {s.bloom_bits_set, s.bloom_entries},
               {ratio(s.bloom_hashes * static_cast<double>(s.bloom_entries), bits_set),
                ratio(bits_set, static_cast<double>(s.bloom_bits))});
  if (s.bloom_hashes == 1 && s.bloom_rebuilds > 0) text += fill(kRebuilds, {s.bloom_rebuilds});
  text += fill(kQueries, {s.bloom_queries, s.bloom_resolved});
  text += fill(kLossy, {s.lossy_elements, s.reclaimed, s.reclaimed_bytes, s.reclaim_runs});
  text += fill(kReplacements, {s.replacements});
  text += fill(kQueries, {s.lossy_queries, s.lossy_resolved});
  text += fill(kFailures, {s.cache_failures});
  text += fill(kDisk, {s.lookups, s.max_lookup, s.revisits});
  return text + write_pages(s);
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
    text += statistics.store->turns > 0 ? write_rounds(*statistics.store) : write_caches(*statistics.store);
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
