#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "checker/report/search_log.h"
#include "checker/report/style.h"

// The arithmetic of a log. Exact: sums of any 64-bit figures fit into 128 bits.

namespace cmc {
namespace {

using Wide = __int128;

class Checker {
 public:
  void equal(const char* text, Wide left, Wide right) {
    if (left != right) add(text, left, right);
  }
  void at_least(const char* text, Wide left, Wide right) {
    if (left < right) add(text, left, right);
  }
  std::vector<BrokenIdentity> take() { return std::move(broken_); }

 private:
  void add(const char* text, Wide left, Wide right) {
    broken_.push_back({text, fmt::format("{}", left), fmt::format("{}", right)});
  }
  std::vector<BrokenIdentity> broken_;
};

void check_store(Checker& checker, const SearchLog& log, const StoreFigures& s) {
  const Wide visited = log.visited;
  const Wide created = log.created;
  const Wide resolved = Wide{s.lossy_resolved} + s.revisits + s.duplicate_candidates;
  checker.equal("Bloom queries + exact queries = created + 1", Wide{s.bloom_queries} + s.exact_queries, created + 1);
  // The exact set's states, and all when a filter is rebuilt for wider keys, enter it without being asked for.
  if (s.bloom_hashes == 1 && s.exact_queries == 0 && s.bloom_rebuilds == 0) {
    checker.equal("k = 1: Bloom resolved = bits set", s.bloom_resolved, s.bloom_bits_set);
  }
  checker.equal("Bloom entries = visited", s.bloom_entries, visited);
  checker.equal("lossy elements = visited", s.lossy_elements, visited);
  checker.equal("lossy queries = Bloom queries - Bloom resolved", s.lossy_queries,
                Wide{s.bloom_queries} - s.bloom_resolved);
  checker.equal("cache failures = lossy queries - lossy resolved", s.cache_failures,
                Wide{s.lossy_queries} - s.lossy_resolved);
  checker.equal("disk lookups = cache failures", s.lookups, s.cache_failures);
  checker.equal("reopened = visited - Bloom resolved - exact new", s.reopened,
                visited - s.bloom_resolved - s.exact_new);
  checker.equal("visited = left in the lossy table + reclaimed", visited, Wide{s.lossy_left} + s.reclaimed);
  const Wide decided = Wide{s.revisits} + s.reopened + s.duplicate_candidates;
  const Wide revisited = resolved + s.exact_queries - s.exact_new;
  if (log.complete) {
    checker.equal("disk lookups = revisits + reopened + duplicate candidates", s.lookups, decided);
    checker.equal("created - (visited - 1) = lossy resolved + revisits + duplicate candidates + exact known",
                  created - (visited - 1), revisited);
  } else {
    checker.at_least("disk lookups >= revisits + reopened + duplicate candidates", s.lookups, decided);
    checker.at_least("created - (visited - 1) >= lossy resolved + revisits + duplicate candidates + exact known",
                     created - (visited - 1), revisited);
  }
}

}  // namespace

std::vector<BrokenIdentity> check_identities(const SearchLog& log) {
  Checker checker;
  const SearchStatistics& statistics = log.statistics;
  if (statistics.collected) {
    Wide sum = 0;
    for (const auto& [size, count] : statistics.state_sizes) sum += count;
    checker.equal("sum of the state size histogram = created", sum, log.created);
    checker.at_least("visited >= single successor states + dead ends", log.visited,
                     Wide{statistics.single_successor} + statistics.dead_ends);
    checker.at_least("DFS problems >= real ones", statistics.dfs_problems, statistics.dfs_problems_real);
    // No state was asked for before the initial one was made.
    if (statistics.store && log.visited > 0) check_store(checker, log, *statistics.store);
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
  std::string text = fmt::format("the bytes reclaimed ({}) are {} than {} states of {} to {} bytes can have",
                                 format_count(s.reclaimed_bytes), bytes > most ? "more" : "fewer",
                                 format_count(s.reclaimed), statistics.state_sizes.begin()->first,
                                 log.max_state_bytes);
  constexpr Wide kWrap = Wide{1} << 32;
  const Wide wraps = bytes < least ? (least - bytes + kWrap - 1) / kWrap : 0;
  const Wide whole = bytes + wraps * kWrap;
  if (wraps > 0 && whole <= most && whole <= std::numeric_limits<uint64_t>::max()) {
    text += fmt::format("; with a 32-bit counter that wrapped{} they were {}",
                        wraps == 1 ? "" : fmt::format(" {} times", wraps), format_count(static_cast<uint64_t>(whole)));
  }
  return {text};
}

}  // namespace cmc
