#include "checker/keys/stubborn.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "checker/keys/sticky.h"

namespace cmc {

namespace {

// Whether something that the other process may do disturbs these steps, or they it.
bool disturbs(const Present& present, const Future& future) {
  if (future.sees_all) return true;
  for (size_t i = 0; i < kAccesses; ++i) {
    if (present.against.sets[i].meets(future.uses.sets[i])) return true;
  }
  if ((present.any_channel && future.uses_channels) || (present.uses_channels && future.any_channel)) return true;
  // Pids are given in order.
  if (present.creates && (future.creates || future.sees_processes)) return true;
  if (present.ends && (future.creates || future.sees_processes)) return true;
  return present.sees_processes && future.creates;
}

// Whether a test of the one that nobody is ready for a handshake depends on where the other is.
bool tests_of(const Future& one, const Future& other) {
  if (one.tested_handshakes.empty()) return false;
  if (other.any_channel) return true;
  return std::ranges::any_of(other.uses.sets,
                             [&](const ComponentSet& each) { return each.meets(one.tested_handshakes); });
}

}  // namespace

StubbornSets::StubbornSets(const Components& components, ByteView initial)
    : components_(components), initial_(initial.begin(), initial.end()), visible_(make_futures().visible()) {}

uint32_t StubbornSets::number_of(Present present) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = present_numbers_.try_emplace(present, static_cast<uint32_t>(presents_.size()));
  if (is_new) {
    KnownPresent& known = presents_.emplace_back(std::move(present));
    known.visible = !visible_ || known.writes.meets(*visible_);
  }
  return found->second;
}

uint32_t StubbornSets::number_of(Future future) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = future_numbers_.try_emplace(future, static_cast<uint32_t>(futures_.size()));
  if (is_new) {
    KnownFuture& known = futures_.emplace_back(std::move(future));
    known.cycles_number =
        cycle_numbers_.try_emplace(known.cycles, static_cast<uint32_t>(cycle_numbers_.size())).first->second;
  }
  return found->second;
}

const StubbornSets::KnownPresent* StubbornSets::present(uint32_t number) {
  const std::scoped_lock lock(mutex_);
  return &presents_[number];
}

const StubbornSets::KnownFuture* StubbornSets::future(uint32_t number) {
  const std::scoped_lock lock(mutex_);
  return &futures_[number];
}

StubbornChooser::Table& StubbornChooser::table_of(uint32_t control_number, ByteView control) {
  if (table_ == nullptr || control_number != control_number_) {
    const auto [found, is_new] = tables_.try_emplace(control_number);
    table_ = &found->second;
    control_number_ = control_number;
    if (is_new) {
      table_->processes = futures_.processes(control);
      table_->futures.resize(table_->processes.proctypes.size());
    }
  }
  return *table_;
}

uint32_t StubbornChooser::learn_future(uint32_t control_number, ByteView control, uint8_t pid, uint32_t frame_number,
                                       ByteView frame) {
  Table& table = table_of(control_number, control);
  std::vector<uint32_t>& known = table.futures[pid];
  if (frame_number >= known.size()) known.resize(frame_number + 1, kUnknown);
  if (known[frame_number] == kUnknown) {
    known[frame_number] = sets_.number_of(futures_.future(table.processes, pid, frame));
  }
  return known[frame_number];
}

const StubbornSets::KnownPresent& StubbornChooser::present(uint32_t number) {
  if (number >= presents_.size()) presents_.resize(number + 1);
  if (presents_[number] == nullptr) presents_[number] = sets_.present(number);
  return *presents_[number];
}

const StubbornSets::KnownFuture& StubbornChooser::future(uint32_t number) {
  if (number >= all_futures_.size()) all_futures_.resize(number + 1);
  if (all_futures_[number] == nullptr) {
    all_futures_[number] = sets_.future(number);
    tests_handshakes_ = tests_handshakes_ || !all_futures_[number]->tested_handshakes.empty();
  }
  return *all_futures_[number];
}

template <class Compute>
bool StubbornChooser::remembered(std::vector<Known>& table, uint32_t one, uint32_t other, const Compute& compute) {
  const uint64_t pair = uint64_t{one} << 32 | other;
  Known& known = table[(pair * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(kConflicts))];
  if (known.pair != pair) known = {pair, compute()};
  return known.conflict;
}

bool StubbornChooser::conflict(uint32_t one, uint32_t other) {
  return remembered(conflicts_, one, other, [&] { return disturbs(present(one), future(other)); });
}

bool StubbornChooser::handshake_conflict(uint32_t one, uint32_t other) {
  return remembered(handshakes_, one, other,
                    [&] { return tests_of(future(one), future(other)) || tests_of(future(other), future(one)); });
}

