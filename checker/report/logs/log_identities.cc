#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/logs/search_log.h"
#include "storage/options/identities.h"

// The arithmetic of a log.

namespace cmc {
namespace {

using Wide = IdentityChecker::Wide;

}  // namespace

bool store_failed(const SearchLog& log) {
  return std::ranges::find(log.reasons, info(ReasonKind::kStore).name) != log.reasons.end();
}

std::vector<BrokenIdentity> check_identities(const SearchLog& log) {
  if (store_failed(log)) return {};
  IdentityChecker checker;
  const SearchStatistics& statistics = log.statistics;
  if (statistics.collected) {
    Wide sum = 0;
    for (const auto& [size, count] : statistics.state_sizes) sum += count;
    checker.equal("sum of the state size histogram = created", sum, log.created);
    checker.at_least("visited >= single successor states + dead ends", log.visited,
                     Wide{statistics.single_successor} + statistics.dead_ends);
    checker.at_least("DFS problems >= real ones", statistics.dfs_problems, statistics.dfs_problems_real);
    if (log.order != UsedOrder::kDepthFirst) {
      checker.equal("DFS problems = 0, since the order is not depth first", statistics.dfs_problems, 0);
    }
    checker.at_least("created >= those of sleeping processes", log.created, statistics.asleep_steps);
    // No state was asked for before the initial one was made.
    if (statistics.store && log.visited > 0 && log.created >= statistics.asleep_steps)
      checker.check_store(*statistics.store, log.visited, log.created - statistics.asleep_steps, log.complete);
  }
  return checker.take();
}

std::vector<std::string> log_remarks(const SearchLog& log) {
  const SearchStatistics& statistics = log.statistics;
  if (!statistics.store || statistics.store->reclaimed == 0 || statistics.state_sizes.empty()) return {};
  const StoreFigures& s = *statistics.store;
  const Wide least = Wide{s.reclaimed} * statistics.state_sizes.begin()->first;
  const Wide most = Wide{s.reclaimed} * log.max_state_bytes;
  const Wide bytes = s.reclaimed_bytes;
  // One state, the initial one, is in no histogram and may be smaller than all others.
  if (bytes >= least - statistics.state_sizes.begin()->first && bytes <= most) return {};
  std::string text =
      fmt::format("the bytes reclaimed ({}) are {} than {} states of {} to {} bytes can have",
                  format_count(s.reclaimed_bytes), bytes > most ? "more" : "fewer", format_count(s.reclaimed),
                  statistics.state_sizes.begin()->first, log.max_state_bytes);
  constexpr Wide kWrap = Wide{1} << 32;
  const Wide wraps = bytes < least ? (least - bytes + kWrap - 1) / kWrap : 0;
  const Wide whole = bytes + wraps * kWrap;
  if (wraps > 0 && whole <= most && whole <= std::numeric_limits<uint64_t>::max()) {
    text +=
        fmt::format("; with a 32-bit counter that wrapped{} they were {}",
                    wraps == 1 ? "" : fmt::format(" {} times", wraps), format_count(static_cast<uint64_t>(whole)));
  }
  return {text};
}

}  // namespace cmc
