#include "checker/generator/wrappers/half_paths.h"

#include <cstring>

#include "checker/generator/half_way.h"

namespace cmc {

void HalfPaths::half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
                     Half& out) {
  using Kind = Half::Item::Kind;
  inner_.half(state, pid, timeout, message, trace, half_);
  out.clear();
  out.moves = half_.moves;
  out.whole = half_.whole;
  out.messages.swap(half_.messages);
  places_.clear();
  for (const Half::Item& item : half_.items) {
    places_.push_back(out.items.size());
    if (item.kind == Kind::kUnlessTaken) {
      out.items.push_back(item);
      continue;
    }
    const ByteView before = half_.state(item);
    const ByteView way = way_of(half_, item);
    left_.resize(item.offers);
    if (!way.empty()) std::memcpy(left_.data(), way.data(), way.size());
    const bool goes_on = is_local(before, pid);
    if (item.kind == Kind::kOffer || !goes_on) {
      out.add_state(item, before);
      add_way(left_, out);
      out.items.back().items = goes_on ? 1 : 0;
    }
    if (goes_on) {
      out.whole = out.whole || !follow(before, pid, trace);
      out.add_state({.kind = Kind::kSuccessor, .items = 1}, state_);
      add_way(left_, out);
    }
    out.whole = out.whole || left_.size() > kLongest;
    if (out.whole) return;
  }
  places_.push_back(out.items.size());
  for (size_t i = 0; i < half_.items.size(); ++i) {
    Half::Item& item = out.items[places_[i]];
    if (item.kind != Kind::kUnlessTaken) continue;
    item.items = static_cast<uint32_t>(places_[i + 1 + item.items] - places_[i + 1]);
    item.offers = static_cast<uint32_t>(places_[i] - places_[i - item.offers]);
  }
}

bool HalfPaths::follow(ByteView state, uint8_t pid, TouchTrace* trace) {
  state_.assign(state.begin(), state.end());
  while (is_local(state_, pid)) {
    batch_.clear();
    batch_.limits = {.most_entries = 2};
    if (!inner_.process_successors(state_, pid, false, trace, batch_)) return true;
    const bool is_plain = batch_.entries.size() == 1 && batch_.errors.empty() && batch_.endless_paths.empty() &&
                          !batch_.more && !batch_.endless_atomic && !batch_.long_atomic;
    if (!is_plain) return false;
    for (const Step& step : batch_.steps) left_.push_back(step.location);
    if (left_.size() > kLongest) return false;
    const ByteView after = batch_.state(batch_.entries.front());
    state_.assign(after.begin(), after.end());
  }
  return true;
}

bool HalfPaths::is_local(ByteView state, uint8_t pid) const {
  if (pid >= load<uint8_t>(state.data() + model_.process_count_offset())) return false;
  const std::byte* const frame = frame_of(model_, state, pid);
  return local_[load<ProctypeId>(frame + kFrameProctype)][load<LocationId>(frame + kFrameLocation)];
}

}  // namespace cmc
