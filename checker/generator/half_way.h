#pragma once

#include <span>

#include "checker/generator/half.h"
#include "ir/model.h"

namespace cmc {

// On the way to an item of a half the process may leave locations behind the one where it was at first: in atomic
// sequences, and by merged local steps. They lie behind the item's state, in Half::bytes.

inline void add_way(std::span<const LocationId> left, Half& out) {
  const ByteView way = std::as_bytes(left);
  out.bytes.insert(out.bytes.end(), way.begin(), way.end());
  out.items.back().offers = static_cast<uint32_t>(left.size());
}
[[nodiscard]] inline ByteView way_of(const Half& half, const Half::Item& item) {
  if (item.kind == Half::Item::Kind::kUnlessTaken) return {};
  return ByteView(half.bytes).subspan(item.offset + item.size, item.offers * sizeof(LocationId));
}

// The frame of a process that the state has.
[[nodiscard]] inline const std::byte* frame_of(const Model& model, ByteView state, uint8_t pid) {
  const std::byte* frame = state.data() + model.global_bytes;
  for (uint32_t below = 0; below < pid; ++below) {
    frame += model.proctypes[load<ProctypeId>(frame + kFrameProctype)].frame_bytes;
  }
  return frame;
}
[[nodiscard]] inline LocationId location_of(const Model& model, ByteView state, uint8_t pid) {
  return load<LocationId>(frame_of(model, state, pid) + kFrameLocation);
}

}  // namespace cmc
