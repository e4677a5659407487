#include "checker/keys/stubborn.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/keys/futures.h"
#include "checker/keys/sticky.h"
#include "checker/keys/symmetry.h"

namespace cmc {

namespace {

using Kind = Hindrance::Kind;
struct Cause {
  Kind kind = Kind::kNone;
  ComponentId component = kControlComponent;
};

// Whether something that the other process may do disturbs these steps, or they it. `younger`: the other one can end
// before this one has.
Cause disturbance(const Present& present, const Future& future, bool younger) {
  if (future.sees_all) return {Kind::kEverything};
  if (younger) {  // whoever uses a channel has this row
    const std::optional<uint32_t> gone = present.against[Access::kChange].common(future.destroys);
    if (gone) return {Kind::kComponent, static_cast<ComponentId>(*gone)};
  }
  for (size_t i = 0; i < kAccesses; ++i) {
    const std::optional<uint32_t> common = present.against.sets[i].common(future.uses.sets[i]);
    if (common) return {Kind::kComponent, static_cast<ComponentId>(*common)};
  }
  if ((present.any_channel && future.uses_channels) || (present.uses_channels && future.any_channel))
    return {Kind::kUnknownChannel};
  // Pids are given in order.
  if (present.creates && (future.creates || future.sees_processes)) return {Kind::kProcesses};
  if (present.ends && (future.creates || future.sees_processes)) return {Kind::kProcesses};
  if (present.sees_processes && future.creates) return {Kind::kProcesses};
  return {Kind::kNone};
}

// Whether a test of the one that nobody is ready for a handshake depends on where the other is.
bool tests_of(const Future& one, const Future& other) {
  if (one.tested_handshakes.empty()) return false;
  if (other.any_channel) return true;
  return std::ranges::any_of(other.uses.sets,
                             [&](const ComponentSet& each) { return each.meets(one.tested_handshakes); });
}

// Answers about pairs of numbers below 2^31, as many as there is room for.
class Answers {
 public:
  template <class Compute>
  bool get(uint32_t one, uint32_t other, bool younger, const Compute& compute) {
    const uint64_t question = uint64_t{one} << 33 | uint64_t{other} << 2 | (younger ? 2 : 0);
    uint64_t& known = known_[(question * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(kRoom))];
    if ((known & ~uint64_t{1}) != question) known = question | (compute() ? 1 : 0);
    return (known & 1) != 0;
  }

 private:
  static constexpr size_t kRoom = size_t{1} << 15;
  static constexpr uint64_t kNothing = ~uint64_t{1};
  std::vector<uint64_t> known_ = std::vector<uint64_t>(kRoom, kNothing);  // question, and the answer in the last bit
};

}  // namespace

// Thread-safe.
class StubbornSets::Shared {
 public:
  Shared(const Components& components, ByteView initial, Proviso proviso, const Symmetry* symmetry);

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
  [[nodiscard]] bool may_put_off() const { return proviso_ == Proviso::kNone; }
  [[nodiscard]] bool has_visible() const { return !visible_ || !visible_->empty(); }
  [[nodiscard]] const KnownPresent* present(uint32_t number);
  [[nodiscard]] const KnownFuture* future(uint32_t number);

  [[nodiscard]] std::vector<CountedHindrance> hindrances() {
    const std::scoped_lock lock(mutex_);
    std::vector<CountedHindrance> all;
    for (const auto& [hindrance, count] : hindrances_) all.push_back({hindrance, count});
    std::ranges::stable_sort(all, std::greater(), &CountedHindrance::count);
    return all;
  }

  [[nodiscard]] bool has_groups() const { return symmetry_ != nullptr; }
  // Processes that change places, by pid.
  [[nodiscard]] std::vector<Symmetry::Group> groups(const Futures::Processes& processes) const {
    if (symmetry_ == nullptr) return {};
    Bytes proctypes;
    for (const ProctypeId proctype : processes.proctypes) proctypes.push_back(std::byte{proctype});
    return symmetry_->groups(proctypes);
  }
  // For one worker.
  [[nodiscard]] Futures make_futures() const { return {components_, initial_}; }

  // What a worker has learned stays: choosers come and go with the layout of keys.
  [[nodiscard]] std::unique_ptr<StubbornChooser::Worker> take_worker();
  void give_back(std::unique_ptr<StubbornChooser::Worker> worker);

