#include "checker/por/stubborn_worker.h"

#include <algorithm>

#include "base/check.h"
#include "checker/por/sticky.h"

namespace cmc {

using Kind = Hindrance::Kind;

namespace {

// One bit each.
uint64_t all_of(std::span<const StubbornChooser::Mover> movers) {
  return movers.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << movers.size()) - 1;
}

}  // namespace

StubbornChooser::Worker::Table& StubbornChooser::Worker::table_of(const Control& control) {
  if (table_ == nullptr || control.number != control_number_) {
    const auto [found, is_new] = tables_.try_emplace(control.number);
    table_ = &found->second;
    control_number_ = control.number;
    if (is_new) {
      table_->processes = futures_.processes(control.content);
      table_->futures.resize(table_->processes.proctypes.size());
    }
  }
  return *table_;
}

uint32_t StubbornChooser::Worker::learn_future(const Control& control, uint8_t pid, uint32_t frame_number,
                                               ByteView frame) {
  Table& table = table_of(control);
  std::vector<uint32_t>& known = table.futures[pid];
  if (frame_number >= known.size()) known.resize(frame_number + 1, kUnknown);
  if (known[frame_number] == kUnknown) {
    const auto [alike, is_new] = table.alike.try_emplace(futures_.what_matters(table.processes, pid, frame));
    if (is_new) {
      alike->second = sets_.number_of(futures_.future(table.processes, pid, frame));
      if (!future(alike->second).tested_handshakes.empty()) tests_handshakes_ = true;
    }
    known[frame_number] = alike->second;
  }
  return known[frame_number];
}

void StubbornChooser::Worker::learn_present(uint32_t number) {
  if (number >= nows_.size()) nows_.resize(number + 1);
  Now& its = nows_[number];
  its.present = sets_.present(number);
  for (const uint8_t partner : its.present->partners) its.partners |= partner < 64 ? uint64_t{1} << partner : 0;
  its.waits = its.present->creates || its.present->waits_to_end || its.present->sees_processes;
}

const StubbornSets::Shared::KnownFuture& StubbornChooser::Worker::future(uint32_t number) {
  if (number >= all_futures_.size()) all_futures_.resize(number + 1);
  if (all_futures_[number] == nullptr) all_futures_[number] = sets_.future(number);
  return *all_futures_[number];
}

bool StubbornChooser::Worker::learn_conflict(Now& its, const Mover& one, const Mover& other, bool younger) {
  const auto disturbs = [&] { return disturbance(*its.present, future(other.future), younger).kind != Kind::kNone; };
  if (one.present >= kRows || other.future >= ConflictRow::kFutures)
    return conflicts_.get(one.present, other.future, younger, disturbs);
  const bool answer = disturbs();
  its.conflicts.set(other.future, younger, answer);
  return answer;
}

bool StubbornChooser::Worker::tests_handshake(const Mover& one, const Mover& other) {
  return handshakes_.get(one.future, other.future, false, [&] {
    const Future& first = future(one.future);
    const Future& second = future(other.future);
    return tests_of(first, second) || tests_of(second, first);
  });
}

Cause StubbornChooser::Worker::cause(const Mover& one, const Mover& other, bool younger) {
  const Cause found = disturbance(present(one.present), future(other.future), younger);
  return found.kind == Kind::kNone ? Cause{Kind::kHandshake} : found;
}

uint64_t StubbornChooser::Worker::row(std::span<const Mover> movers, size_t pid) {
  const uint64_t bit = uint64_t{1} << pid;
  if ((rows_known_ & bit) != 0) return rows_[pid];
  Now& its = now_of(movers[pid].present);
  uint64_t row = its.partners;
  const auto add = [&](size_t other, bool younger) {
    const bool inside = conflict(its, movers[pid], movers[other], younger) ||
                        (sets_.keeps_fairness() && unsteady(its, movers, other));
    row |= uint64_t{inside} << other;
  };
  for (size_t other = 0; other < pid; ++other) add(other, false);
  for (size_t other = pid + 1; other < movers.size(); ++other) add(other, true);
  // Nobody ends before the youngest process has.
  const size_t youngest = movers.size() - 1;
  if (its.waits && youngest != pid && future(movers[youngest].future).ends) row |= uint64_t{1} << youngest;
  rows_known_ |= bit;
  return rows_[pid] = row;
}

