#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/automata/cube.h"

namespace cmc::automata {

using Marks = uint64_t;  // a set of acceptance marks

// A larger automaton is refused.
struct GraphLimits {
  size_t states = 4'096;
  size_t edges = 65'536;
};

// A generalized Büchi automaton with acceptance on transitions, on the way from a formula to an Automaton: a run is
// accepting iff it meets each mark of `all_marks` infinitely often. Without marks, every infinite run is accepting.
struct Graph {
  struct Edge {
    uint32_t target = 0;
    Cube cube;
    Marks marks = 0;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  std::vector<std::vector<Edge>> states;  // [0] is the initial one
  Marks all_marks = 0;

  [[nodiscard]] size_t edge_count() const {
    size_t count = 0;
    for (const auto& edges : states) count += edges.size();
    return count;
  }
};

}  // namespace cmc::automata
