#include <bit>

#include "checker/result/control.h"
#include "checker/result/save_result.h"

// What of a search's control is in a checkpoint, and what a rank hands in.

namespace cmc {
namespace {

void save_place(OutStream& to, const SourcePlace& place) {
  to.number(place.file);
  to.number(place.line);
  to.number(place.column);
}
SourcePlace load_place(InStream& from) {
  SourcePlace place;
  place.file = static_cast<uint32_t>(from.number());
  place.line = static_cast<uint32_t>(from.number());
  place.column = static_cast<uint32_t>(from.number());
  return place;
}

void save_step(OutStream& to, const Step& step) {
  for (const uint64_t each : {uint64_t{step.pid}, uint64_t{step.partner}, uint64_t{step.location},
                              uint64_t{step.partner_location}, uint64_t{step.edge}, uint64_t{step.partner_edge},
                              uint64_t{step.timeout}, uint64_t{step.inside_rendezvous}, uint64_t{step.witness}})
    to.number(each);
}
Step load_step(InStream& from) {
  Step step;
  step.pid = static_cast<uint8_t>(from.number());
  step.partner = static_cast<uint8_t>(from.number());
  step.location = static_cast<LocationId>(from.number());
  step.partner_location = static_cast<LocationId>(from.number());
  step.edge = static_cast<uint16_t>(from.number());
  step.partner_edge = static_cast<uint16_t>(from.number());
  step.timeout = from.number() != 0;
  step.inside_rendezvous = from.number() != 0;
  step.witness = static_cast<uint32_t>(from.number());
  return step;
}

void save_error(OutStream& to, const FoundError& error) {
  to.number(static_cast<uint64_t>(error.kind.error_class));
  to.number(static_cast<uint64_t>(error.kind.runtime));
  to.text(error.message);
  save_place(to, error.place);
  to.number(error.depth);
  to.number(error.has_path ? 1 : 0);
  to.number(error.path.size());
  for (const Step& step : error.path) save_step(to, step);
}
FoundError load_error(InStream& from) {
  FoundError error;
  error.kind.error_class = static_cast<ErrorKind::Class>(from.number());
  error.kind.runtime = static_cast<RuntimeErrorKind>(from.number());
  error.message = from.text();
  error.place = load_place(from);
  error.depth = from.number();
  error.has_path = from.number() != 0;
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) error.path.push_back(load_step(from));
  return error;
}

void save_overflows(OutStream& to, const std::vector<SearchResult::OverflowNote>& overflows) {
  to.number(overflows.size());
  for (const SearchResult::OverflowNote& note : overflows) {
    save_place(to, note.place);
    to.text(note.message);
  }
}
void load_overflows(InStream& from, std::vector<SearchResult::OverflowNote>& overflows) {
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const SourcePlace place = load_place(from);
    std::string message = from.text();
    const bool known =
        std::ranges::any_of(overflows, [&](const SearchResult::OverflowNote& note) { return note.place == place; });
    if (!known) overflows.push_back({place, std::move(message)});
  }
}

void save_reasons(OutStream& to, const std::vector<Reason>& reasons) {
  to.number(reasons.size());
  for (const Reason& reason : reasons) {
    to.number(static_cast<uint64_t>(reason.kind));
    to.text(reason.text);
  }
}
template <class Add>
void load_reasons(InStream& from, Add&& add) {
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const auto kind = static_cast<ReasonKind>(from.number());
    add(kind, from.text());
  }
}

void save_errors(OutStream& to, const std::vector<FoundError>& errors, uint64_t count) {
  to.number(count);
  to.number(errors.size());
  for (const FoundError& error : errors) save_error(to, error);
}
uint64_t load_errors(InStream& from, std::vector<FoundError>& errors) {
  const uint64_t count = from.number();
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) errors.push_back(load_error(from));
  return count;
}

}  // namespace

namespace {

// Returns how many have lost their path: one that leads through other ranks is of the search that is running.
uint64_t forget_paths_elsewhere(std::vector<FoundError>& errors) {
  uint64_t lost = 0;
  for (FoundError& error : errors) {
    if (!error.has_path || error.begins_at == 0) continue;
    error.has_path = false;
    error.path.clear();
    ++lost;
  }
  return lost;
}

}  // namespace

void SearchControl::save(OutStream& to) {
  if (observer_ != nullptr) observer_->on_wait();  // who shows a line makes room for the news
  to.fixed(std::bit_cast<uint64_t>(wall_seconds()));
  to.fixed(std::bit_cast<uint64_t>(cpu_seconds()));
  std::vector<FoundError> errors = result_.errors;
  const uint64_t lost = forget_paths_elsewhere(errors);
  save_errors(to, errors, result_.error_count);
  save_errors(to, errors_before_, error_count_before_);
  to.number(trails_ - std::min(lost, trails_));
  to.number(trail_steps_);
  to.number(result_.states_before_store);
  to.number(result_.process_error ? 1 : 0);
  if (result_.process_error) save_error(to, *result_.process_error);
  save_overflows(to, result_.overflows);
  const std::lock_guard lock(reasons_mutex_);
  save_reasons(to, result_.reasons);
}

