#include "checker/keys/stubborn.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/keys/futures.h"
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

// Thread-safe.
class StubbornSets::Shared {
 public:
  Shared(const Components& components, ByteView initial, bool symmetric);

  // Numbers of equal things are equal.
  [[nodiscard]] uint32_t number_of(Present present);
  [[nodiscard]] uint32_t number_of(Future future);

  struct KnownPresent : Present {
    explicit KnownPresent(Present present) : Present(std::move(present)) {}
    bool visible = false;  // it changes what the claim looks at: nothing may be left out beside it
  };
  struct KnownFuture : Future {
    explicit KnownFuture(Future future) : Future(std::move(future)) {}
    uint32_t cycles_number = 0;  // the same for equal cycles
  };
  [[nodiscard]] const KnownPresent* present(uint32_t number);
  [[nodiscard]] const KnownFuture* future(uint32_t number);

  [[nodiscard]] bool symmetric() const { return symmetric_; }
  // For one worker.
  [[nodiscard]] Futures make_futures() const { return {components_, initial_}; }

 private:
  const Components& components_;
  const Bytes initial_;
  const bool symmetric_;
  std::optional<ComponentSet> visible_;
  std::mutex mutex_;
  std::map<Present, uint32_t> present_numbers_;
  std::map<Future, uint32_t> future_numbers_;
  std::map<std::vector<CycleEdge>, uint32_t> cycle_numbers_;
  std::deque<KnownPresent> presents_;
  std::deque<KnownFuture> futures_;
};

class StubbornChooser::Worker {
 public:
  explicit Worker(StubbornSets::Shared& sets) : sets_(sets), futures_(sets.make_futures()) {
    choices_.resize(kChoices);
    conflicts_.resize(kConflicts);
    handshakes_.resize(kConflicts);
  }

  uint32_t present_of(const Control& control, uint8_t pid, ByteView frame, const Computed& computed) {
    return sets_.number_of(futures_.present(table_of(control).processes, pid, frame, computed));
  }
  [[nodiscard]] uint32_t future_of(uint32_t control_number, uint32_t pid, uint32_t frame_number) const {
    if (control_number != control_number_ || table_ == nullptr) return kUnknown;
    const std::vector<uint32_t>& known = table_->futures[pid];
    return frame_number < known.size() ? known[frame_number] : kUnknown;
  }
  uint32_t learn_future(const Control& control, uint8_t pid, uint32_t frame_number, ByteView frame);
  [[nodiscard]] uint64_t choose(std::span<const Mover> movers);

 private:
  // A choice that was made before.
  struct Chosen {
    std::vector<Mover> movers;
    uint64_t pids = 0;
  };
  static constexpr size_t kChoices = size_t{1} << 12;  // remembered
  [[nodiscard]] uint64_t find_choice(std::span<const Mover> movers);
  struct Table {
    Futures::Processes processes;
    std::vector<std::vector<uint32_t>> futures;  // by pid and number of the frame's content
  };
  struct Known {
    uint64_t pair = ~uint64_t{0};
    bool conflict = false;
  };
  static constexpr size_t kConflicts = size_t{1} << 14;  // remembered

  Table& table_of(const Control& control);
  const StubbornSets::Shared::KnownPresent& present(uint32_t number);
  const StubbornSets::Shared::KnownFuture& future(uint32_t number);
  void set_sticky(std::span<const Mover> movers);
  [[nodiscard]] bool leaves_sticky(uint32_t number);
  [[nodiscard]] uint64_t row(std::span<const Mover> movers, size_t pid);
  [[nodiscard]] uint64_t closure(std::span<const Mover> movers, size_t pid);
  [[nodiscard]] bool conflict(uint32_t present, uint32_t future);
  [[nodiscard]] bool handshake_conflict(uint32_t one, uint32_t other);
  template <class Compute>
  static bool remembered(std::vector<Known>& table, uint32_t one, uint32_t other, const Compute& compute);

