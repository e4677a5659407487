#include "checker/search/disk/rank_results.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/failed_check.h"
#include "checker/ranks/ranks.h"
#include "checker/result/save_result.h"
#include "checker/search/disk/rank_paths.h"
#include "checker/search/disk/store_plan.h"
#include "storage/options/identities.h"

namespace cmc {
namespace {

RankFigures figures_of(const Ranks& ranks, const SearchResult& result) {
  const Ranks::Traffic traffic = ranks.traffic();
  RankFigures figures;
  figures.host = ranks.settings().host;
  figures.states = result.states_stored;
  figures.transitions = result.transitions;
  figures.candidates_sent = traffic.candidates;
  figures.candidates_twice = traffic.twice;
  figures.batches_sent = traffic.batches;
  figures.bytes_sent = traffic.bytes;
  figures.content_bytes_sent = traffic.content_bytes;
  figures.memory_peak_bytes = result.memory_peak_bytes;
  return figures;
}

std::string text_of(const SearchResult& result) {
  std::string text;
  OutStream to(text);
  save_result(to, result);
  static_cast<void>(to.finish());
  return text;
}

// --- the other ranks

std::string path_text(const Result<TrailLog::Path>& path) {
  std::string text;
  OutStream to(text);
  to.text(path.ok() ? "" : path.error());
  if (path.ok()) {
    to.number(path.value().place);
    to.number(path.value().indices.size());
    for (const uint64_t index : path.value().indices) to.number(index);
  }
  static_cast<void>(to.finish());
  return text;
}

// --- rank 0

// A limit that several ranks have reached is told once.
void merge_reasons(std::vector<Reason> from, SearchResult& into) {
  for (Reason& reason : from) {
    const bool is_limit = reason.kind == ReasonKind::kMemory || reason.kind == ReasonKind::kTime ||
                          reason.kind == ReasonKind::kInterrupted || reason.kind == ReasonKind::kLimit;
    const auto same_kind = [&](const Reason& each) { return each.kind == reason.kind; };
    if (!is_limit || std::ranges::none_of(into.reasons, same_kind)) into.add_reason(std::move(reason));
  }
}

void merge_locations(const ReachedLocations& from, ReachedLocations& into) {
  into.reached.resize(std::max(into.reached.size(), from.reached.size()));
  for (size_t proctype = 0; proctype < from.reached.size(); ++proctype) {
    std::vector<bool>& reached = into.reached[proctype];
    reached.resize(std::max(reached.size(), from.reached[proctype].size()));
    for (size_t i = 0; i < from.reached[proctype].size(); ++i) reached[i] = reached[i] || from.reached[proctype][i];
  }
  if (into.endless_atomic.line == 0) into.endless_atomic = from.endless_atomic;
}

void merge_statistics(const SearchStatistics& from, SearchStatistics& into) {
  into.single_successor += from.single_successor;
  into.dead_ends += from.dead_ends;
  into.asleep_steps += from.asleep_steps;
  for (const auto& [bytes, states] : from.state_sizes) into.state_sizes[bytes] += states;
  if (into.store && from.store) *into.store += *from.store;
}

void merge(SearchResult from, SearchResult& into) {
  merge_reasons(std::move(from.reasons), into);
  std::ranges::move(from.errors, std::back_inserter(into.errors));
  into.error_count += from.error_count;
  if (!into.process_error) into.process_error = std::move(from.process_error);
  for (SearchResult::OverflowNote& note : from.overflows) {
    const auto known = std::ranges::find(into.overflows, note.place, &SearchResult::OverflowNote::place);
    if (known == into.overflows.end()) into.overflows.push_back(std::move(note));
  }
  into.states_stored += from.states_stored;
  into.transitions += from.transitions;
  into.depth_reached = std::max(into.depth_reached, from.depth_reached);
  into.endless_atomic += from.endless_atomic;
  into.state_bytes_max = std::max(into.state_bytes_max, from.state_bytes_max);
  into.memory_peak_bytes = std::max(into.memory_peak_bytes, from.memory_peak_bytes);
  into.cpu_seconds += from.cpu_seconds;
  into.wall_seconds = std::max(into.wall_seconds, from.wall_seconds);
  into.interrupted = into.interrupted || from.interrupted;
  into.all_expanded = into.all_expanded && from.all_expanded;
  merge_locations(from.locations, into.locations);
  merge_statistics(from.statistics, into.statistics);
  if (into.keys && from.keys) {
    for (const auto member : kSummedKeyFigures) *into.keys.*member += *from.keys.*member;
  }
  into.ranks.push_back(std::move(from.ranks.front()));
}

// As many as are wanted, and paths for as many.
void limit_errors(const SearchOptions& options, SearchResult& result) {
  if (options.max_errors > 0) result.error_count = std::min(result.error_count, options.max_errors);
  const uint64_t most = std::min(result.error_count, options.max_reported_errors);
  std::ranges::stable_sort(result.errors, {}, &FoundError::depth);
  if (result.errors.size() > most) result.errors.resize(most);
  uint64_t trails = 0;
  for (FoundError& error : result.errors) {
    if (error.has_path && ++trails > options.max_trails) error.has_path = false;
  }
}

// The successors that lead to a state, from the initial one, asked of all ranks that the path passes.
Result<std::vector<uint64_t>> successors_to(Ranks& ranks, TrailLog& own, uint64_t global) {
  std::vector<uint64_t> indices;  // from the end to the beginning
  while (Ranks::number_of(global) != TrailLog::kRoot) {
    const uint32_t rank = Ranks::rank_of(global);
    const uint64_t number = Ranks::number_of(global);
    InStream from(rank == ranks.rank() ? path_text(own.path_to(number)) : ranks.ask(rank, number),
                  fmt::format("the answer of rank {}", rank));
    if (const std::string error = from.text(); !error.empty()) return Error{error};
    const uint64_t place = from.number();
    const size_t before = indices.size();
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) indices.push_back(from.number());
    if (!from.ok()) return Error{from.status().error()};
    std::reverse(indices.begin() + static_cast<ptrdiff_t>(before), indices.end());
    if (place == 0) break;
    global = place - 1;
  }
  std::ranges::reverse(indices);
  return indices;
}

void find_path(SearchContext& context, const std::function<void()>& begin_anew, FoundError& error,
               SearchResult& result) {
  std::string lost;
  const std::string failure = failed_check_in([&] {
    const auto indices = successors_to(*context.options.ranks, *context.store->trail, error.begins_at);
    if (!indices.ok()) {
      lost = indices.error();
      return;
    }
    begin_anew();
    Result<PathToState> path = follow_path(context, indices.value());
    if (!path.ok()) {
      lost = path.error();
      return;
    }
    PathToState whole = std::move(path).value();
    whole.append(error.path);
    error.path = std::move(whole.steps);
    error.depth = context.control.cost_of(error.path);
  });
  if (!failure.empty()) result.add_reason(reason_of_bug("there is no path to an error: " + failure));
  if (!lost.empty()) result.add_reason({ReasonKind::kStore, "the path to an error is lost: " + lost});
  error.has_path = failure.empty() && lost.empty();
  if (!error.has_path) error.path.clear();
}

// An error without a path is looked for once more, with paths, by all: none are kept, or a checkpoint has none of
// errors that were found before it. Not yet if this search will go on.
bool needs_another_search(const SearchOptions& options, const SearchResult& result) {
  const bool has_enough = options.max_errors > 0 && result.error_count >= options.max_errors;
  const bool goes_on = options.checkpoints != nullptr && !result.all_expanded && !has_enough;
  if (result.error_count == 0 || result.interrupted || goes_on) return false;
  if (!options.store.paths) return true;
  return options.resumes && options.max_trails > 0 && std::ranges::none_of(result.errors, &FoundError::has_path);
}

// Each rank has proved that it has nothing left, or knows why it has; all together have to fit.
void judge(SearchResult& result) {
  const SearchStatistics& statistics = result.statistics;
  if (result.all_expanded && statistics.store) {
    const std::string wrong =
        check_identities(*statistics.store, result.states_stored, result.transitions - statistics.asleep_steps);
    if (!wrong.empty()) result.add_reason(reason_of_bug(wrong));
  }
  if (!result.all_expanded && result.error_count == 0 && result.reasons.empty())
    result.add_reason(reason_of_bug("the search ended without a proof that it was complete, and no rank knows why"));
}

}  // namespace

