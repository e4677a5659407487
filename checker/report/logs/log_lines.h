#pragma once

#include <string_view>

namespace cmc::log_lines {

// The lines, for the writer and the parser. '%' is a whole number, '~' a decimal fraction, ' ' any blanks or none.
inline constexpr const char* kTotals =
    "visited % states, created % states, search time elapsed: %s, maximum state size %";
inline constexpr const char* kShape = "% single successor states, % dead ends, % DFS problems (% real)";
inline constexpr const char* kShapeInOtherOrders = "% single successor states, % dead ends";
inline constexpr const char* kAsleep = "% of sleeping processes, not asked for";  // created states, if there are any
inline constexpr const char* kStore = "Double caching: % explicit lookups";
inline constexpr const char* kBloom = "Bloom filter, k=%, size %: % partial collisions";
inline constexpr const char* kBloomFill = "% bits set, % entries, collision rate: ~, fill rate: ~";
inline constexpr const char* kRebuilds = "% rebuilds for other keys";  // of a bitmap, if there were any
inline constexpr const char* kQueries = "% queries, % resolved";
inline constexpr const char* kLossy = "Lossy hashing with % elements; reclaimed % elements with % bytes in % runs";
inline constexpr const char* kReplacements = "% single replacements";
inline constexpr const char* kFailures = "Cache failures: %";
inline constexpr const char* kDisk = "Diskstore: % lookups, % maximum lookup size, % revisits detected";
inline constexpr const char* kPages = "% pages written, % pages read, % pagesize, % partitions, % lookupbuf";
// Of sorted rounds, instead of those from kStore to kDisk.
inline constexpr const char* kRounds = "Sorted rounds: % turns, % candidates, % at most in a turn";
inline constexpr const char* kDecided =
    "% left out as met lately, % twice in a turn, % seen in memory, % seen on pages, % new";
inline constexpr const char* kHeld = "% states on pages, % in memory";
inline constexpr const char* kWait = "Disk wait: %ms; explicit lookups of % partitions";
inline constexpr std::string_view kHistogram = "State size histogram:";
inline constexpr std::string_view kOrder = "Search order:";
inline constexpr std::string_view kCommand = "Command:";
inline constexpr std::string_view kComplete = "Search complete:";
inline constexpr std::string_view kIncomplete = "Search incomplete";
inline constexpr std::string_view kRunning = "Search running:";
inline constexpr const char* kRunningReason = "running";  // why such a search is incomplete

}  // namespace cmc::log_lines