 private:
  const Components& components_;
  const Bytes initial_;
  const Proviso proviso_;
  const Symmetry* const symmetry_;
  std::optional<ComponentSet> visible_;
  std::mutex mutex_;
  std::map<Present, uint32_t> present_numbers_;
  std::map<Future, uint32_t> future_numbers_;
  std::map<std::vector<CycleEdge>, uint32_t> cycle_numbers_;
  std::deque<KnownPresent> presents_;
  std::deque<KnownFuture> futures_;
  std::map<Hindrance, uint64_t> hindrances_;
  std::vector<std::unique_ptr<StubbornChooser::Worker>> idle_;
};

class StubbornChooser::Worker {
 public:
  explicit Worker(StubbornSets::Shared& sets) : sets_(sets), futures_(sets.make_futures()) {
    choices_.resize(kChoices);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Since it was asked last.
  [[nodiscard]] std::vector<CountedHindrance> take_hindrances() {
    for (Chosen& each : choices_) {
      count(each);
      each.uses = 0;
    }
    std::vector<CountedHindrance> all = hindrances_;
    for (CountedHindrance& each : hindrances_) each.count = 0;
    return all;
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
    uint64_t uses = 0;
    std::vector<uint32_t> hindrances;  // of each process that could move, if more than one is chosen
  };
  static constexpr size_t kChoices = size_t{1} << 12;  // remembered
  // Where few choices are made twice, they are not remembered for a while.
  static constexpr uint32_t kWindow = 1 << 12;
  static constexpr uint32_t kPause = 1 << 16;
  static constexpr uint32_t kSample = 16;  // of choices that are not remembered, one in so many says what hinders it
  [[nodiscard]] uint64_t remembered_choice(std::span<const Mover> movers);
  [[nodiscard]] uint64_t find_choice(std::span<const Mover> movers);
  // What stands in the way of each process alone, as numbers.
  void find_hindrances(std::span<const Mover> movers, std::vector<uint32_t>& out);
  [[nodiscard]] Hindrance hindrance(std::span<const Mover> movers, size_t pid);
  void count(const Chosen& choice) {
    for (const uint32_t number : choice.hindrances) hindrances_[number].count += choice.uses;
  }
  struct Table {
    Futures::Processes processes;
    std::vector<std::vector<uint32_t>> futures;  // by pid and number of the frame's content
    std::map<Bytes, uint32_t> alike;             // the same, by what matters of frames
  };

  Table& table_of(const Control& control);
  const StubbornSets::Shared::KnownPresent& present(uint32_t number);
  const StubbornSets::Shared::KnownFuture& future(uint32_t number);
  void set_sticky(std::span<const Mover> movers);
  // Those of the processes that leave sticky locations.
  [[nodiscard]] uint64_t sticky_of(std::span<const Mover> movers, uint64_t able);
  [[nodiscard]] bool leaves_sticky(uint32_t number);
  [[nodiscard]] uint64_t row(std::span<const Mover> movers, size_t pid);
  [[nodiscard]] uint64_t closure(std::span<const Mover> movers, size_t pid);
  // `younger`: the other one is.
  [[nodiscard]] bool conflict(const Mover& one, const Mover& other, bool younger);
  [[nodiscard]] Cause cause(const Mover& one, const Mover& other, bool younger);

  StubbornSets::Shared& sets_;
  Futures futures_;
  std::map<uint32_t, Table> tables_;  // by number of control
  Table* table_ = nullptr;            // of control_number_
  uint32_t control_number_ = 0;
  std::vector<const StubbornSets::Shared::KnownPresent*> presents_;  // that were asked for
  std::vector<const StubbornSets::Shared::KnownFuture*> all_futures_;
  std::vector<Chosen> choices_;  // by hash
  uint32_t asked_ = 0;           // since the window began
  uint32_t found_ = 0;           // likewise
  uint32_t pause_ = 0;           // choices that will not be remembered
  uint64_t unremembered_ = 0;
  std::vector<uint32_t> numbers_;  // of the hindrances of one choice
  Answers conflicts_;              // of steps now and a future
  Answers handshakes_;             // of two futures
  bool tests_handshakes_ = false;  // a future that was learned does
  uint64_t rows_[kMostProcesses] = {};
  uint64_t rows_known_ = 0;
  // Sticky locations by the numbers of the processes' cycles, and who they are.
  std::map<std::vector<uint32_t>, std::vector<std::vector<LocationId>>> stickies_;
  std::vector<uint32_t> cycles_;  // of the state before
  std::vector<uint32_t> scratch_;
  const std::vector<std::vector<LocationId>>* sticky_ = nullptr;  // for cycles_
  std::map<Hindrance, uint32_t> hindrance_numbers_;
  std::vector<CountedHindrance> hindrances_;  // by number
};

std::unique_ptr<StubbornChooser::Worker> StubbornSets::Shared::take_worker() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<StubbornChooser::Worker>(*this);
  std::unique_ptr<StubbornChooser::Worker> worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void StubbornSets::Shared::give_back(std::unique_ptr<StubbornChooser::Worker> worker) {
  const std::scoped_lock lock(mutex_);
  for (const CountedHindrance& each : worker->take_hindrances()) hindrances_[each.hindrance] += each.count;
  idle_.push_back(std::move(worker));
}

StubbornSets::Shared::Shared(const Components& components, ByteView initial, Proviso proviso,
                             const Symmetry* symmetry)
    : components_(components),
      initial_(initial.begin(), initial.end()),
      proviso_(proviso),
      symmetry_(symmetry),
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
    const auto [alike, is_new] = table.alike.try_emplace(futures_.what_matters(table.processes, pid, frame));
    if (is_new) {
      alike->second = sets_.number_of(futures_.future(table.processes, pid, frame));
      tests_handshakes_ = tests_handshakes_ || !future(alike->second).tested_handshakes.empty();
    }
    known[frame_number] = alike->second;
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
  if (all_futures_[number] == nullptr) all_futures_[number] = sets_.future(number);
  return *all_futures_[number];
}

bool StubbornChooser::Worker::conflict(const Mover& one, const Mover& other, bool younger) {
  const auto disturbs = [&] {
    return disturbance(present(one.present), future(other.future), younger).kind != Kind::kNone;
  };
  if (conflicts_.get(one.present, other.future, younger, disturbs)) return true;
  if (!tests_handshakes_) return false;
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
  uint64_t row = 0;
  for (size_t other = 0; other < movers.size(); ++other) {
    if (other == pid) continue;
    if (conflict(movers[pid], movers[other], other > pid)) row |= uint64_t{1} << other;
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
    found->second = sticky_locations(all, sets_.groups(table_->processes));
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

uint64_t StubbornChooser::Worker::remembered_choice(std::span<const Mover> movers) {
  uint64_t hash = 0;
  for (const Mover& mover : movers) {
    hash = (hash ^ (uint64_t{mover.present} << 32 | mover.future)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  Chosen& known = choices_[hash % kChoices];
  if (std::ranges::equal(known.movers, movers)) {
    ++found_;
  } else {
    count(known);
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
  uint64_t best = movers.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << movers.size()) - 1;
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
  for (uint64_t rest = able & ~visible; rest != 0 && fewest > 1; rest &= rest - 1) {
    const uint64_t closed = closure(movers, static_cast<size_t>(std::countr_zero(rest)));
    uint64_t steps = 0;
    for (uint64_t inside = closed & able; inside != 0; inside &= inside - 1) {
      steps += movers[static_cast<size_t>(std::countr_zero(inside))].steps;
    }
    if ((closed & visible) != 0 || steps >= fewest) continue;
    if (!sticky) sticky = sets_.may_put_off() ? 0 : sticky_of(movers, able);
    if ((closed & *sticky) != 0) continue;
    best = closed;
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
  const StubbornSets::Shared::KnownPresent& now = present(movers[pid].present);
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
  if (conflict(movers[pid], movers[other], other > pid)) {
    const Cause why = cause(movers[pid], movers[other], other > pid);
    found.kind = why.kind;
    found.component = why.component;
  } else {
    const bool partner = std::ranges::find(now.partners, other) != now.partners.end();
    found.kind = partner ? Kind::kHandshake : Kind::kProcesses;
  }
  return found;
}

StubbornSets::StubbornSets(const Components& components, ByteView initial, Proviso proviso, const Symmetry* symmetry)
    : shared_(std::make_unique<Shared>(components, initial, proviso, symmetry)) {}

StubbornSets::~StubbornSets() = default;

std::vector<CountedHindrance> StubbornSets::hindrances() const { return shared_->hindrances(); }

const char* StubbornSets::obstacle(const Model& model) { return Futures::obstacle(model); }

StubbornChooser::StubbornChooser(StubbornSets& sets) : worker_(sets.shared_->take_worker()), sets_(*sets.shared_) {}

StubbornChooser::~StubbornChooser() { sets_.give_back(std::move(worker_)); }

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
