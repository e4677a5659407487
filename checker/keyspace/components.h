#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/touch_trace.h"
#include "ir/model.h"

namespace cmc {

// How far frames are divided. Usually not, but for arrays that are longer than 64 bytes, in parts of that length: the
// contents of one frame mostly depend on each other, so that one number for all takes fewer bits (Lunar's keys have
// 99 bits coarsely divided, 199 with elements). Finely divided, a step depends only on what it looks at.
struct FrameDivision {
  bool elements = false;            // arrays of all proctypes into elements
  std::vector<ProctypeId> scalars;  // locals of these proctypes into scalars; ascending

  bool operator==(const FrameDivision&) const = default;
};

// How the state vectors of a model are divided into components (touch_trace.h says what a component is), and the
// content of each in a given state: a byte string, empty for a component that the state does not have.
//
//   control       holder of atomicity, _last, the proctype of each process
//   globals       a scalar, an element of an array or several (at most kMaxGlobalPieces pieces), a channel
//   frame pieces  piece 0: priority, location, locals up to the first long array; then the elements of long arrays,
//                 or several together, and what locals there are between them; then each channel that the process
//                 owns
//
// Hidden variables belong to no component: they are zero in every state that is made from components.
class Components {
 public:
  struct Range {
    uint32_t offset = 0;  // in the state vector, or in the frame
    uint32_t size = 0;
  };

  static constexpr uint32_t kMaxGlobalPieces = 48;
  static constexpr uint32_t kControlHolder = 0;  // offsets in the content of control
  static constexpr uint32_t kControlLast = 1;
  static constexpr uint32_t kControlProctypes = 2;

  explicit Components(const Model& model, FrameDivision division = {});

  [[nodiscard]] const StatePieces& pieces() const { return pieces_; }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] std::span<const Range> globals() const { return globals_; }  // component 1 + index
  [[nodiscard]] std::span<const Range> frame(ProctypeId proctype) const { return frames_[proctype]; }  // by piece

  [[nodiscard]] const FrameDivision& division() const { return division_; }
  // Of the proctype's frame, the pieces with locals: the first ones.
  [[nodiscard]] uint32_t local_pieces(ProctypeId proctype) const { return local_pieces_[proctype]; }
  // The division that divides this frame further; nothing: there is none.
  [[nodiscard]] std::optional<FrameDivision> finer(ProctypeId proctype) const;
  [[nodiscard]] uint32_t frame_bytes(ProctypeId proctype) const { return frame_bytes_[proctype]; }

  [[nodiscard]] uint32_t process_count(ByteView control) const {
    return static_cast<uint32_t>(control.size()) - kControlProctypes;
  }
  void control_of(ByteView state, Bytes& content) const;
  // Whether so many bytes can be a content of this component; of control, whether each process has a proctype.
  [[nodiscard]] bool may_contain(uint32_t component, ByteView content) const;

  // "x", "q[2]", "P 3", "P 3 piece 1": for people.
  [[nodiscard]] std::string name(ComponentId component, ByteView control) const;

 private:
  void divide_globals();
  void divide_frame(ProctypeId number);

  const Model& model_;
  FrameDivision division_;
  StatePieces pieces_;
  std::vector<Range> globals_;
  std::vector<std::vector<Range>> frames_;
  std::vector<uint32_t> frame_bytes_;   // by proctype
  std::vector<uint32_t> local_pieces_;  // likewise
};

}  // namespace cmc
