#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc {

// A part of a state that is interned as one value (checker/keyspace/README.md explains why): 0 is "control", the
// header and the proctypes of all processes; then come the pieces of the globals, then those of the frames, pid by
// pid.
using ComponentId = uint16_t;
inline constexpr ComponentId kControlComponent = 0;

// How the bytes of a state are divided into components. A scalar or a channel never lies in two. Piece 0 of a frame
// has its header (proctype, priority, location) in it.
struct StatePieces {
  std::vector<ComponentId> global_component;       // by offset in the state vector; control for hidden and header
  std::vector<std::vector<uint16_t>> frame_piece;  // by proctype and offset in the frame
  std::vector<uint16_t> frame_pieces;              // by proctype: how many
  uint16_t global_pieces = 0;                      // components 1..global_pieces
  uint16_t most_frame_pieces = 1;

  [[nodiscard]] ComponentId frame(uint32_t pid, uint32_t piece) const {
    return static_cast<ComponentId>(1u + global_pieces + pid * most_frame_pieces + piece);
  }
  [[nodiscard]] uint32_t component_count(uint32_t processes) const {
    return 1u + global_pieces + processes * most_frame_pieces;
  }
};

}  // namespace cmc