SearchResult finish_among_ranks(SearchContext& context, SearchResult own, const std::function<void()>& begin_anew) {
  Ranks& ranks = *context.options.ranks;
  TrailLog* const trail = context.store->trail.get();
  ranks.leave(context.control.stopped());
  own.ranks.push_back(figures_of(ranks, own));
  if (ranks.rank() != 0) {
    ranks.hand_in(text_of(own), [&](uint64_t number) {
      return path_text(trail == nullptr ? Error{"there is no log of paths"} : trail->path_to(number));
    });
    return {};
  }
  SearchResult all = std::move(own);
  const std::vector<std::string> results = ranks.collect();
  for (uint32_t i = 1; i < results.size(); ++i) {
    InStream from(results[i], fmt::format("the result of rank {}", i));
    merge(load_result(from), all);
    if (!from.ok()) all.add_reason(reason_of_bug(from.status().error()));
  }
  all.states_matched = all.states_stored == 0 ? 0 : all.transitions + 1 - all.states_stored;
  limit_errors(context.options, all);
  for (FoundError& error : all.errors) {
    if (error.has_path && error.begins_at != 0) find_path(context, begin_anew, error, all);
  }
  ranks.end(needs_another_search(context.options, all));
  judge(all);
  return all;
}

}  // namespace cmc
