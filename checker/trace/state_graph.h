#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "checker/generator/generator.h"
#include "ir/model.h"

// All states of a small model with the steps between them, as a picture.

namespace cmc {

struct StateGraph {
  enum class Kind : uint8_t {
    kPlain,
    kEnd,       // all processes have ended, or are where they may stay
    kDeadlock,  // an invalid end state
    kError,     // no state: where a step leads that an error cuts
  };
  struct Node {
    Kind kind = Kind::kPlain;
    uint32_t depth = 0;    // steps from the initial state, the fewest
    bool expanded = true;  // false: the limit was reached, its steps are not there
    std::string text;      // the whole state, several lines; of an error, its message
  };
  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t pid = 0;
    std::string process;  // "user[0]"
    std::string text;     // of its statements
    std::string changes;  // "x: 0 -> 1, q: empty -> [1]"
    bool error = false;
  };
  std::string title;
  std::vector<Node> nodes;  // [0] is the initial state
  std::vector<Edge> edges;
  bool complete = true;
  std::string reason;  // why it is not, unless there are more than `most_states`
};

// Breadth first, until there are `most_states`, or a limit is reached. `generator` decides what a step is.
[[nodiscard]] StateGraph explore_graph(const Model& model, SuccessorGenerator& generator, size_t most_states,
                                       const std::string& title, Limits& limits);

// For Graphviz.
[[nodiscard]] std::string graph_dot(const StateGraph& graph);

// A picture of its own: layers by depth, ordered by the barycentre method (Sugiyama, Tagawa, Toda, "Methods for
// visual understanding of hierarchical system structures", 1981). Labels of large graphs are shown by the mouse only.
[[nodiscard]] std::string graph_svg(const StateGraph& graph);

}  // namespace cmc
