#include "checker/keys/step_computer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "checker/keys/steps.h"

namespace cmc {

namespace {

// Whether some guard was not decided: nothing about the values that were looked at.
bool has_undecided_guard(const SuccessorBatch& batch) {
  return std::ranges::any_of(batch.errors, [](const RuntimeError& error) {
    return error.kind == RuntimeErrorKind::kUndecidedGuard || error.kind == RuntimeErrorKind::kPendingGuard;
  });
}

}  // namespace

StepComputer::StepComputer(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer,
                           StepProfiler* profiler, unsigned words, bool notes_places,
                           std::function<bool()> should_stop)
    : space_(space),
      generator_(generator),
      observer_(observer),
      profiler_(profiler),
      words_(words),
      notes_places_(notes_places),
      should_stop_(std::move(should_stop)),
      claim_proctype_(space.components().model().claim.offset + kFrameProctype),
      control_field_(space.layout().reader(kControlComponent)),
      trace_(space.components().pieces()) {}

StepComputer::Computed StepComputer::compute(const uint64_t* key, uint32_t mover, bool timeout, bool traces) {
  begin(key);
  trace_.clear();
  const bool moves = ask_generator(mover, timeout, traces ? &trace_ : nullptr);
  flags_ = moves ? uint32_t{StepFlags::kMoves} : 0;
  undecided_ = false;
  bool fits = true;
  places_.clear();
  for (;;) {
    observer_.on_steps(state_, batch_);
    if (profiler_ != nullptr) profiler_->on_steps(state_, batch_);
    if (notes_places_) note_places();
    fits &= append_deltas(key, traces ? KeySpace::Touched(trace_.touched()) : KeySpace::kAll);
    undecided_ = undecided_ || has_undecided_guard(batch_);
    if (!batch_.more) break;
    if (too_many()) deltas_.resize((kMostSteps + 1) * words_);
    go_on();
  }
  if (batch_.stopped) return Computed::kStopped;
  return fits ? Computed::kSteps : Computed::kTooNarrow;
}

std::array<uint64_t, kMaxKeyWords> StepComputer::changed_bits() const {
  std::array<uint64_t, kMaxKeyWords> bits{};
  for (size_t i = 0; i < deltas_.size(); ++i) bits[i % words_] |= deltas_[i];
  return bits;
}

std::span<const ComponentId> StepComputer::path(const uint64_t* key, std::optional<ComponentId> without) {
  path_.assign(trace_.touched().begin(), trace_.touched().end());
  if (without) std::erase(path_, *without);
  space_.drop_absent(space_.control(key), path_);
  return path_;
}

bool StepComputer::executable_edges(const uint64_t* key, uint8_t pid, bool timeout, std::vector<uint32_t>& edges) {
  begin(key);
  return generator_.executable_edges(state_, pid, timeout, edges);
}

StepComputer::Computed StepComputer::compute_edge(const uint64_t* key, uint8_t pid, bool timeout, uint32_t edge,
                                                  bool traces) {
  batch_.clear();
  batch_.limits = {};
  trace_.clear();
  deltas_.clear();
  flags_ = 0;
  const bool known = generator_.edge_successors(state_, pid, timeout, edge, traces ? &trace_ : nullptr, batch_);
  const bool plain =
      known && !batch_.more && !batch_.endless_atomic && !batch_.long_atomic && !has_undecided_guard(batch_);
  if (!plain) return Computed::kUnknown;
  observer_.on_steps(state_, batch_);
  const bool fits = append_deltas(key, traces ? KeySpace::Touched(trace_.touched()) : KeySpace::kAll);
  return fits ? Computed::kSteps : Computed::kTooNarrow;
}

void StepComputer::begin_portions(const uint64_t* key, uint32_t mover, bool timeout) {
  begin(key);
  ask_generator(mover, timeout, nullptr);
}

uint32_t StepComputer::take_portion(const uint64_t* key) {
  deltas_.clear();
  flags_ = 0;
  CHECK(append_deltas(key, KeySpace::kAll));
  return profiler_ == nullptr ? 0 : profiler_->number_portion(state_, batch_);
}

void StepComputer::go_on() {
  batch_.clear();
  generator_.resume(batch_);
}

bool StepComputer::can_move(const uint64_t* key, uint8_t pid) {
  begin(key);
  batch_.limits = {};
  return ask_generator(pid, false, nullptr);
}

bool StepComputer::unblock(const uint64_t* key, uint64_t* delta) {
  begin(key);
  claim_state_ = state_;
  store(claim_state_.data() + claim_proctype_, uint8_t{0});
  return space_.difference(key, state_, claim_state_, KeySpace::kAll, delta);
}

void StepComputer::begin(const uint64_t* key) {
  if (unpacked_) {
    space_.unpack_changes(unpacked_key_.data(), key, state_);
  } else {
    space_.unpack(key, state_);
  }
  DCHECK(is_key_of(key, state_));
  unpacked_ = true;
  std::copy_n(key, words_, unpacked_key_.begin());
  batch_.clear();
  batch_.limits = {kPortionEntries, kPortionSteps, &should_stop_};
  deltas_.clear();
}

bool StepComputer::ask_generator(uint32_t mover, bool timeout, TouchTrace* trace) {
  if (mover < kClaimMover) {
    return generator_.process_successors(state_, static_cast<uint8_t>(mover), timeout, trace, batch_);
  }
  claim_state_ = state_;
  if (((mover - kClaimMover) & kClaimBlocked) != 0) store(claim_state_.data() + claim_proctype_, uint8_t{1});
  generator_.claim_moves(claim_state_, timeout, trace, batch_);
  return !batch_.entries.empty() || !batch_.errors.empty();
}

void StepComputer::note_places() {
  for (const Step& step : batch_.steps) {
    const bool known = std::ranges::any_of(places_, [&](const Step& each) {
      return each.pid == step.pid && each.location == step.location && each.partner == step.partner &&
             each.partner_location == step.partner_location;
    });
    if (!known) places_.push_back(step);
  }
}

bool StepComputer::append_deltas(const uint64_t* key, const KeySpace::Touched& touched) {
  const size_t before = deltas_.size();
  deltas_.resize(before + batch_.entries.size() * words_);
  bool fits = true;
  uint64_t* delta = deltas_.data() + before;
  for (const SuccessorBatch::Entry& entry : batch_.entries) {
    const ByteView successor = batch_.state(entry);
    fits &= space_.difference(key, state_, successor, touched, delta);
    if (control_field_(delta) != 0) flags_ |= StepFlags::kChangesControl;
    DCHECK(!fits || leads_to(key, delta, successor));
    delta += words_;
  }
  if (!batch_.errors.empty()) flags_ |= StepFlags::kNeedsGenerator;
  if (batch_.endless_atomic) flags_ |= StepFlags::kEndlessAtomic;
  if (batch_.long_atomic) flags_ |= StepFlags::kLongAtomic;
  if (const uint32_t question = pending_question(batch_); question != 0) {
    flags_ |= StepFlags::kPending;
    pending_ = question;
  }
  return fits;
}

bool StepComputer::is_key_of(const uint64_t* key, ByteView state) const {
  Bytes unpacked;
  space_.unpack(key, unpacked);
  const auto hidden = space_.components().model().hidden_bytes;
  return std::ranges::equal(ByteView(unpacked).subspan(hidden), state.subspan(hidden));
}

// The idea of keys in one line: a delta leads to the key of the successor.
bool StepComputer::leads_to(const uint64_t* key, const uint64_t* delta, ByteView successor) const {
  std::array<uint64_t, kMaxKeyWords> after{};
  for (unsigned i = 0; i < words_; ++i) after[i] = key[i] ^ delta[i];
  return is_key_of(after.data(), successor);
}

}  // namespace cmc
