#pragma once

#include "checker/search/exploration.h"
#include "storage/chunked_array.h"

namespace cmc {

// Depth-first search in the order of SPIN's verifier: a successor is explored completely before the next one, and
// counts as visited from the moment when its turn comes, not when it was generated. So the depth is the same, too.
//
// A state is generated from once. Its successors go into the set at once, where a bit tells those whose turn has not
// come yet ("waiting"); the stack holds their numbers only, 8 bytes each, and 12 for each state on the path. When a
// waiting state is met again on the way and entered there, its old entry finds it visited later, just as if it had
// not been generated yet.
class DepthFirst final : public Exploration {
 public:
  using Exploration::Exploration;

 private:
  struct Frame {  // a state on the path
    Id id = 0;
    uint32_t cost = 0;     // of the step that leads to it
    uint32_t waiting = 0;  // successors of it on top of waiting_, the next one last
  };
  struct Waiting {
    Id id = 0;
    uint32_t cost = 0;
  };

  void explore() override;
  [[nodiscard]] std::vector<Id> ancestry() const override;
  [[nodiscard]] uint64_t depth() const override { return depth_; }
  [[nodiscard]] uint64_t open_states() const override { return path_.size() + waiting_.size(); }
  [[nodiscard]] uint64_t memory_bytes() const override;

  void enter(Id id, uint32_t cost);
  Waiting take_waiting(Frame& frame);
  void push_hidden(const Successor& successor);

  [[nodiscard]] bool visited(Id id) const {
    return (id >> 6) < visited_.size() && ((visited_[id >> 6] >> (id & 63)) & 1) != 0;
  }
  void set_visited(Id id);

  ChunkedArray<Frame> path_;
  ChunkedArray<Waiting> waiting_;
  ChunkedArray<uint64_t> visited_;      // a bit by state number
  ChunkedArray<std::byte> hidden_;      // the hidden parts of waiting_: they may differ from those in the set
  std::vector<std::byte> hidden_part_;  // of the one taken last
  uint64_t depth_ = 0;
};

}  // namespace cmc
