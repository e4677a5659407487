#include "checker/generator/half_chains.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "checker/generator/half_way.h"

namespace cmc {

HalfChains::HalfChains(SuccessorGenerator& inner, const Model& model)
    : inner_(inner), model_(model), holder_offset_(model.atomic_holder_offset()), hidden_bytes_(model.hidden_bytes) {}

void HalfChains::half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
                      Half& out) {
  if (levels_.empty()) levels_.emplace_back();
  Half& first = levels_.front().half;
  inner_.half(state, pid, timeout, message, trace, first);
  out.clear();
  out.moves = first.moves;
  out.whole = first.whole;
  trace_ = trace;
  depth_ = 1;
  left_.clear();
  add_items(first, out);
}

void HalfChains::add_items(const Half& half, Half& out) {
  for (size_t i = 0; i < half.items.size() && !out.whole; ++i) {
    const Half::Item& item = half.items[i];
    if (item.kind == Half::Item::Kind::kSuccessor) {
      add_successor(half.state(item), out);
    } else if (item.kind == Half::Item::Kind::kOffer) {
      Half::Item offer = item;
      offer.message = static_cast<uint32_t>(out.messages.size());
      out.messages.push_back(half.messages[item.message]);
      out.add_state(offer, half.state(item));
      add_way(left_, out);
    } else {
      CHECK(item.items == 1 && i + 1 < half.items.size());
      const size_t place = out.items.size();
      out.items.push_back(item);
      add_successor(half.state(half.items[++i]), out);
      out.items[place].items = static_cast<uint32_t>(out.items.size() - place - 1);
    }
  }
  out.whole = out.whole || out.items.size() > kMostItems;
}

void HalfChains::add_successor(ByteView state, Half& out) {
  const uint8_t holder = load<uint8_t>(state.data() + holder_offset_);
  if (holder == kNoProcess) return add_end(state, out);
  if (depth_ > kLongest || has_met(state)) {
    out.whole = true;
    return;
  }
  if (depth_ == levels_.size()) levels_.emplace_back();
  Level& level = levels_[depth_++];
  level.state.assign(state.begin(), state.end());
  inner_.half(level.state, holder, false, nullptr, trace_, level.half);
  out.whole = out.whole || level.half.whole;
  if (out.whole) return;
  left_.push_back(location_of(model_, level.state, holder));
  add_items(level.half, out);
  left_.pop_back();
  if (!level.half.moves) {
    if (!level.half.items.empty()) {
      Half::Item unless{.kind = Half::Item::Kind::kUnlessTaken};
      unless.offers = static_cast<uint32_t>(level.half.items.size());
      unless.items = 1;
      out.items.push_back(unless);
    }
    add_end(level.state, out);
  }
  --depth_;
}

// In the middle of the sequence. What is hidden may differ in states that are the same: then too much is computed as
// wholes.
bool HalfChains::has_met(ByteView state) const {
  const ByteView visible = state.subspan(hidden_bytes_);
  return std::any_of(levels_.begin() + 1, levels_.begin() + static_cast<ptrdiff_t>(depth_), [&](const Level& level) {
    return level.state.size() == state.size() &&
           std::memcmp(level.state.data() + hidden_bytes_, visible.data(), visible.size()) == 0;
  });
}

void HalfChains::add_end(ByteView state, Half& out) const {
  out.add_state({.kind = Half::Item::Kind::kSuccessor}, state);
  store(out.bytes.data() + out.items.back().offset + holder_offset_, kNoProcess);
  add_way(left_, out);
}

}  // namespace cmc
