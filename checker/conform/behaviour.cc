#include "checker/conform/behaviour.h"

#include <algorithm>

#include "checker/plain/simulate.h"
#include "ir/effects.h"

namespace cmc::conform {

Behaviour::Behaviour(const Model& model, const EventMap& map, SuccessorGenerator& statements, Limits& limits)
    : model_(model), map_(map), statements_(statements), limits_(limits) {
  keeps_hidden_ = reads_hidden_variable(model) || map.reads_hidden();
  should_stop_ = [this] { return limits_.reached(); };
  batch_.limits.should_stop = &should_stop_;
  statements_.initial(batch_);
  if (!batch_.entries.empty()) static_cast<void>(number_of(batch_.state(batch_.entries.front())));
}

uint32_t Behaviour::number_of(ByteView state) {
  Bytes plain;
  if (!keeps_hidden_ && model_.hidden_bytes > 0) {
    plain.assign(state.begin(), state.end());
    std::fill_n(plain.begin(), model_.hidden_bytes, std::byte{0});
    state = plain;
  }
  const uint32_t number = states_.intern(state);
  if (number >= nodes_.size()) nodes_.resize(number + 1);
  return number;
}

const Behaviour::Node& Behaviour::node(uint32_t number) {
  if (!nodes_[number].expanded) expand(number);
  return nodes_[number];
}

void Behaviour::expand(uint32_t number) {
  const Bytes state(states_.get(number).begin(), states_.get(number).end());
  batch_.clear();
  statements_.successors(state, batch_);
  for (const RuntimeError& each : batch_.errors) {
    if (is_reason(each.kind) && each.kind != RuntimeErrorKind::kOverflowNote) gaps_.insert(each.message);
  }
  if (batch_.stopped) gaps_.insert(limits_.reason());
  Node node;
  node.expanded = true;
  node.blocked = batch_.blocked;
  node.invalid_end = batch_.invalid_end;
  node.first_move = static_cast<uint32_t>(moves_.size());
  std::vector<Move> made;
  for (const SuccessorBatch::Entry& each : batch_.entries) {
    Move move;
    move.target = number_of(batch_.state(each));
    move.first_step = static_cast<uint32_t>(steps_.size());
    move.steps = static_cast<uint16_t>(each.path_count);
    const std::span<const Step> path = batch_.path(each);
    steps_.insert(steps_.end(), path.begin(), path.end());
    move.first_observed = static_cast<uint32_t>(observed_.size());
    for (Seen& seen : map_.seen_in(state, path, batch_.state(each))) {
      Observed part{std::move(seen), {}, move.target};
      for (uint32_t rule = 0; rule < map_.rules().size(); ++rule) {
        if (map_.observes(map_.rules()[rule], part.seen, batch_.state(each))) part.rules.push_back(rule);
      }
      if (!part.rules.empty()) observed_.push_back(std::move(part));
    }
    move.observed = static_cast<uint16_t>(observed_.size() - move.first_observed);
    made.push_back(move);
  }
  node.moves = static_cast<uint32_t>(made.size());
  moves_.insert(moves_.end(), made.begin(), made.end());
  nodes_[number] = node;
}

LoggedEvent Behaviour::event_of(uint32_t observed) const {
  const Observed& part = observed_[observed];
  return map_.event_of(map_.rules()[part.rules.front()], part.seen, states_.get(part.after));
}

bool Behaviour::is_event(uint32_t observed, const EventLog& log, uint32_t of_class) {
  const uint64_t key = uint64_t{observed} << 32 | of_class;
  if (const auto known = remembered_.find(key); known != remembered_.end()) return known->second;
  const Observed& part = observed_[observed];
  const EventLog::Class& event = log.class_numbered(of_class);
  const bool fits = std::ranges::any_of(part.rules, [&](uint32_t number) {
    const Rule& rule = map_.rules()[number];
    return rule.text.event == event.event && map_.fits(rule, part.seen, states_.get(part.after), event.values);
  });
  if (remembered_.size() >= kMostRemembered) remembered_.clear();
  return remembered_[key] = fits;
}

}  // namespace cmc::conform
