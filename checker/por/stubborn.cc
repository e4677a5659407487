#include "checker/por/stubborn.h"

#include <utility>

#include "checker/por/stubborn_shared.h"
#include "checker/por/stubborn_worker.h"

namespace cmc {

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
                             const Symmetry* symmetry, bool fair)
    : proviso_(proviso),
      symmetry_(symmetry),
      fair_(fair),
      all_futures_(components, initial),
      visible_(all_futures_.visible()) {}

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

StubbornSets::StubbornSets(const Components& components, ByteView initial, Proviso proviso, const Symmetry* symmetry,
                           bool fair)
    : shared_(std::make_unique<Shared>(components, initial, proviso, symmetry, fair)) {}

StubbornSets::~StubbornSets() = default;

std::vector<CountedHindrance> StubbornSets::hindrances() const { return shared_->hindrances(); }

const char* StubbornSets::obstacle(const Model& model) { return Futures::obstacle(model); }

const char* StubbornSets::obstacle_to_fair(const Model& model) {
  return model.has_rendezvous ? "fairness asks for every step of a model with rendezvous" : nullptr;
}

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
