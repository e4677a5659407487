#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "checker/keyspace/symmetry.h"
#include "checker/por/futures.h"
#include "checker/por/stubborn.h"

// The inside of stubborn.h: what all workers share.

namespace cmc {

// Thread-safe.
class StubbornSets::Shared {
 public:
  Shared(const Components& components, ByteView initial, Proviso proviso, const Symmetry* symmetry, bool fair);

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
  [[nodiscard]] bool keeps_fairness() const { return fair_; }
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
  // For one worker, a copy.
  [[nodiscard]] const Futures& futures() const { return all_futures_; }

  // What a worker has learned stays: choosers come and go with the layout of keys.
  [[nodiscard]] std::unique_ptr<StubbornChooser::Worker> take_worker();
  void give_back(std::unique_ptr<StubbornChooser::Worker> worker);

 private:
  const Proviso proviso_;
  const Symmetry* const symmetry_;
  const bool fair_;
  const Futures all_futures_;
  const std::optional<ComponentSet> visible_;
  std::mutex mutex_;
  std::map<Present, uint32_t> present_numbers_;
  std::map<Future, uint32_t> future_numbers_;
  std::map<std::vector<CycleEdge>, uint32_t> cycle_numbers_;
  std::deque<KnownPresent> presents_;
  std::deque<KnownFuture> futures_;
  std::map<Hindrance, uint64_t> hindrances_;
  std::vector<std::unique_ptr<StubbornChooser::Worker>> idle_;
};

}  // namespace cmc