std::optional<uint64_t> StubbornChooser::Worker::closure(std::span<const Mover> movers, size_t pid,
                                                         uint64_t useless) {
  uint64_t closed = uint64_t{1} << pid;
  for (uint64_t open = closed; open != 0;) {
    const size_t next = static_cast<size_t>(std::countr_zero(open));
    open &= open - 1;
    const uint64_t more = row(movers, next) & ~closed;
    if ((more & useless) != 0) return std::nullopt;
    closed |= more;
    open |= more;
  }
  return closed;
}

std::optional<ComponentId> StubbornChooser::Worker::unsteady(const Now& its, std::span<const Mover> movers,
                                                             size_t other) {
  const AccessSets& waits = future(movers[other].future).uses;
  for (const auto& [use, test] :
       {std::pair(Access::kReceive, Access::kTestNotEmpty), std::pair(Access::kSend, Access::kTestNotFull)}) {
    ComponentSet channels = its.present->writes.both(waits[use]);
    channels.add(its.present->writes.both(waits[test]));
    if (channels.empty()) continue;
    for (size_t third = 0; third < movers.size(); ++third) {
      const Future& takes = future(movers[third].future);
      if (third == other) continue;
      if (takes.any_channel || takes.uses[use].meets(channels) || takes.uses[Access::kChange].meets(channels))
        return static_cast<ComponentId>(*channels.common(channels));
    }
  }
  return std::nullopt;
}

void StubbornChooser::Worker::set_sticky(std::span<const Mover> movers) {
  scratch_.clear();
  for (const Mover& mover : movers) scratch_.push_back(future(mover.future).cycles_number);
  if (sets_.has_groups()) {  // which depend on proctypes
    const std::vector<ProctypeId>& proctypes = table_->processes.proctypes;
    scratch_.insert(scratch_.end(), proctypes.begin(), proctypes.end());
  }
  if (sticky_ != nullptr && scratch_ == cycles_) return;
  cycles_ = scratch_;
  const auto [found, is_new] = stickies_.try_emplace(cycles_);
  if (is_new) {
    std::vector<const std::vector<CycleEdge>*> all;
    for (const Mover& mover : movers) all.push_back(&future(mover.future).cycles);
    found->second.locations = sticky_locations(all, sets_.groups(table_->processes));
  }
  sticky_ = &found->second;
}

bool StubbornChooser::Worker::leaves_sticky(uint32_t number) {
  std::vector<uint8_t>& left = sticky_->left;
  if (number >= left.size()) left.resize(number + 1);
  if (left[number] == 0) {
    left[number] = 1 + std::ranges::any_of(present(number).passes, [&](const Present::Place& place) {
                     return std::ranges::binary_search(sticky_->locations[place.pid], place.location);
                   });
  }
  return left[number] == 2;
}

uint64_t StubbornChooser::Worker::choose(std::span<const Mover> movers) {
  DCHECK(!movers.empty() && movers.size() <= kMostProcesses);
  if (pause_ == 0) return remembered_choice(movers);
  --pause_;
  const uint64_t pids = find_choice(movers);
  if (unremembered_++ % kSample == 0 && !std::has_single_bit(pids)) {
    numbers_.clear();
    find_hindrances(movers, numbers_);
    for (const uint32_t number : numbers_) hindrances_[number].count += kSample;
  }
  return pids;
}

// What is remembered is forgotten.
void StubbornChooser::Worker::make_room() {
  for (const Chosen& each : choices_) count(each);
  choices_ = std::vector<Chosen>(kGrowth * choices_.size());
  forgotten_ = 0;
}

