#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/result/progress.h"

namespace cmc {

// How many states a search will have found at its end.
struct StateEstimate {
  uint64_t states = 0;
  uint64_t low = 0;  // low <= states <= high
  uint64_t high = 0;
};

// Guesses the number of states from how a search went so far.
//
// Breadth first, the sizes of levels rise and fall like a bell in most models, so that their logarithms are about a
// parabola (Pelanek, Simecek, "Estimating state space parameters", 2008, have the shape). Three parabolas, fitted to
// all levels, to the last 70 % and to the last half, say how much is still to come; how far they are apart, and a
// factor of 2 for what the shape does not tell, is the interval. There is none before the levels bend, and none if
// its ends are more than a factor of 4 apart: then nothing is known.
//
// In other orders nothing is ever known. What was tried: the share of new states among the successors, which stays
// near its mean until the end; it says nothing (docs/long-runs.md has figures).
//
// It needs no more than the observer is told ten times a second; levels that go by between two looks count as equal.
class StateEstimator {
 public:
  explicit StateEstimator(bool in_levels) : in_levels_(in_levels) {}

  void add(const Progress& progress);
  // None: unknown.
  [[nodiscard]] std::optional<StateEstimate> estimate() const { return estimate_; }

 private:
  // The first look at a level: about all of its states are found, and none of the next.
  struct Look {
    uint64_t level = 0;
    uint64_t states = 0;
  };
  void guess();

  bool in_levels_;
  std::vector<Look> looks_;
  std::optional<StateEstimate> estimate_;
};

}  // namespace cmc