  StubbornSets::Shared& sets_;
  Futures futures_;
  std::map<uint32_t, Table> tables_;  // by number of control
  Table* table_ = nullptr;            // of control_number_
  uint32_t control_number_ = 0;
  std::vector<const StubbornSets::Shared::KnownPresent*> presents_;  // that were asked for
  std::vector<const StubbornSets::Shared::KnownFuture*> all_futures_;
  std::vector<Chosen> choices_;    // by hash
  std::vector<Known> conflicts_;   // of steps now and a future
  std::vector<Known> handshakes_;  // of two futures
  bool tests_handshakes_ = false;  // a future that was asked for does
  uint64_t rows_[kMostProcesses] = {};
  uint64_t rows_known_ = 0;
  // Sticky locations by the numbers of the processes' cycles.
  std::map<std::vector<uint32_t>, std::vector<std::vector<LocationId>>> stickies_;
  std::vector<uint32_t> cycles_;  // of the state before
  std::vector<uint32_t> scratch_;
  const std::vector<std::vector<LocationId>>* sticky_ = nullptr;  // for cycles_
};

StubbornSets::Shared::Shared(const Components& components, ByteView initial, bool symmetric)
    : components_(components),
      initial_(initial.begin(), initial.end()),
      symmetric_(symmetric),
      visible_(make_futures().visible()) {}

uint32_t StubbornSets::Shared::number_of(Present present) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = present_numbers_.try_emplace(present, static_cast<uint32_t>(presents_.size()));
  if (is_new) {
    KnownPresent& known = presents_.emplace_back(std::move(present));
    known.visible = !visible_ || known.writes.meets(*visible_);
  }
  return found->second;
}

uint32_t StubbornSets::Shared::number_of(Future future) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = future_numbers_.try_emplace(future, static_cast<uint32_t>(futures_.size()));
  if (is_new) {
    KnownFuture& known = futures_.emplace_back(std::move(future));
    known.cycles_number =
        cycle_numbers_.try_emplace(known.cycles, static_cast<uint32_t>(cycle_numbers_.size())).first->second;
  }
  return found->second;
}

const StubbornSets::Shared::KnownPresent* StubbornSets::Shared::present(uint32_t number) {
  const std::scoped_lock lock(mutex_);
  return &presents_[number];
}

const StubbornSets::Shared::KnownFuture* StubbornSets::Shared::future(uint32_t number) {
  const std::scoped_lock lock(mutex_);
  return &futures_[number];
}

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
    known[frame_number] = sets_.number_of(futures_.future(table.processes, pid, frame));
  }
  return known[frame_number];
}

const StubbornSets::Shared::KnownPresent& StubbornChooser::Worker::present(uint32_t number) {
  if (number >= presents_.size()) presents_.resize(number + 1);
  if (presents_[number] == nullptr) presents_[number] = sets_.present(number);
  return *presents_[number];
}

const StubbornSets::Shared::KnownFuture& StubbornChooser::Worker::future(uint32_t number) {
  if (number >= all_futures_.size()) all_futures_.resize(number + 1);
  if (all_futures_[number] == nullptr) {
    all_futures_[number] = sets_.future(number);
    tests_handshakes_ = tests_handshakes_ || !all_futures_[number]->tested_handshakes.empty();
  }
  return *all_futures_[number];
}

template <class Compute>
bool StubbornChooser::Worker::remembered(std::vector<Known>& table, uint32_t one, uint32_t other,
                                         const Compute& compute) {
  const uint64_t pair = uint64_t{one} << 32 | other;
  Known& known = table[(pair * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(kConflicts))];
  if (known.pair != pair) known = {pair, compute()};
  return known.conflict;
}

bool StubbornChooser::Worker::conflict(uint32_t one, uint32_t other) {
  return remembered(conflicts_, one, other, [&] { return disturbs(present(one), future(other)); });
}

bool StubbornChooser::Worker::handshake_conflict(uint32_t one, uint32_t other) {
  return remembered(handshakes_, one, other,
                    [&] { return tests_of(future(one), future(other)) || tests_of(future(other), future(one)); });
}

uint64_t StubbornChooser::Worker::row(std::span<const Mover> movers, size_t pid) {
  const uint64_t bit = uint64_t{1} << pid;
  if ((rows_known_ & bit) != 0) return rows_[pid];
  uint64_t row = 0;
  for (size_t other = 0; other < movers.size(); ++other) {
    if (other == pid) continue;
    const bool both = conflict(movers[pid].present, movers[other].future) ||
                      (tests_handshakes_ && handshake_conflict(movers[pid].future, movers[other].future));
    if (both) row |= uint64_t{1} << other;
  }
  const StubbornSets::Shared::KnownPresent& now = present(movers[pid].present);
  for (const uint8_t partner : now.partners) row |= uint64_t{1} << partner;
  // Nobody ends before the youngest process has.
  const size_t youngest = movers.size() - 1;
  const bool waits = now.creates || now.waits_to_end || now.sees_processes;
  if (waits && youngest != pid && future(movers[youngest].future).ends) row |= uint64_t{1} << youngest;
  rows_known_ |= bit;
  return rows_[pid] = row;
}

