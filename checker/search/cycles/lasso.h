#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/search/cycles/scc_search.h"
#include "checker/search/engine/cycle_graph.h"
#include "storage/sets/chunked_array.h"
#include "storage/sets/key_set.h"

// From a set of nodes with an accepting cycle to a counterexample.

namespace cmc {

// The nodes of a loop, each with the edge that leads to it; from the last one it goes on to the first one. Two edges
// can have the same nodes and other marks, so the nodes alone do not say that the loop is accepting.
template <unsigned W>
using KeyLoop = std::vector<MarkedEdge<W>>;

// stem.back() leads to the first node of the loop, unless the stem is empty: then that is the initial node.
template <unsigned W>
struct KeyLasso {
  std::vector<Key<W>> stem;
  KeyLoop<W> loop;
};

// The nodes of a graph for which allowed(node) holds, and the edges between them.
template <CycleGraph Graph, class Allowed>
class Subgraph {
 public:
  using Node = typename Graph::Node;

  Subgraph(Graph& graph, Allowed allowed) : graph_(graph), allowed_(std::move(allowed)) {}
  [[nodiscard]] uint32_t sets() const { return graph_.sets(); }
  template <class Sink>
  bool expand(const Node& node, Sink&& sink) {
    return graph_.expand(node, [&](const Node& target, uint64_t marks) {
      if (allowed_(target)) sink(target, marks);
    });
  }
  [[nodiscard]] bool in_region(const Node& node) const { return graph_.in_region(node); }

 private:
  Graph& graph_;
  Allowed allowed_;
};

inline constexpr uint64_t kNoLimit = ~uint64_t{0};

// Breadth-first searches for paths. What they have met is in RAM: a key in a set and 8 W + 16 bytes a node.
template <CycleGraph Graph>
class PathSearch {
 public:
  using Node = typename Graph::Node;
  static constexpr unsigned W = kWordsOf<Graph>;
  using Path = KeyLoop<W>;  // behind the first node

  // most_expansions: for all paths together.
  PathSearch(Graph& graph, const std::array<unsigned, W>& word_bits, ShouldStop should_stop,
             uint64_t most_expansions = kNoLimit)
      : graph_(graph),
        word_bits_(word_bits),
        should_stop_(std::move(should_stop)),
        most_expansions_(most_expansions) {}

  // A shortest path, of at least one and at most `longest` edges, whose last edge, and no other, satisfies
  // goal(edge). None: there is none, or gave_up().
  template <class Goal>
  std::optional<Path> find(const Node& from, uint64_t longest, Goal&& goal) {
    KeySet<W> met({}, word_bits_);
    ChunkedArray<Step, 10> steps;
    const auto path_to = [&](uint64_t number, const MarkedEdge<W>& last) {
      Path path{last};
      for (; number != 0; number = steps[number].before) path.push_back(steps[number].edge);
      std::ranges::reverse(path);
      return path;
    };
    std::optional<Path> found;
    met.insert(from);
    steps.push_back({{from, 0}, 0});
    uint64_t level_end = 1;
    uint64_t length = 1;
    for (uint64_t number = 0; number < steps.size() && length <= longest; ++number) {
      const bool expanded = graph_.expand(Node(steps[number].edge.target), [&](const Node& target, uint64_t marks) {
        if (found) return;
        const MarkedEdge<W> edge{target, marks};
        if (goal(edge)) {
          found = path_to(number, edge);
        } else if (met.insert(target) == KeySet<W>::Inserted::kNew) {
          steps.push_back({edge, number});
        }
      });
      const bool asks = ++expansions_ % kExpansionsPerQuestion == 0;
      if (!expanded || expansions_ > most_expansions_ ||
          (asks && should_stop_(met.memory_bytes() + steps.memory_bytes()))) {
        gave_up_ = true;
        return std::nullopt;
      }
      if (found) return found;
      if (met.needs_growth()) {
        met.prepare_to_grow();
        met.grow();
      }
      if (number + 1 == level_end) {
        level_end = steps.size();
        ++length;
      }
    }
    return std::nullopt;
  }
  // It was stopped, or a node was not expanded, or there were too many expansions.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  [[nodiscard]] Graph& graph() const { return graph_; }

 private:
  struct Step {
    MarkedEdge<W> edge;
    uint64_t before = 0;  // number of the step to its source
  };
  static constexpr uint64_t kExpansionsPerQuestion = 1024;