uint64_t StubbornChooser::row(std::span<const Mover> movers, size_t pid) {
  const uint64_t bit = uint64_t{1} << pid;
  if ((rows_known_ & bit) != 0) return rows_[pid];
  uint64_t row = 0;
  for (size_t other = 0; other < movers.size(); ++other) {
    if (other == pid) continue;
    const bool both = conflict(movers[pid].present, movers[other].future) ||
                      (tests_handshakes_ && handshake_conflict(movers[pid].future, movers[other].future));
    if (both) row |= uint64_t{1} << other;
  }
  const StubbornSets::KnownPresent& now = present(movers[pid].present);
  for (const uint8_t partner : now.partners) row |= uint64_t{1} << partner;
  // Nobody ends before the youngest process has.
  const size_t youngest = movers.size() - 1;
  const bool waits = now.creates || now.waits_to_end || now.sees_processes;
  if (waits && youngest != pid && future(movers[youngest].future).ends) row |= uint64_t{1} << youngest;
  rows_known_ |= bit;
  return rows_[pid] = row;
}

uint64_t StubbornChooser::closure(std::span<const Mover> movers, size_t pid) {
  uint64_t closed = uint64_t{1} << pid;
  for (uint64_t open = closed; open != 0;) {
    const size_t next = static_cast<size_t>(std::countr_zero(open));
    open &= open - 1;
    const uint64_t more = row(movers, next) & ~closed;
    closed |= more;
    open |= more;
  }
  return closed;
}

void StubbornChooser::set_sticky(std::span<const Mover> movers) {
  scratch_.clear();
  for (const Mover& mover : movers) scratch_.push_back(future(mover.future).cycles_number);
  if (sticky_ != nullptr && scratch_ == cycles_) return;
  cycles_ = scratch_;
  const auto [found, is_new] = stickies_.try_emplace(cycles_);
  if (is_new) {
    std::vector<const std::vector<CycleEdge>*> all;
    for (const Mover& mover : movers) all.push_back(&future(mover.future).cycles);
    found->second = sticky_locations(all);
  }
  sticky_ = &found->second;
}

bool StubbornChooser::leaves_sticky(uint32_t number) {
  return std::ranges::any_of(present(number).passes, [&](const Present::Place& place) {
    return std::ranges::binary_search((*sticky_)[place.pid], place.location);
  });
}

uint64_t StubbornChooser::choose(std::span<const Mover> movers) {
  DCHECK(!movers.empty() && movers.size() <= kMostProcesses);
  uint64_t hash = 0;
  for (const Mover& mover : movers) {
    hash = (hash ^ (uint64_t{mover.present} << 32 | mover.future)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  Chosen& known = choices_[hash % kChoices];
  if (!std::ranges::equal(known.movers, movers)) {
    known.pids = find_choice(movers);
    known.movers.assign(movers.begin(), movers.end());
  }
  return known.pids;
}

uint64_t StubbornChooser::find_choice(std::span<const Mover> movers) {
  const uint64_t all = movers.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << movers.size()) - 1;
  uint64_t total = 0;
  size_t able = 0;
  for (const Mover& mover : movers) {
    total += mover.steps;
    able += mover.steps > 0 ? 1 : 0;
  }
  if (able < 2) return all;
  for (const Mover& mover : movers) future(mover.future);  // which sets tests_handshakes_
  rows_known_ = 0;
  bool sticky_known = false;
  uint64_t best = all;
  uint64_t fewest = total;
  uint64_t bad = 0;  // processes whose sets cannot be chosen
  for (size_t pid = 0; pid < movers.size(); ++pid) {
    if (movers[pid].steps == 0 || (bad >> pid & 1) != 0) continue;
    if (present(movers[pid].present).visible) {
      bad |= uint64_t{1} << pid;
      continue;
    }
    const uint64_t closed = closure(movers, pid);
    uint64_t steps = 0;
    bool usable = (closed & bad) == 0;
    for (uint64_t rest = closed; rest != 0 && usable; rest &= rest - 1) {
      const Mover& mover = movers[static_cast<size_t>(std::countr_zero(rest))];
      steps += mover.steps;
      usable = mover.steps == 0 || !present(mover.present).visible;
    }
    if (!usable || steps >= fewest) continue;
    if (!sticky_known) set_sticky(movers);
    sticky_known = true;
    for (uint64_t rest = closed; rest != 0 && usable; rest &= rest - 1) {
      const Mover& mover = movers[static_cast<size_t>(std::countr_zero(rest))];
      usable = mover.steps == 0 || !leaves_sticky(mover.present);
    }
    if (!usable) continue;
    best = closed;
    fewest = steps;
    if (fewest == 1) break;
  }
  return best;
}

}  // namespace cmc
