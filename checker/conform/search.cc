#include "checker/conform/search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/units.h"

namespace cmc::conform {
namespace {

ByteView bytes_of(const Cut& cut) { return std::as_bytes(std::span(cut)); }

uint64_t hash_of(uint32_t node, uint32_t cut) {
  const uint64_t key = uint64_t{node} << 32 | cut;
  return hash_bytes(std::as_bytes(std::span(&key, 1)));
}

}  // namespace

ConformSearch::ConformSearch(Behaviour& behaviour, const EventLog& log, Options options, Limits& limits,
                             Independence* independence)
    : behaviour_(behaviour),
      log_(log),
      options_(options),
      limits_(limits),
      independence_(independence),
      most_pairs_(options.most_pairs) {
  if (behaviour_.has_start()) add(0, Cut(log.streams().size() + 1), kNoPair, kNoMove);
}

Cut ConformSearch::cut_of(uint32_t number) const {
  const ByteView bytes = cuts_->get(number);
  Cut cut(log_.streams().size() + 1);
  std::memcpy(cut.data(), bytes.data(), bytes.size());
  return cut;
}

uint64_t ConformSearch::level_of(const Cut& cut) const {
  return std::accumulate(cut.begin(), cut.end() - 1, uint64_t{0});
}

bool ConformSearch::is_full(const Cut& cut) const {
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    if (cut[i] < log_.streams()[i].events.size()) return false;
  }
  return cut.back() < kSwapped;
}

bool ConformSearch::is_goal(const Pair& pair) {
  if (!is_full(cut_of(pair.cut))) return false;
  if (!options_.to_end) return true;
  const Behaviour::Node& node = behaviour_.node(pair.node);
  return node.blocked && !node.invalid_end;
}

void ConformSearch::grow() {
  slots_.assign(std::max<size_t>(1024, 2 * slots_.size()), kNoPair);
  for (uint32_t number = 0; number < pairs_.size(); ++number) {
    size_t slot = hash_of(pairs_[number].node, pairs_[number].cut) & (slots_.size() - 1);
    while (slots_[slot] != kNoPair) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = number;
  }
}

void ConformSearch::add(uint32_t node, const Cut& cut, uint32_t parent, uint32_t move) {
  if (3 * (pairs_.size() + 1) > 2 * slots_.size()) grow();
  const uint32_t number = cuts_->intern(bytes_of(cut));
  size_t slot = hash_of(node, number) & (slots_.size() - 1);
  for (; slots_[slot] != kNoPair; slot = (slot + 1) & (slots_.size() - 1)) {
    if (pairs_[slots_[slot]].node == node && pairs_[slots_[slot]].cut == number) return;
  }
  slots_[slot] = static_cast<uint32_t>(pairs_.size());
  const uint64_t level = level_of(cut);
  if (cut.back() == kNone && (furthest_ == kNoPair || level > furthest_level_)) {
    furthest_ = static_cast<uint32_t>(pairs_.size());
    furthest_level_ = level;
  }
  open_[level].pairs.push_back(static_cast<uint32_t>(pairs_.size()));
  pairs_.push_back({node, number, parent, move});
}

void ConformSearch::take(uint32_t number, uint32_t move, const Cut& cut, std::span<const uint32_t> parts,
                         bool edits) {
  if (parts.empty()) {
    const Behaviour::Node& node = behaviour_.node(pairs_[number].node);
    return add(behaviour_.moves(node)[move].target, cut, number, move);
  }
  for (size_t first = 0; first < parts.size(); ++first) {  // the parts of a handshake are logged in any order
    std::vector<uint32_t> rest(parts.begin(), parts.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
    const bool may_edit = edits && cut.back() == kNone;
    Cut next = cut;
    const auto go = [&](size_t stream, uint32_t events, uint32_t edit) {
      next[stream] += events;
      next.back() = edit;
      take(number, move, next, rest, edits);
      next = cut;
    };
    for (size_t i = 0; i < log_.streams().size(); ++i) {
      const std::vector<EventLog::Event>& events = log_.streams()[i].events;
      if (cut[i] >= events.size() || !log_.is_ready(i, cut)) continue;
      const bool swapped = cut.back() == kSwapped + i;
      const bool fits = behaviour_.is_event(parts[first], log_, events[cut[i]].of_class);
      if (fits) go(i, swapped ? 2 : 1, swapped ? kDone : cut.back());
      if (!may_edit) continue;
      if (!fits) go(i, 1, kDone);
      if (cut[i] + 1 >= events.size()) continue;
      ++next[i];
      const bool ready = log_.is_ready(i, next);
      --next[i];
      if (ready && behaviour_.is_event(parts[first], log_, events[cut[i] + 1].of_class))
        go(i, 0, kSwapped + static_cast<uint32_t>(i));
    }
    if (may_edit) go(0, 0, kDone);
  }
}

void ConformSearch::drop_events(uint32_t number) {
  const Pair pair = pairs_[number];
  Cut cut = cut_of(pair.cut);
  if (cut.back() != kNone) return;
  cut.back() = kDone;
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    if (cut[i] >= log_.streams()[i].events.size()) continue;
    ++cut[i];
    add(pair.node, cut, number, kNoMove);
    --cut[i];
  }
}

