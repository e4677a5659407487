#include "checker/keys/half_computer.h"

#include <algorithm>

#include "checker/generator/half_way.h"
#include "checker/keys/joined_notes.h"
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
  uint32_t part = 0;
  const bool notes_part = handshakes_.notes_parts() && !half_.whole;
  if (notes_part) {
    part = number_of_part(key, state, pid, message != nullptr);
    notes_.push_back(HalfNote::kPart | part << HalfNote::kShift);
  }
  if (half_.whole || part >= JoinedNotes::kMostParts || !note_items()) {
    flags_ |= StepFlags::kWhole;
    notes_.clear();
    return true;
  }
  deltas_.resize(notes_.size() * words_);
  bool fits = true;
  uint64_t* delta = deltas_.data() + (notes_part ? words_ : 0);
  for (const Half::Item& item : half_.items) {
    if (item.kind != Half::Item::Kind::kUnlessTaken) {
      fits &= space_.difference(key, state, half_.state(item), trace_.touched(), delta);
    }
    delta += words_;
  }
  return fits;
}

bool HalfComputer::note_items() {
  if (half_.items.size() >= HalfNote::kMostItems) return false;
  for (const Half::Item& item : half_.items) {
    const uint32_t goes_on = item.items > 0 ? uint32_t{HalfNote::kGoesOn} : 0;
    uint32_t note = HalfNote::kSuccessor | goes_on;
    if (item.kind == Half::Item::Kind::kOffer) {
      const uint32_t message = handshakes_.number_of(half_.messages[item.message]);
      if (message >= HalfNote::kMostMessages) return false;
      note = HalfNote::kOffer | goes_on | message << HalfNote::kShift;
      if (item.timeout) note |= HalfNote::kTimeout;
    } else if (item.kind == Half::Item::Kind::kUnlessTaken) {
      note = HalfNote::kUnless | item.offers << HalfNote::kShift |
             item.items << (HalfNote::kShift + HalfNote::kCountBits);
    }
    notes_.push_back(note);
  }
  return true;
}

// What a note of joined steps depends on: which locations the process leaves on the way to which item; what it looked
// at; whether the channels there were empty or full; of whoever offers, also what it uses channels for, and who else
// there is.
uint32_t HalfComputer::number_of_part(const uint64_t* key, ByteView state, uint32_t pid, bool takes) {
  using Kind = PartDescription::Kind;
  PartDescription description(takes ? Kind::kTakes : Kind::kOffers, pid);
  const ByteView control = space_.control(key);
  const ByteView frame = space_.content(own_component(space_.components(), pid), key);
  description.add(static_cast<uint32_t>(control[Components::kControlProctypes + pid]));
  description.add(load<LocationId>(frame.data() + (kFrameLocation - kFramePriority)));
  description.add(half_.moves ? 1 : 0);
  for (const Half::Item& item : half_.items) {
    description.add(static_cast<uint32_t>(item.kind));
    description.add(item.offers);
    description.add(item.items);
    description.add(way_of(half_, item));
    if (item.kind == Half::Item::Kind::kOffer) description.add(half_.messages[item.message].channel);
  }
  touched_ = path_;
  std::ranges::sort(touched_);
  description.add(std::as_bytes(std::span(touched_)));
  find_channels(control);
  for (const Channel& channel : channels_) {
    if (!std::ranges::binary_search(touched_, channel.component)) continue;
    const uint32_t length = load<uint16_t>(state.data() + channel.offset);
    description.add(length == 0 ? 0 : length == channel.capacity ? 1 : 2);
  }
  if (!takes) {
    description.add(control);
    add_uses(key, state, pid, description);
  }
  return handshakes_.number_of_part(description.bytes());
}

// As numbers for what its steps would look at if they looked at all channels, and these were empty, full or neither.
void HalfComputer::add_uses(const uint64_t* key, ByteView state, uint32_t pid, PartDescription& description) {
  const StubbornChooser::Control control{space_.layout().get(key, kControlComponent), space_.control(key)};
  const ByteView frame = space_.content(own_component(space_.components(), pid), key);
  filled_.assign(state.begin(), state.end());
  std::vector<ComponentId> components;
  for (const Channel& channel : channels_) components.push_back(channel.component);
  for (const bool full : {false, true}) {
    for (const Channel& channel : channels_) {
      store(filled_.data() + channel.offset, static_cast<uint16_t>(full ? channel.capacity : 0));
    }
    description.add(
        chooser_->present_of(control, static_cast<uint8_t>(pid), frame, {filled_, components, {}, {}, half_.moves}));
  }
  for (const Channel& channel : channels_) store(filled_.data() + channel.offset, uint16_t{1});
  description.add(
      chooser_->present_of(control, static_cast<uint8_t>(pid), frame, {filled_, components, {}, {}, half_.moves}));
}

// Those with room for messages.
void HalfComputer::find_channels(ByteView control) {
  const StatePieces& pieces = space_.components().pieces();
  const Model& model = space_.components().model();
  channels_.clear();
  const auto add = [&](ComponentId component, uint32_t offset, const ChannelInstance& channel) {
    const uint32_t capacity = model.channel_types[channel.type].capacity;
    if (capacity > 0) channels_.push_back({component, offset, capacity});
  };
  for (const ChannelInstance& channel : model.channels) {
    add(pieces.global_component[channel.offset], channel.offset, channel);
  }
  uint32_t begin = model.global_bytes;
  for (uint32_t owner = 0; owner < space_.components().process_count(control); ++owner) {
    const auto proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + owner]);
    for (const ChannelInstance& channel : model.proctypes[proctype].channels) {
      add(pieces.frame(owner, pieces.frame_piece[proctype][channel.offset]), begin + channel.offset, channel);
    }
    begin += model.proctypes[proctype].frame_bytes;
  }
}

}  // namespace cmc
