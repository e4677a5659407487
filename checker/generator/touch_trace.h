#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "checker/generator/state_index.h"
#include "ir/components.h"

namespace cmc {

// Notes which components a computation touches (reads or writes), in the order of the first touch. A deterministic
// computation that only looks at a state through touches is a function of the values of the components that it
// touched, and which one it touches next is a function of those before. Control counts as always touched.
//
// A generator tells it (View::trace), also about the states in the middle of an atomic sequence: there a component
// may have been overwritten already; noting it again as one of the first state is more than needed, never less.
class TouchTrace {
 public:
  explicit TouchTrace(const StatePieces& pieces) : pieces_(pieces), stamps_(pieces.component_count(kMaxProcesses)) {
    clear();
  }

  void clear() {
    touched_.clear();
    handshakes_ = false;
    if (++stamp_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0);
      stamp_ = 1;
    }
    note(kControlComponent);
  }
  [[nodiscard]] std::span<const ComponentId> touched() const { return touched_; }
  // Whether the computation asked for somebody who takes the message of a rendezvous.
  [[nodiscard]] bool handshakes() const { return handshakes_; }
  void note_handshake() { handshakes_ = true; }

  // The scalar or channel at `at` in the state that `index` describes.
  void touch(const StateIndex& index, const std::byte* state, const std::byte* at) {
    const uint32_t offset = static_cast<uint32_t>(at - state);
    DCHECK(at >= state && offset < index.frames[index.process_count]);
    if (offset < index.frames[0]) {
      note(pieces_.global_component[offset]);
      return;
    }
    const uint32_t pid = process_at(index, offset);
    const uint32_t frame = index.frames[pid];
    const ProctypeId proctype = static_cast<ProctypeId>(state[frame + kFrameProctype]);
    DCHECK(offset - frame < pieces_.frame_piece[proctype].size());
    note(pieces_.frame(pid, pieces_.frame_piece[proctype][offset - frame]));
  }
  // The header of a frame, which piece 0 is about.
  void touch_process(uint32_t pid) { note(pieces_.frame(pid, 0)); }
  void touch_whole_frame(uint32_t pid, ProctypeId proctype) {
    for (uint32_t piece = 0; piece < pieces_.frame_pieces[proctype]; ++piece) note(pieces_.frame(pid, piece));
  }

 private:
  // Mostly that of the touch before.
  [[nodiscard]] uint32_t process_at(const StateIndex& index, uint32_t offset) {
    const bool is_last =
        last_ < index.process_count && index.frames[last_] <= offset && offset < index.frames[last_ + 1];
    if (!is_last) {
      const uint32_t* const above = std::upper_bound(index.frames, index.frames + index.process_count, offset);
      last_ = static_cast<uint32_t>(above - index.frames) - 1;
    }
    return last_;
  }
  void note(ComponentId component) {
    DCHECK(component < stamps_.size());
    if (stamps_[component] == stamp_) return;
    stamps_[component] = stamp_;
    touched_.push_back(component);
  }

  const StatePieces& pieces_;
  std::vector<uint32_t> stamps_;  // by component
  uint32_t stamp_ = 0;
  uint32_t last_ = 0;  // process whose frame was touched
  std::vector<ComponentId> touched_;
  bool handshakes_ = false;
};

}  // namespace cmc