void ConformSearch::take_move(uint32_t number, uint32_t index, const Cut& cut, bool edits) {
  const Behaviour::Move move = behaviour_.moves(behaviour_.node(pairs_[number].node))[index];
  std::vector<uint32_t> parts(move.observed);
  std::iota(parts.begin(), parts.end(), move.first_observed);
  take(number, index, cut, parts, edits);
}

void ConformSearch::expand(uint32_t number, bool edits) {
  const Cut cut = cut_of(pairs_[number].cut);
  // Of several streams, each order of events would be a start of its own.
  const uint64_t unreduced = log_.streams().size() > 1 ? 0 : options_.unreduced_pairs;
  const bool may_leave_out = independence_ != nullptr && !edits && pairs() > unreduced;
  if (may_leave_out && leave_out(number, cut) != Left::kNothing) return;
  const uint32_t moves = behaviour_.node(pairs_[number].node).moves;
  for (uint32_t i = 0; i < moves; ++i) take_move(number, i, cut, edits);
  if (edits) drop_events(number);
}

const std::vector<Independence::Group>& ConformSearch::groups(uint32_t node, const Cut& cut) {
  const ByteView view = behaviour_.state(node);
  const Bytes state(view.begin(), view.end());
  if (log_.streams().size() > 1) return scratch_ = independence_->groups(state, cut);  // a cut is seen once, mostly
  const std::vector<EventLog::Event>& events = log_.streams().front().events;
  const uint32_t next = cut[0] < events.size() ? events[cut[0]].of_class : 0xffffffff;
  const auto [found, is_new] = groups_.try_emplace(uint64_t{node} << 32 | next);
  if (is_new) found->second = independence_->groups(state, cut);
  return found->second;
}

// Whether an event that the group may show next waits for streams that others log into.
bool ConformSearch::waits_for_others(const Independence::Group& group, uint32_t node, const Cut& cut) const {
  const ByteView state = behaviour_.state(node);
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    bool logs = false;
    for (uint64_t rest = group.logged; rest != 0; rest &= rest - 1)
      logs = logs || independence_->logs_into(i, static_cast<size_t>(std::countr_zero(rest)), state);
    Cut later = cut;
    for (uint32_t ahead = 0; logs && ahead < group.events; ++ahead, ++later[i]) {
      if (later[i] >= log_.streams()[i].events.size()) break;
      if (!log_.is_ready(i, later)) return true;
    }
  }
  return false;
}

// A stream that goes on with nobody but the group, which has no step to take, and nobody else can give it one.
std::optional<size_t> ConformSearch::dead_stream(const Independence::Group& group, uint32_t node, const Cut& cut) {
  const auto is_next = [&](uint32_t part) {
    for (size_t i = 0; i < log_.streams().size(); ++i) {
      const std::vector<EventLog::Event>& events = log_.streams()[i].events;
      if (cut[i] < events.size() && behaviour_.is_event(part, log_, events[cut[i]].of_class)) return true;
    }
    return false;
  };
  const Behaviour::Node here = behaviour_.node(node);
  for (const Behaviour::Move& move : behaviour_.moves(here)) {
    if ((group.pids >> behaviour_.steps(move).back().pid & 1) == 0) continue;
    if (move.observed == 0) return std::nullopt;
    for (uint32_t i = 0; i < move.observed; ++i) {
      if (is_next(move.first_observed + i)) return std::nullopt;
    }
  }
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    const bool goes_on = cut[i] < log_.streams()[i].events.size();
    if (goes_on && independence_->only_these_log_into(i, group.pids, behaviour_.state(node))) return i;
  }
  return std::nullopt;
}

ConformSearch::Left ConformSearch::leave_out(uint32_t number, const Cut& cut) {
  const uint32_t node = pairs_[number].node;
  const uint32_t moves = behaviour_.node(node).moves;
  for (const Behaviour::Move& each : behaviour_.moves(behaviour_.node(node))) {
    if (behaviour_.steps(each).back().timeout) return Left::kNothing;  // whether it is there depends on everybody
  }
  const std::vector<Independence::Group>& all = groups(node, cut);
  for (const Independence::Group& group : all) {
    if (waits_for_others(group, node, cut)) continue;
    const std::optional<size_t> stream = dead_stream(group, node, cut);
    if (!stream) continue;
    if (dead_.pair == kNoPair || level_of(cut) > dead_.level) dead_ = {number, level_of(cut), *stream};
    return Left::kDead;
  }
  for (const Independence::Group& group : all) {
    if (waits_for_others(group, node, cut)) continue;
    const size_t before = pairs_.size();
    for (uint32_t i = 0; i < moves; ++i) {
      const Behaviour::Move move = behaviour_.moves(behaviour_.node(node))[i];
      if ((group.pids >> behaviour_.steps(move).back().pid & 1) != 0) take_move(number, i, cut, false);
    }
    if (pairs_.size() > before) return Left::kSome;
  }
  return Left::kNothing;
}

