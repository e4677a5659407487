#pragma once

#include "checker/search/exploration.h"
#include "storage/chunked_array.h"

namespace cmc {

// Breadth-first search: the first error found has a shortest path, counted in steps of the step mode. The set numbers
// its states in the order of their discovery, so the queue is just the number of the next state to expand; each
// state's discoverer is remembered (4 bytes) for the paths.
class BreadthFirst final : public Exploration {
 public:
  using Exploration::Exploration;

 private:
  void explore() override;
  [[nodiscard]] std::vector<Id> ancestry() const override;
  [[nodiscard]] uint64_t depth() const override { return depth_; }
  [[nodiscard]] uint64_t open_states() const override { return set().size() - current_; }
  [[nodiscard]] uint64_t memory_bytes() const override { return parents_.memory_bytes(); }

  ChunkedArray<Id> parents_;  // by state number; the initial state's is itself
  uint64_t current_ = 0;      // the state that is being expanded
  uint64_t depth_ = 0;        // its level
};

}  // namespace cmc
