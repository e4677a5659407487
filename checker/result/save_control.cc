#include <algorithm>
#include <bit>

#include "checker/result/control.h"

// What of a search's control is in a checkpoint.

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

void save_errors(OutStream& to, const std::vector<FoundError>& errors, uint64_t count) {
  to.number(count);
  to.number(errors.size());
  for (const FoundError& error : errors) save_error(to, error);
}
uint64_t load_errors(InStream& from, std::vector<FoundError>& errors) {
  const uint64_t count = from.number();
  errors.clear();
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) errors.push_back(load_error(from));
  return count;
}

}  // namespace

void SearchControl::save(OutStream& to) {
  if (observer_ != nullptr) observer_->on_wait();  // who shows a line makes room for the news
  to.fixed(std::bit_cast<uint64_t>(clock_.wall_seconds() - start_wall_));
  to.fixed(std::bit_cast<uint64_t>(clock_.cpu_seconds() - start_cpu_));
  save_errors(to, result_.errors, result_.error_count);
  save_errors(to, errors_before_, error_count_before_);
  to.number(trails_);
  to.number(trail_steps_);
  to.number(result_.states_before_store);
  to.number(result_.process_error ? 1 : 0);
  if (result_.process_error) save_error(to, *result_.process_error);
  to.number(result_.overflows.size());
  for (const SearchResult::OverflowNote& note : result_.overflows) {
    save_place(to, note.place);
    to.text(note.message);
  }
  const std::lock_guard lock(reasons_mutex_);
  to.number(result_.reasons.size());
  for (const Reason& reason : result_.reasons) {
    to.number(static_cast<uint64_t>(reason.kind));
    to.text(reason.text);
  }
}

void SearchControl::restore(InStream& from) {
  start_wall_ -= std::bit_cast<double>(from.fixed<uint64_t>());
  start_cpu_ -= std::bit_cast<double>(from.fixed<uint64_t>());
  result_.error_count = load_errors(from, result_.errors);
  error_count_before_ = load_errors(from, errors_before_);
  trails_ = from.number();
  trail_steps_ = from.number();
  result_.states_before_store = from.number();
  if (from.number() != 0) result_.process_error = load_error(from);
  result_.overflows.clear();
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const SourcePlace place = load_place(from);
    result_.overflows.push_back({place, from.text()});
  }
  for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const auto kind = static_cast<ReasonKind>(from.number());
    add_reason(kind, from.text());
  }
}

}  // namespace cmc