// With forgets: all pairs that are left have passed the event before.
void ConformSearch::forget_below() {
  const std::vector<uint32_t> open = open_.begin()->second.pairs;
  const uint64_t level = open_.begin()->first;
  std::vector<Pair> kept;
  std::vector<Cut> cuts;
  for (const uint32_t each : open) {
    kept.push_back(pairs_[each]);
    cuts.push_back(cut_of(pairs_[each].cut));
  }
  forgotten_ += pairs_.size();
  pairs_.clear();
  slots_.assign(1024, kNoPair);
  open_.clear();
  cuts_ = std::make_unique<InternTable>();
  furthest_ = kNoPair;
  for (size_t i = 0; i < kept.size(); ++i) add(kept[i].node, cuts[i], kNoPair, kNoMove);
  forgotten_ -= pairs_.size();
  furthest_level_ = level;
}

ConformSearch::Outcome ConformSearch::run_open(bool edits) {
  const uint64_t all = options_.forgets ? log_.events() : 0;
  while (!open_.empty()) {
    const auto level = options_.forgets ? open_.begin() : std::prev(open_.end());
    Queue& queue = level->second;
    if (options_.forgets && level->first == all) return Outcome::kExplained;
    if (queue.next == queue.pairs.size()) {
      open_.erase(level);
      if (options_.forgets && !open_.empty()) forget_below();
      continue;
    }
    const uint32_t number = queue.pairs[queue.next];
    if (is_goal(pairs_[number])) {
      goal_ = number;
      return Outcome::kExplained;
    }
    if (limits_.reached(3 * (pairs_.size() + 64) > 2 * slots_.size() ? 4 * slots_.size() * sizeof(uint32_t) : 0)) {
      limit_ = limits_.reason();
      return Outcome::kIncomplete;
    }
    if (most_pairs_ > 0 && pairs() >= most_pairs_) {
      limit_ = fmt::format("the limit of {} was reached", plural(most_pairs_, "state"));
      return Outcome::kIncomplete;
    }
    ++queue.next;
    expand(number, edits);
  }
  return behaviour_.gaps().empty() ? Outcome::kNotExplained : Outcome::kIncomplete;
}

ConformSearch::Outcome ConformSearch::explore() { return run_open(false); }

std::string ConformSearch::reason() const {
  if (!limit_.empty()) return limit_;
  return fmt::format("{}", fmt::join(behaviour_.gaps(), "; "));
}

std::vector<EventLog::Event> ConformSearch::events_between(const Cut& from, const Cut& to) const {
  std::vector<EventLog::Event> events;
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    const std::vector<EventLog::Event>& all = log_.streams()[i].events;
    if (from.back() != to.back() && to.back() == kSwapped + i) events.push_back(all[from[i] + 1]);
    const bool ends_swap = from.back() == kSwapped + i && to[i] > from[i];
    for (uint32_t at = from[i]; at < to[i] - (ends_swap ? 1 : 0); ++at) events.push_back(all[at]);
  }
  return events;
}

std::string ConformSearch::change_between(const Pair& pair, const Cut& from, const Cut& to) const {
  if (from.back() == to.back() || from.back() != kNone) return "";
  const auto line = [&](const EventLog::Event& event) {
    const TextPlace place = log_.place(event);
    return fmt::format("{}:{}: {}", place.file, place.line, log_.class_of(event).text);
  };
  const std::vector<EventLog::Event> events = events_between(from, to);
  if (pair.move == kNoMove) return fmt::format("drop {}", line(events.front()));
  if (to.back() >= kSwapped) {
    const size_t stream = to.back() - kSwapped;
    return fmt::format("swap {} and the event behind it", line(log_.streams()[stream].events[from[stream]]));
  }
  const Behaviour::Move& move = behaviour_.moves(behaviour_.node(pairs_[pair.parent].node))[pair.move];
  const auto fits = [&](uint32_t part, const EventLog::Event& event) {
    return behaviour_.is_event(move.first_observed + part, log_, event.of_class);
  };
  std::string text;  // of the part that no event is about
  for (uint32_t i = 0; i < move.observed; ++i) {
    if (std::ranges::none_of(events, [&](const auto& each) { return fits(i, each); }))
      text = behaviour_.event_of(move.first_observed + i).text();
  }
  if (events.size() < move.observed) {
    const std::vector<EventLog::Event>& first = log_.streams().front().events;
    const bool is_before = log_.streams().size() == 1 && to[0] < first.size();
    return is_before ? fmt::format("add {} before {}", text, line(first[to[0]])) : fmt::format("add {}", text);
  }
  for (const EventLog::Event& each : events) {
    bool is_of_step = false;
    for (uint32_t i = 0; i < move.observed; ++i) is_of_step = is_of_step || fits(i, each);
    if (!is_of_step) return fmt::format("make it {} instead of {}", text, line(each));
  }
  return fmt::format("make it {}", text);
}

