#include "checker/keys/step_lookup.h"

#include "base/check.h"
#include "checker/keys/edge_steps.h"
#include "checker/keys/half_joiner.h"

namespace cmc {

template <unsigned W>
StepLookup<W>::StepLookup(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, StepMemo<W>& memo,
                          uint32_t worker, const StepOptions& options)
    : space_(space),
      observer_(observer),
      memo_(memo),
      worker_(worker),
      profiler_(options.profiler),
      only_by_edges_(options.only_by_edges),
      keeps_parts_(options.symmetry != nullptr),
      computer_(space, generator, observer, options.profiler, W, options.sets != nullptr,
                [this] {
                  bool stop = false;
                  memo_.pause_use(worker_, [&] { stop = observer_.should_stop(); });
                  return stop;
                }),
      edges_(std::make_unique<EdgeSteps<W>>(computer_, memo, worker, options.only_by_edges)) {
  for (uint32_t mover = 0; mover < kMovers; ++mover) {
    const ComponentId own = own_component(space.components(), mover);
    frame_fields_[mover] = space.layout().reader(own);
    frame_masks_[mover][space.layout().field(own).word] = space.layout().field(own).mask();
  }
  control_field_ = space.layout().reader(kControlComponent);
  CHECK(options.handshakes == nullptr || options.profiler == nullptr);
  CHECK(options.handshakes == nullptr || options.handshakes->notes_parts() == (options.sets != nullptr));
  if (options.sets != nullptr) choice_.emplace(space, *options.sets, frame_fields_);
  if (options.handshakes != nullptr) {
    joiner_ = std::make_unique<HalfJoiner<W>>(space, generator, memo, worker, *options.handshakes, options.sets,
                                              frame_fields_, frame_masks_);
  }
}

template <unsigned W>
StepLookup<W>::~StepLookup() = default;

template <unsigned W>
MemoFigures StepLookup<W>::figures() const {
  return {figures_.lookups, figures_.misses + (joiner_ != nullptr ? joiner_->computed() : 0), figures_.carried};
}

template <unsigned W>
StepHabits StepLookup<W>::habits() const {
  return {habits_, edges_->habits()};
}

template <unsigned W>
void StepLookup<W>::take_over(const StepHabits& habits) {
  for (uint32_t mover = 0; mover < kMovers; ++mover) habits_[mover] = habits.whole[mover].restarted();
  edges_->take_over(habits.edges);
}

template <unsigned W>
void StepLookup<W>::learn_control(const Key<W>& key, uint32_t id) {
  if (id >= controls_.size()) controls_.resize(id + 1);
  controls_[id] = space_.control_of(space_.control(key.data()));
}

template <unsigned W>
bool StepLookup<W>::find_joined(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, Steps<W>& steps) {
  using Joined = typename HalfJoiner<W>::Joined;
  const Joined joined = joiner_->join(key, pid, steps);
  if (joined == Joined::kWhole) {
    if (!memo_.find(key, pid, frame, timeout, steps, MemoKind::kWhole)) return false;
    joiner_->note_touched(steps);  // and it is the half that says that they are whole
    if (choice_) joined_note_ = memo_.note_of(steps);
    return true;
  }
  if (joined != Joined::kSteps) return false;
  steps = joiner_->steps();
  joined_note_ = joiner_->note();
  return true;
}

template <unsigned W>
Expanded StepLookup<W>::find_to_carry(const Key<W>& key, uint32_t pid, CarriedState<W>& carried, Steps<W>& steps) {
  ++figures_.lookups;
  --figures_.carried;
  const uint32_t frame = frame_fields_[pid](key.data());
  uint32_t number = 0;
  Key<W> touched = Key<W>::all_bits();
  const bool half = (steps.flags & Steps<W>::kHalf) != 0;
  const bool found = half && find_joined(key, pid, frame, false, steps);
  if (half) touched = joiner_->touched();
  if (!found) {
    const Found computed = compute(key, pid, frame, false);
    if (computed.result != Expanded::kAll) too_many_.clear();
    if (computed.result != Expanded::kAll) return computed.result;
    steps = computed.steps;
    if (steps.deltas.empty()) steps.deltas = {&none_, 0};
    Steps<W> remembered;
    const bool is_known = memo_.find(key, pid, frame, false, remembered);
    number = is_known && (remembered.flags & Steps<W>::kHalf) == 0 ? remembered.number : 0;
    touched = Key<W>::all_bits();
  }
  if (number >= carried_row::kAsleep) number = 0;
  uint32_t& in_row = carried.row[1 + pid];
  in_row = (in_row & carried_row::kAsleep) | number;
  if (number != 0) return Expanded::kAll;
  CarriedEntry<W>& entry = carried.entries[pid];
  entry = {touched, {}, static_cast<uint32_t>(steps.deltas.size()), steps.flags};
  for (const Key<W>& delta : steps.deltas) entry.changed |= delta;
  return Expanded::kAll;
}

template <unsigned W>
typename StepLookup<W>::Found StepLookup<W>::compute(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout) {
  ++figures_.misses;
  const bool claim_exists = space_.components().model().claim.exists();
  const bool remember = habits_[pid].note_miss(expansions_, !claim_exists);
  if ((!remember || only_by_edges_) && !choice_ && profiler_ == nullptr && pid < kClaimMover) {
    using FoundEdges = typename EdgeSteps<W>::Found;
    switch (edges_->find(key, static_cast<uint8_t>(pid), timeout)) {
      case FoundEdges::kTooNarrow: return {Expanded::kTooNarrow, false, {}, 0};
      case FoundEdges::kSteps:
        if (!edges_->computed()) --figures_.misses;
        return {Expanded::kAll, false, edges_->steps(), 0};
      case FoundEdges::kUnknown: break;
    }
  }
  switch (computer_.compute(key.data(), pid, timeout, remember || choice_)) {
    case StepComputer::Computed::kStopped: return {Expanded::kStopped, false, {}, 0};
    case StepComputer::Computed::kTooNarrow: return {Expanded::kTooNarrow, false, {}, 0};
    default: break;
  }
  Found found;
  found.steps = {computer_.flags(), {}, profiler_ == nullptr ? 0 : profiler_->number_steps()};
  if (computer_.too_many()) {
    too_many_.push_back({pid, timeout});
    found.too_many = true;
    return found;
  }
  found.steps.deltas = copy_deltas();
  if (choice_ && pid < kClaimMover) found.note = choice_->present_of(key.data(), pid, computer_);
  const bool lasts = !computer_.undecided() && (found.steps.number & kPassingSteps) == 0;
  if (remember && lasts) found.result = remember_steps(key, pid, frame, timeout, found);
  return found;
}

template <unsigned W>
Expanded StepLookup<W>::remember_steps(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                                       const Found& found) {
  using Joined = typename HalfJoiner<W>::Joined;
  const bool halves = joiner_ != nullptr && computer_.handshakes();
  if (halves && !learns_halves_) return Expanded::kAll;
  const Joined learned = halves ? joiner_->learn(key, computer_.state(), pid, timeout) : Joined::kWhole;
  if (learned == Joined::kSteps) {
    CHECK(joiner_->agrees_with(found.steps));
    joiner_->learn_note(computer_.touched(), found.note);
  }
  if (learned == Joined::kTooNarrow) return Expanded::kTooNarrow;
  if (learned != Joined::kWhole) return Expanded::kAll;
  const auto path = computer_.path(key.data(), own_component(space_.components(), pid));
  const std::span<const uint32_t> notes(&found.note, choice_ ? 1 : 0);
  const MemoKind kind = halves ? MemoKind::kWhole : MemoKind::kSteps;
  memo_.insert(worker_, key, pid, frame, timeout, path, found.steps, notes, kind);
  return Expanded::kAll;
}

template <unsigned W>
std::span<const Key<W>> StepLookup<W>::copy_deltas() {
  deltas_.clear();
  append_keys<W>(computer_.deltas(), deltas_);
  return deltas_;
}

template <unsigned W>
Steps<W> StepLookup<W>::portion(const Key<W>& key) {
  const uint32_t number = computer_.take_portion(key.data());
  return {computer_.flags(), copy_deltas(), number};
}

template class StepLookup<1>;
template class StepLookup<2>;
template class StepLookup<4>;
template class StepLookup<16>;

}  // namespace cmc
