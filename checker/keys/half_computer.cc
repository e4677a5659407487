#include "checker/keys/half_computer.h"

#include "checker/keys/steps.h"

namespace cmc {

bool HalfComputer::compute(const uint64_t* key, ByteView state, uint32_t pid, bool timeout) {
  const bool fits = compute_half(key, state, pid, timeout, nullptr);
  std::erase(path_, own_component(space_.components(), pid));
  return fits;
}

bool HalfComputer::compute_accept(const uint64_t* key, uint32_t pid, uint32_t message, bool timeout) {
  space_.unpack(key, state_);
  const RendezvousMessage offered = handshakes_.message(message);
  return compute_half(key, state_, pid, timeout, &offered);
}

bool HalfComputer::compute_half(const uint64_t* key, ByteView state, uint32_t pid, bool timeout,
                                const RendezvousMessage* message) {
  ++computed_;
  trace_.clear();
  generator_.half(state, static_cast<uint8_t>(pid), timeout, message, &trace_, half_);
  path_.assign(trace_.touched().begin(), trace_.touched().end());
  space_.drop_absent(space_.control(key), path_);
  flags_ = StepFlags::kHalf | (half_.moves ? uint32_t{StepFlags::kMoves} : 0);
  deltas_.clear();
  notes_.clear();
  if (half_.whole || !note_items()) {
    flags_ |= StepFlags::kWhole;
    notes_.clear();
    return true;
  }
  deltas_.resize(half_.items.size() * words_);
  bool fits = true;
  uint64_t* delta = deltas_.data();
  for (const Half::Item& item : half_.items) {
    if (item.kind != Half::Item::Kind::kUnlessTaken) {
      fits &= space_.difference(key, state, half_.state(item), trace_.touched(), delta);
    }
    delta += words_;
  }
  return fits;
}

bool HalfComputer::note_items() {
  if (half_.items.size() > HalfNote::kMostItems) return false;
  for (const Half::Item& item : half_.items) {
    uint32_t note = HalfNote::kSuccessor;
    if (item.kind == Half::Item::Kind::kOffer) {
      const uint32_t message = handshakes_.number_of(half_.messages[item.message]);
      if (message >= HalfNote::kMostMessages) return false;
      note = HalfNote::kOffer | (item.timeout ? uint32_t{HalfNote::kTimeout} : 0) | message << HalfNote::kShift;
    } else if (item.kind == Half::Item::Kind::kUnlessTaken) {
      note = HalfNote::kUnless | item.offers << HalfNote::kShift |
             item.items << (HalfNote::kShift + HalfNote::kCountBits);
    }
    notes_.push_back(note);
  }
  return true;
}

}  // namespace cmc
