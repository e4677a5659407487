#include "checker/result/loop_check.h"

#include <fmt/format.h>

#include "checker/generator/product_generator.h"

namespace cmc {

void LoopCheck::state(ByteView state) {
  bool stable = false;
  Bytes identity = this->identity(state, stable);
  if (first_.empty()) first_ = std::move(identity);
  if (!stable) return;
  accepting_ = accepting_ || is_accepting(model_, state);
  if (fairness_ == Fairness::kWeak) note_idle_processes(state);
}

void LoopCheck::step(const Step& step) {
  if (fairness_ == Fairness::kNone) return;
  served_.set(step.pid);
  served_.set(step.partner);
}

std::string LoopCheck::end(ByteView state) {
  bool stable = false;
  if (first_.empty()) return "the loop has no steps";
  if (identity(state, stable) != first_) return "the loop does not lead back to its first state";
  if (!accepting_) return "no state of the loop is accepting";
  for (uint32_t pid = 0; pid < kMaxProcesses && fairness_ == Fairness::kWeak; ++pid) {
    if (!served_.test(pid)) return fmt::format("the loop is not fair to process {}", pid);
  }
  return {};
}

// What tells states apart. A process that holds atomicity and cannot move has lost it. `stable`: none holds it.
Bytes LoopCheck::identity(ByteView state, bool& stable) {
  Bytes identity(state.begin(), state.end());
  std::byte& holder = identity[model_.atomic_holder_offset()];
  if (holder != std::byte{kNoProcess}) {
    batch_.clear();
    product_.successors(state, batch_);
    if (batch_.holder_released) holder = std::byte{kNoProcess};
  }
  stable = holder == std::byte{kNoProcess};
  identity.erase(identity.begin(), identity.begin() + static_cast<ptrdiff_t>(model_.hidden_bytes));
  return identity;
}

bool LoopCheck::can_move(ByteView state, uint32_t pid, bool timeout) {
  batch_.clear();
  return product_.process_successors(state, static_cast<uint8_t>(pid), timeout, nullptr, batch_);
}

void LoopCheck::note_idle_processes(ByteView state) {
  const uint32_t count = load<uint8_t>(state.data() + model_.process_count_offset());
  std::bitset<kMaxProcesses + 1> moving;
  for (const bool timeout : {false, true}) {
    if (moving.any()) break;
    for (uint32_t pid = 0; pid < count; ++pid) moving.set(pid, can_move(state, pid, timeout));
  }
  served_ |= ~moving;
}

}  // namespace cmc