uint64_t StubbornChooser::Worker::remembered_choice(std::span<const Mover> movers) {
  uint64_t hash = 0;
  for (const Mover& mover : movers) {
    hash = (hash ^ (uint64_t{mover.present} << 32 | mover.future)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  if (forgotten_ > choices_.size() && choices_.size() < kMostChoices) make_room();
  Chosen& known = choices_[hash % choices_.size()];
  const uint32_t control = sets_.has_groups() ? control_number_ : 0;  // groups depend on it
  if (known.control == control && std::ranges::equal(known.movers, movers)) {
    ++found_;
  } else {
    count(known);
    forgotten_ += known.movers.empty() ? 0 : 1;
    known.control = control;
    known.movers.assign(movers.begin(), movers.end());
    known.uses = 0;
    known.hindrances.clear();
    known.pids = find_choice(movers);
    if (!std::has_single_bit(known.pids)) find_hindrances(movers, known.hindrances);
  }
  if (++asked_ == kWindow) {
    if (found_ < kWindow / 4) pause_ = kPause;
    asked_ = found_ = 0;
  }
  ++known.uses;
  return known.pids;
}

uint64_t StubbornChooser::Worker::find_choice(std::span<const Mover> movers) {
  uint64_t best = all_of(movers);
  uint64_t able = 0;
  uint64_t visible = 0;
  uint64_t fewest = 0;
  for (size_t pid = 0; pid < movers.size(); ++pid) {
    if (movers[pid].steps == 0) continue;
    able |= uint64_t{1} << pid;
    fewest += movers[pid].steps;
    if (sets_.has_visible() && present(movers[pid].present).visible) visible |= uint64_t{1} << pid;
  }
  rows_known_ = 0;
  if (able == 0 || std::has_single_bit(able)) return best;
  std::optional<uint64_t> sticky;  // is asked for only where a set is small enough
  // A set with one of these is no better than that one's own, which was not good enough.
  uint64_t useless = visible;
  for (uint64_t rest = able & ~visible; rest != 0 && fewest > 1; rest &= rest - 1) {
    const size_t pid = static_cast<size_t>(std::countr_zero(rest));
    const std::optional<uint64_t> closed = (useless >> pid & 1) != 0 ? std::nullopt : closure(movers, pid, useless);
    useless |= uint64_t{1} << pid;
    if (!closed) continue;
    uint64_t steps = 0;
    for (uint64_t inside = *closed & able; inside != 0; inside &= inside - 1) {
      steps += movers[static_cast<size_t>(std::countr_zero(inside))].steps;
    }
    if (steps >= fewest) continue;
    if (!sticky) useless |= *(sticky = sets_.may_put_off() ? 0 : sticky_of(movers, able));
    if ((*closed & *sticky) != 0) continue;
    best = *closed;
    fewest = steps;
  }
  return best;
}

uint64_t StubbornChooser::Worker::sticky_of(std::span<const Mover> movers, uint64_t able) {
  set_sticky(movers);
  uint64_t sticky = 0;
  for (uint64_t rest = able; rest != 0; rest &= rest - 1) {
    const size_t pid = static_cast<size_t>(std::countr_zero(rest));
    if (leaves_sticky(movers[pid].present)) sticky |= uint64_t{1} << pid;
  }
  return sticky;
}

void StubbornChooser::Worker::find_hindrances(std::span<const Mover> movers, std::vector<uint32_t>& out) {
  const auto able = std::ranges::count_if(movers, [](const Mover& mover) { return mover.steps > 0; });
  if (able < 2) return;
  for (size_t pid = 0; pid < movers.size(); ++pid) {
    if (movers[pid].steps == 0) continue;
    const Hindrance found = hindrance(movers, pid);
    const auto [number, is_new] = hindrance_numbers_.try_emplace(found, static_cast<uint32_t>(hindrances_.size()));
    if (is_new) hindrances_.push_back({found, 0});
    out.push_back(number->second);
  }
}

Hindrance StubbornChooser::Worker::hindrance(std::span<const Mover> movers, size_t pid) {
  Hindrance found;
  Now& its = now_of(movers[pid].present);
  const StubbornSets::Shared::KnownPresent& now = *its.present;
  const std::vector<ProctypeId>& proctypes = table_->processes.proctypes;
  found.proctype = proctypes[pid];
  for (const Present::Place& place : now.passes) {
    if (place.pid == pid) found.location = place.location;
  }
  if (now.visible) {
    found.kind = Kind::kVisible;
    return found;
  }
  const uint64_t others = row(movers, pid);
  if (others == 0) {
    found.kind = Kind::kCycle;
    return found;
  }
  const size_t other = static_cast<size_t>(std::countr_zero(others));
  found.other = proctypes[other];
  if (conflict(its, movers[pid], movers[other], other > pid)) {
    const Cause why = cause(movers[pid], movers[other], other > pid);
    found.kind = why.kind;
    found.component = why.component;
  } else if (const auto channel = sets_.keeps_fairness() ? unsteady(its, movers, other) : std::nullopt) {
    found.kind = Kind::kComponent;
    found.component = *channel;
  } else {
    const bool partner = std::ranges::find(now.partners, other) != now.partners.end();
    found.kind = partner ? Kind::kHandshake : Kind::kProcesses;
  }
  return found;
}

}  // namespace cmc