  Graph& graph_;
  const std::array<unsigned, W> word_bits_;
  const ShouldStop should_stop_;
  const uint64_t most_expansions_;
  bool gave_up_ = false;
  uint64_t expansions_ = 0;
};

// A loop through `from` of at most `longest` edges, which together are in all acceptance sets: from set to set on
// shortest paths, and back (Clarke, Grumberg, McMillan, Zhao, "Efficient generation of counterexamples and witnesses
// in symbolic model checking", 1995). None: there is none, or the search took a way without return, or it gave up.
template <CycleGraph Graph>
std::optional<typename PathSearch<Graph>::Path> loop_through(PathSearch<Graph>& paths,
                                                             const typename Graph::Node& from, uint64_t longest) {
  typename PathSearch<Graph>::Path loop;
  typename Graph::Node at = from;
  uint64_t missing = all_marks(paths.graph().sets());
  do {
    const auto leg = paths.find(at, longest - loop.size(), [&](const auto& edge) {
      return missing != 0 ? (edge.marks & missing) != 0 : edge.target == from;
    });
    if (!leg) return std::nullopt;
    for (const auto& edge : *leg) missing &= ~edge.marks;
    loop.insert(loop.end(), leg->begin(), leg->end());
    at = loop.back().target;
  } while (missing != 0 || at != from);
  return loop;
}

// A loop through all acceptance sets. `component` has nodes that are strongly connected, `from` among
// them, by edges that together are in all sets; so there is a loop among them. A shorter one is looked for in
// `around`, a larger part of the same graph. None: the search in the component gave up.
template <CycleGraph Component, CycleGraph Around>
std::optional<KeyLoop<kWordsOf<Component>>> find_loop(PathSearch<Component>& component, PathSearch<Around>& around,
                                                      const typename Component::Node& from) {
  auto best = loop_through(component, from, kNoLimit);
  CHECK(best || component.gave_up());
  if (!best) return std::nullopt;
  // The way to the first set and back can be long, so loops from the other sets are tried, too.
  std::vector<typename Component::Node> begins{from};
  uint64_t missing = all_marks(component.graph().sets());
  for (const auto& edge : *best) {
    if ((edge.marks & missing) != 0) begins.push_back(edge.target);
    missing &= ~edge.marks;
  }
  for (const auto& begin : begins) {
    if (best->size() == 1) break;
    if (auto other = loop_through(around, begin, best->size() - 1)) best = std::move(other);
  }
  return best;
}

// How many nodes may be expanded for a short way if a way is known, and `nodes` were found: few in comparison, as
// every counterexample is made shorter anyway (shorten.h).
inline uint64_t most_expansions(uint64_t nodes) {
  constexpr uint64_t kFew = 100'000;
  return std::max(kFew, nodes / 4);
}

// A loop for the component that `search` has found in the graph. `is_costly` ends what makes it shorter.
template <CycleGraph Graph>
std::optional<KeyLoop<kWordsOf<Graph>>> find_loop_in_component(Graph& graph, SccSearch<kWordsOf<Graph>>& search,
                                                               const std::array<unsigned, kWordsOf<Graph>>& word_bits,
                                                               const ShouldStop& is_costly) {
  using Node = typename Graph::Node;
  Subgraph component(graph, [&](const Node& node) { return search.in_component(node); });
  Subgraph met(graph, [&](const Node& node) { return search.has_met(node); });
  PathSearch in_component(component, word_bits, [](uint64_t) { return false; });
  PathSearch around(met, word_bits, is_costly, most_expansions(search.nodes()));
  return find_loop(in_component, around, search.component_node());
}

// A loop among the nodes of `hull` whose value is not 0. REQUIRES: there is one. None: the search was stopped.
template <CycleGraph Graph>
std::optional<KeyLoop<kWordsOf<Graph>>> find_loop_in_hull(Graph& graph, KeySet<kWordsOf<Graph>>& hull,
                                                          const KeySetOptions& options,
                                                          const std::array<unsigned, kWordsOf<Graph>>& word_bits,
                                                          const ShouldStop& should_stop) {
  using Node = typename Graph::Node;
  using Search = SccSearch<kWordsOf<Graph>>;
  Subgraph within(graph, [&](const Node& node) { return hull.value(node).value_or(0) != 0; });
  Search search(options, word_bits);
  typename Search::End end = Search::End::kNone;
  // Nodes behind all accepting cycles are in the hull, too: then the search goes on from another one.
  for (size_t i = 0; i < KeySet<kWordsOf<Graph>>::kPartitions; ++i) {
    hull.visit_valued(i, [&](const Node& node, uint64_t) {
      if (end != Search::End::kNone) return;
      search.start(node);
      end = search.run(within, should_stop);
    });
  }
  CHECK(end != Search::End::kNone);
  if (end != Search::End::kFound) return std::nullopt;
  Subgraph component(within, [&](const Node& node) { return search.in_component(node); });
  PathSearch in_component(component, word_bits, should_stop);
  PathSearch around(within, word_bits, should_stop, most_expansions(hull.size()));
  return find_loop(in_component, around, search.component_node());
}

// A shortest way from the initial node to the loop, which is turned so that it begins there. None: the search gave
// up.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> find_stem(PathSearch<Graph>& paths, const typename Graph::Node& initial,
                                                   KeyLoop<kWordsOf<Graph>> loop) {
  std::vector<typename Graph::Node> sorted;
  for (const auto& edge : loop) sorted.push_back(edge.target);
  std::sort(sorted.begin(), sorted.end());
  KeyLasso<kWordsOf<Graph>> lasso;
  typename Graph::Node entry = initial;
  const auto is_in_loop = [&](const auto& node) { return std::binary_search(sorted.begin(), sorted.end(), node); };
  if (!is_in_loop(initial)) {
    const auto path = paths.find(initial, kNoLimit, [&](const auto& edge) { return is_in_loop(edge.target); });
    if (!path) return std::nullopt;
    lasso.stem.push_back(initial);
    for (const auto& edge : *path) lasso.stem.push_back(edge.target);
    entry = lasso.stem.back();
    lasso.stem.pop_back();
  }
  const auto first = std::ranges::find_if(loop, [&](const auto& edge) { return edge.target == entry; });
  std::rotate(loop.begin(), first, loop.end());
  lasso.loop = std::move(loop);
  return lasso;
}

}  // namespace cmc
