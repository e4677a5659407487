#include "checker/generator/half_chains.h"

#include <algorithm>

#include "base/check.h"

namespace cmc {

HalfChains::HalfChains(SuccessorGenerator& inner, const Model& model)
    : inner_(inner), holder_offset_(model.atomic_holder_offset()), hidden_bytes_(model.hidden_bytes) {}

void HalfChains::half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
                      Half& out) {
  Half first;
  inner_.half(state, pid, timeout, message, trace, first);
  out.clear();
  out.moves = first.moves;
  out.whole = first.whole;
  trace_ = trace;
  path_.clear();
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
  // What is hidden may differ in states that are the same: then too much is computed as wholes.
  const auto is_same = [&](const Bytes& each) {
    return std::ranges::equal(ByteView(each).subspan(hidden_bytes_), state.subspan(hidden_bytes_));
  };
  if (path_.size() >= kLongest || std::ranges::any_of(path_, is_same)) {
    out.whole = true;
    return;
  }
  path_.emplace_back(state.begin(), state.end());
  Half next;
  inner_.half(path_.back(), holder, false, nullptr, trace_, next);
  out.whole = out.whole || next.whole;
  if (out.whole) return;
  add_items(next, out);
  if (!next.moves) {
    if (!next.items.empty()) {
      Half::Item unless{.kind = Half::Item::Kind::kUnlessTaken};
      unless.offers = static_cast<uint32_t>(next.items.size());
      unless.items = 1;
      out.items.push_back(unless);
    }
    add_end(path_.back(), out);
  }
  path_.pop_back();
}

void HalfChains::add_end(ByteView state, Half& out) const {
  out.add_state({.kind = Half::Item::Kind::kSuccessor}, state);
  store(out.bytes.data() + out.items.back().offset + holder_offset_, kNoProcess);
}

}  // namespace cmc
