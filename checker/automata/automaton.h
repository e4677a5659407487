#pragma once

#include <cstdint>
#include <vector>

#include "checker/automata/cube.h"
#include "ir/expression.h"

namespace cmc::automata {

// A Büchi automaton over sets of true atoms: a run is accepting iff it is in accepting states infinitely often.
struct Automaton {
  struct Edge {
    uint32_t target = 0;
    std::vector<Cube> label;  // the letters of any of them; one cube without literals: all letters
  };
  struct State {
    bool accepting = false;
    std::vector<Edge> edges;  // at most one to each target
  };
  std::vector<State> states;  // [0] is the initial one
  std::vector<ExpressionId> atoms;
};

}  // namespace cmc::automata