void SearchControl::restore(InStream& from) {
  if (!std::exchange(restored_, true)) {  // what the initial state has told is there, too
    result_.errors.clear();
    result_.error_count = 0;
    result_.overflows.clear();
    trails_ = trail_steps_ = 0;
  }
  const auto wall = std::bit_cast<double>(from.fixed<uint64_t>());
  start_wall_ -= std::max(wall - restored_wall_, 0.0);
  restored_wall_ = std::max(restored_wall_, wall);
  start_cpu_ -= std::bit_cast<double>(from.fixed<uint64_t>());
  result_.error_count += load_errors(from, result_.errors);
  error_count_before_ += load_errors(from, errors_before_);
  trails_ += from.number();
  trail_steps_ += from.number();
  result_.states_before_store += from.number();
  if (from.number() != 0) result_.process_error = load_error(from);
  load_overflows(from, result_.overflows);
  load_reasons(from, [&](ReasonKind kind, std::string text) { add_reason(kind, std::move(text)); });
}

namespace {

constexpr uint64_t SearchResult::*kNumbers[] = {&SearchResult::states_stored,   &SearchResult::transitions,
                                                &SearchResult::depth_reached,   &SearchResult::endless_atomic,
                                                &SearchResult::state_bytes_max, &SearchResult::memory_peak_bytes};
constexpr double SearchResult::*kSeconds[] = {&SearchResult::cpu_seconds, &SearchResult::wall_seconds};
constexpr bool SearchResult::*kFlags[] = {&SearchResult::interrupted, &SearchResult::all_expanded};
constexpr uint64_t SearchStatistics::*kStatistics[] = {&SearchStatistics::single_successor,
                                                       &SearchStatistics::dead_ends, &SearchStatistics::asleep_steps};
static_assert(std::is_trivially_copyable_v<StoreFigures>);

}  // namespace

void save_result(OutStream& to, const SearchResult& result) {
  for (const auto member : kNumbers) to.number(result.*member);
  for (const auto member : kSeconds) to.fixed(std::bit_cast<uint64_t>(result.*member));
  for (const auto member : kFlags) to.number(result.*member ? 1 : 0);
  save_errors(to, result.errors, result.error_count);
  for (const FoundError& error : result.errors) to.number(error.begins_at);
  to.number(result.process_error ? 1 : 0);
  if (result.process_error) save_error(to, *result.process_error);
  save_overflows(to, result.overflows);
  save_reasons(to, result.reasons);
  save_place(to, result.locations.endless_atomic);
  to.number(result.locations.reached.size());
  for (const std::vector<bool>& of_proctype : result.locations.reached) {
    to.number(of_proctype.size());
    for (const bool reached : of_proctype) to.number(reached ? 1 : 0);
  }
  const SearchStatistics& statistics = result.statistics;
  for (const auto member : kStatistics) to.number(statistics.*member);
  to.number(statistics.state_sizes.size());
  for (const auto& [bytes, states] : statistics.state_sizes) {
    to.number(bytes);
    to.number(states);
  }
  const StoreFigures store = statistics.store.value_or(StoreFigures());
  to.raw(std::as_bytes(std::span(&store, 1)));
  for (const auto member : kSummedKeyFigures) to.number(result.keys ? *result.keys.*member : 0);
  const RankFigures rank = result.ranks.empty() ? RankFigures() : result.ranks.front();
  to.text(rank.host);
  for (const auto member : kRankFigures) to.number(rank.*member);
}

SearchResult load_result(InStream& from) {
  SearchResult result;
  for (const auto member : kNumbers) result.*member = from.number();
  for (const auto member : kSeconds) result.*member = std::bit_cast<double>(from.fixed<uint64_t>());
  for (const auto member : kFlags) result.*member = from.number() != 0;
  result.error_count = load_errors(from, result.errors);
  for (FoundError& error : result.errors) error.begins_at = from.number();
  if (from.number() != 0) result.process_error = load_error(from);
  load_overflows(from, result.overflows);
  load_reasons(from, [&](ReasonKind kind, std::string text) { result.reasons.push_back({kind, std::move(text)}); });
  result.locations.endless_atomic = load_place(from);
  result.locations.reached.resize(from.number_up_to(UINT16_MAX));
  for (std::vector<bool>& of_proctype : result.locations.reached) {
    of_proctype.resize(from.number_up_to(UINT16_MAX));
    for (size_t i = 0; i < of_proctype.size(); ++i) of_proctype[i] = from.number() != 0;
  }
  SearchStatistics& statistics = result.statistics;
  for (const auto member : kStatistics) statistics.*member = from.number();
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const auto bytes = static_cast<uint32_t>(from.number());
    statistics.state_sizes[bytes] = from.number();
  }
  from.raw(std::as_writable_bytes(std::span(&statistics.store.emplace(), 1)));
  KeyFigures& keys = result.keys.emplace();
  for (const auto member : kSummedKeyFigures) keys.*member = from.number();
  RankFigures& rank = result.ranks.emplace_back();
  rank.host = from.text();
  for (const auto member : kRankFigures) rank.*member = from.number();
  return result;
}

}  // namespace cmc