uint64_t StubbornChooser::Worker::closure(std::span<const Mover> movers, size_t pid) {
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

void StubbornChooser::Worker::set_sticky(std::span<const Mover> movers) {
  scratch_.clear();
  for (const Mover& mover : movers) scratch_.push_back(future(mover.future).cycles_number);
  if (sticky_ != nullptr && scratch_ == cycles_) return;
  cycles_ = scratch_;
  const auto [found, is_new] = stickies_.try_emplace(cycles_);
  if (is_new) {
    std::vector<const std::vector<CycleEdge>*> all;
    for (const Mover& mover : movers) all.push_back(&future(mover.future).cycles);
    found->second = sets_.symmetric() ? symmetric_sticky_locations(all) : sticky_locations(all);
  }
  sticky_ = &found->second;
}

bool StubbornChooser::Worker::leaves_sticky(uint32_t number) {
  return std::ranges::any_of(present(number).passes, [&](const Present::Place& place) {
    return std::ranges::binary_search((*sticky_)[place.pid], place.location);
  });
}

uint64_t StubbornChooser::Worker::choose(std::span<const Mover> movers) {
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

uint64_t StubbornChooser::Worker::find_choice(std::span<const Mover> movers) {
  const uint64_t all = movers.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << movers.size()) - 1;
  uint64_t total = 0;
  size_t able = 0;
  for (const Mover& mover : movers) {
    total += mover.steps;
    able += mover.steps > 0 ? 1 : 0;
  }
  if (able < 2) return all;
  for (const Mover& mover : movers) static_cast<void>(future(mover.future));  // whether one tests handshakes
  rows_known_ = 0;
  const auto where = [&](const auto& test) {
    uint64_t pids = 0;
    for (size_t pid = 0; pid < movers.size(); ++pid) {
      if (movers[pid].steps > 0 && test(movers[pid].present)) pids |= uint64_t{1} << pid;
    }
    return pids;
  };
  const uint64_t visible = where([&](uint32_t number) { return present(number).visible; });
  std::optional<uint64_t> sticky;  // is asked for only where a set is small enough
  uint64_t best = all;
  uint64_t fewest = total;
  for (size_t pid = 0; pid < movers.size() && fewest > 1; ++pid) {
    if (movers[pid].steps == 0 || (visible >> pid & 1) != 0) continue;
    const uint64_t closed = closure(movers, pid);
    uint64_t steps = 0;
    for (uint64_t rest = closed; rest != 0; rest &= rest - 1) {
      steps += movers[static_cast<size_t>(std::countr_zero(rest))].steps;
    }
    if ((closed & visible) != 0 || steps >= fewest) continue;
    if (!sticky) {
      set_sticky(movers);
      sticky = where([&](uint32_t number) { return leaves_sticky(number); });
    }
    if ((closed & *sticky) != 0) continue;
    best = closed;
    fewest = steps;
  }
  return best;
}

StubbornSets::StubbornSets(const Components& components, ByteView initial, bool symmetric)
    : shared_(std::make_unique<Shared>(components, initial, symmetric)) {}

StubbornSets::~StubbornSets() = default;

const char* StubbornSets::obstacle(const Model& model) { return Futures::obstacle(model); }

StubbornChooser::StubbornChooser(StubbornSets& sets) : worker_(std::make_unique<Worker>(*sets.shared_)) {}

StubbornChooser::~StubbornChooser() = default;

uint32_t StubbornChooser::present_of(const Control& control, uint8_t pid, ByteView frame, const Computed& computed) {
  return worker_->present_of(control, pid, frame, computed);
}

uint32_t StubbornChooser::future_of(uint32_t control_number, uint32_t pid, uint32_t frame_number) const {
  return worker_->future_of(control_number, pid, frame_number);
}

uint32_t StubbornChooser::learn_future(const Control& control, uint8_t pid, uint32_t frame_number, ByteView frame) {
  return worker_->learn_future(control, pid, frame_number, frame);
}

uint64_t StubbornChooser::choose(std::span<const Mover> movers) { return worker_->choose(movers); }

}  // namespace cmc
