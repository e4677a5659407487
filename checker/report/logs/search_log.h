#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/result/result.h"
#include "storage/options/identities.h"

// CMC's histogram log: a screenful of figures that say how a search went, in the form of CMC of 2006, whose logs can
// be read as well (logs/2006). Nearly every figure is tied to others by identities, so a log proves its own
// arithmetic.
//
//   log     = header [ order ] [ command ] [ shape [ asleep ] ] [ store ] [ histogram ]
//   header  = "Search complete: " totals | "Search incomplete (" reason { ", " reason } "): " totals
//           | "Search running: " text     the run has not ended, or it was killed; nothing follows
//   totals  = "visited N states, created N states, search time elapsed: Ns, maximum state size N"
//   order   = "Search order: dfs" | "Search order: bfs" | "Search order: oldest-first"
//           | "Search order: rounds"    logs of 2006: dfs
//   command = "Command: cmc VERSION check ARGUMENTS"    not in logs of 2006
//   shape   = "N single successor states, N dead ends" [ ", N DFS problems (N real)" ]     these only in dfs
//   asleep  = "N of sleeping processes, not asked for"  created states (checker/keys/README.md); not in logs of 2006
//   store   = "Double caching: N explicit lookups"      this and the following: only if there were caches and a disk
//             "Bloom filter, k=N, size N: N partial collisions"
//             "N bits set, N entries, collision rate: F, fill rate: F"
//             [ "N rebuilds for other keys" ]            of a bitmap (k=1) only; not in logs of 2006
//             "N queries, N resolved"
//             "Lossy hashing with N elements; reclaimed N elements with N bytes in N runs"
//             [ "N single replacements" ]                                not in logs of 2006; in 0.1.0 they were runs
//             "N queries, N resolved"
//             "Cache failures: N"
//             "Diskstore: N lookups, N maximum lookup size, N revisits detected"
//             "N pages written, N pages read, N pagesize, N partitions, N lookupbuf"
//             [ "Disk wait: Nms; explicit lookups of N partitions" ]     not in logs of 2006
//           | "Sorted rounds: N turns, N candidates, N at most in a turn"    not in logs of 2006
//             "N left out as met lately, N twice in a turn, N seen in memory, N seen on pages, N new"
//             "N states on pages, N in memory"
//             "N pages written, ..." [ "Disk wait: ..." ]                as above
//   histogram = "State size histogram: N:N, N:N, ..."   bytes of a state vector : created states
//
// Every element but `store` is one line; lookups count rounds, see checker/search/disk/lookup_rounds.h. N has its
// digits grouped by '.' in threes.

namespace cmc {

// No search takes longer; a larger figure is a mistake.
inline constexpr double kMaxLogSeconds = 1e12;

struct SearchLog {
  bool running = false;   // the run has not ended, or it was killed: there are no figures
  bool complete = false;  // every reachable state was explored, and nothing qualifies that
  std::string command;    // "cmc 0.1.0 check --threads 1 MODEL"; empty: not known
  UsedOrder order = UsedOrder::kDepthFirst;
  std::vector<std::string> reasons;  // why not: kinds of Reason, "errors"
  uint64_t visited = 0;
  uint64_t created = 0;  // successors handed out: transitions
  double seconds = 0;    // whole ones in a text
  uint64_t max_state_bytes = 0;
  SearchStatistics statistics;
  // The text form lacks three figures of the store (reopened, duplicate candidates, left in the lossy table). They
  // were computed by the identities that they occur in, which so prove nothing any more unless they cannot be
  // fulfilled.
  bool derived = false;
};

[[nodiscard]] SearchLog make_log(const SearchResult& result);

[[nodiscard]] std::string write_log(const SearchLog& log);

// The log file while the search runs. `begun`: when and by whom.
[[nodiscard]] std::string running_log(std::string_view begun);

// Accepts any text, with anything in front of the log, lines in between that are no part of it, and digits grouped by
// '.', by ',' or not at all. An error names the line and what was expected there.
[[nodiscard]] Result<SearchLog> parse_log(std::string_view text);

// Empty: all hold that can be checked. Of a search that was cut, candidates may be left whose fate is open, so there
// two of the identities become inequalities. After a failure of the store nothing is checked.
[[nodiscard]] std::vector<BrokenIdentity> check_identities(const SearchLog& log);

// The store failed: the search ended in the middle of counting.
[[nodiscard]] bool store_failed(const SearchLog& log);

// Sentences about figures that cannot be what they should be although no identity is broken: the 32-bit counters of
// 2006.
[[nodiscard]] std::vector<std::string> log_remarks(const SearchLog& log);

// Digits in threes: "8.119.319".
[[nodiscard]] std::string group_digits(uint64_t value);

}  // namespace cmc
