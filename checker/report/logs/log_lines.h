#pragma once

#include <string_view>

#include "checker/report/logs/store_fields.h"

namespace cmc::log_lines {

// The lines, for the writer and the parser. '%' is a whole number, '~' a decimal fraction, ' ' any blanks or none.
inline constexpr const char* kTotals =
    "visited % states, created % states, search time elapsed: %s, maximum state size %";
inline constexpr const char* kShape = "% single successor states, % dead ends, % DFS problems (% real)";
inline constexpr const char* kShapeInOtherOrders = "% single successor states, % dead ends";
inline constexpr const char* kAsleep = "% of sleeping processes, not asked for";  // created states, if there are any
inline constexpr const char* kWait = "Disk wait: %ms; explicit lookups of % partitions";
inline constexpr std::string_view kHistogram = "State size histogram:";
inline constexpr std::string_view kOrder = "Search order:";
inline constexpr std::string_view kCommand = "Command:";
inline constexpr std::string_view kComplete = "Search complete:";
inline constexpr std::string_view kIncomplete = "Search incomplete";
inline constexpr std::string_view kRunning = "Search running:";
inline constexpr const char* kRunningReason = "running";  // why such a search is incomplete

// A line about a store, and the figures that its numbers are.
struct StoreLine {
  const char* form;
  StoreMember figures[5];
  bool is_optional = false;  // not every log has it
};
using S = StoreFigures;
inline constexpr const char* kRebuilds = "% rebuilds for other keys";  // of a bitmap, if there were any
inline constexpr const char* kPages = "% pages written, % pages read, % pagesize, % partitions, % lookupbuf";
inline constexpr StoreLine kPagesLine = {
    kPages, {&S::pages_written, &S::pages_read, &S::page_bytes, &S::partitions, &S::lookup_buffer}};
inline constexpr StoreLine kCacheLines[] = {
    {"Double caching: % explicit lookups", {&S::explicit_lookups}},
    {"Bloom filter, k=%, size %: % partial collisions",
     {&S::bloom_hashes, &S::bloom_bits, &S::bloom_partial_collisions}},
    {"% bits set, % entries, collision rate: ~, fill rate: ~", {&S::bloom_bits_set, &S::bloom_entries}},
    {kRebuilds, {&S::bloom_rebuilds}, true},
    {"% queries, % resolved", {&S::bloom_queries, &S::bloom_resolved}},
    {"Lossy hashing with % elements; reclaimed % elements with % bytes in % runs",
     {&S::lossy_elements, &S::reclaimed, &S::reclaimed_bytes, &S::reclaim_runs}},
    {"% single replacements", {&S::replacements}, true},
    {"% queries, % resolved", {&S::lossy_queries, &S::lossy_resolved}},
    {"Cache failures: %", {&S::cache_failures}},
    {"Diskstore: % lookups, % maximum lookup size, % revisits detected", {&S::lookups, &S::max_lookup, &S::revisits}},
    kPagesLine};
// Of sorted rounds, instead. As `revisits` it has those on pages.
inline constexpr StoreLine kRoundLines[] = {
    {"Sorted rounds: % turns, % candidates, % at most in a turn", {&S::turns, &S::lookups, &S::max_lookup}},
    {"% left out as met lately, % twice in a turn, % seen in memory, % seen on pages, % new",
     {&S::lossy_resolved, &S::duplicate_candidates, &S::seen_in_memory, &S::revisits, &S::reopened}},
    {"% states on pages, % in memory", {&S::stored_states, &S::lossy_left}},
    kPagesLine};

}  // namespace cmc::log_lines