std::vector<ConformSearch::Passed> ConformSearch::run() const {
  std::vector<Passed> passed;
  for (uint32_t number = goal_; pairs_[number].parent != kNoPair; number = pairs_[number].parent) {
    const Pair& pair = pairs_[number];
    const Pair& parent = pairs_[pair.parent];
    Passed& each = passed.emplace_back();
    const Cut from = cut_of(parent.cut);
    const Cut to = cut_of(pair.cut);
    if (pair.move != kNoMove) {
      const Behaviour::Move& move = behaviour_.moves(behaviour_.node(parent.node))[pair.move];
      const std::span<const Step> steps = behaviour_.steps(move);
      each.steps.assign(steps.begin(), steps.end());
      each.events = events_between(from, to);
    }
    each.change = change_between(pair, from, to);
  }
  std::ranges::reverse(passed);
  return passed;
}

Cut ConformSearch::furthest_cut() const {
  return furthest_ == kNoPair ? Cut(log_.streams().size() + 1) : cut_of(pairs_[furthest_].cut);
}

std::vector<EventLog::Event> ConformSearch::next_events() const {
  if (dead_.pair != kNoPair && log_.streams().size() > 1) {
    const Cut cut = cut_of(pairs_[dead_.pair].cut);
    return {log_.streams()[dead_.stream].events[cut[dead_.stream]]};
  }
  const Cut cut = furthest_cut();
  std::vector<EventLog::Event> events;
  for (size_t i = 0; i < log_.streams().size(); ++i) {
    const std::vector<EventLog::Event>& all = log_.streams()[i].events;
    if (cut[i] < all.size() && log_.is_ready(i, cut)) events.push_back(all[cut[i]]);
  }
  return events;
}

std::vector<std::string> ConformSearch::alternatives(size_t most, bool& all) {
  all = true;
  std::set<std::string> texts;
  if (furthest_ == kNoPair) return {};
  const bool of_stream = dead_.pair != kNoPair && log_.streams().size() > 1;
  const uint32_t cut = pairs_[of_stream ? dead_.pair : furthest_].cut;
  for (const Pair& pair : pairs_) {
    if (pair.cut != cut) continue;
    const Behaviour::Node node = behaviour_.node(pair.node);
    for (const Behaviour::Move& move : behaviour_.moves(node)) {
      std::vector<std::string> parts;  // both sides of a rendezvous
      for (uint32_t part = move.first_observed; part < move.first_observed + move.observed; ++part) {
        const uint8_t pid = behaviour_.observed(part).seen.pid;
        if (!of_stream || independence_->logs_into(dead_.stream, pid, behaviour_.state(pair.node)))
          parts.push_back(behaviour_.event_of(part).text());
      }
      if (!parts.empty()) texts.insert(fmt::format("{}", fmt::join(parts, " with ")));
    }
    if (limits_.reached() || texts.size() > most) {
      all = false;
      break;
    }
  }
  std::vector<std::string> result(texts.begin(), texts.end());
  if (result.size() > most) result.resize(most);
  return result;
}

std::optional<std::string> ConformSearch::nearest_change(uint64_t most_pairs, bool& all) {
  all = true;
  std::vector<std::pair<uint64_t, uint32_t>> seeds;
  for (uint32_t number = 0; number < pairs_.size(); ++number)
    seeds.emplace_back(level_of(cut_of(pairs_[number].cut)), number);
  std::ranges::sort(seeds, std::greater());
  most_pairs_ = pairs_.size() + most_pairs;
  open_.clear();
  for (size_t i = 0; i < seeds.size(); ++i) {
    expand(seeds[i].second, true);
    if (i + 1 < seeds.size() && seeds[i + 1].first == seeds[i].first) continue;
    const Outcome outcome = run_open(true);
    if (outcome == Outcome::kExplained) break;
    if (outcome == Outcome::kIncomplete) {
      all = false;
      break;
    }
  }
  if (goal_ == kNoPair) return std::nullopt;
  for (const Passed& each : run()) {
    if (!each.change.empty()) return each.change;
  }
  return std::nullopt;
}

}  // namespace cmc::conform
