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

// From a set of nodes with an accepting cycle to a counterexample: any one, as each is made shorter (shorten.h).

namespace cmc {

// A run that never ends: nodes, each with the edge that leads to it. The last one is node number `loop` again, and
// the run goes on as from there. Two edges can have the same nodes and other marks, so the nodes alone do not say
// that the loop is accepting.
template <unsigned W>
struct KeyLasso {
  std::vector<MarkedEdge<W>> run;
  size_t loop = 0;
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

// Breadth-first searches for paths. What they have met is in RAM: a key in a set and 8 W + 16 bytes a node.
template <CycleGraph Graph>
class PathSearch {
 public:
  static constexpr unsigned W = kWordsOf<Graph>;

  PathSearch(Graph& graph, const std::array<unsigned, W>& word_bits, ShouldStop should_stop)
      : graph_(graph), word_bits_(word_bits), should_stop_(std::move(should_stop)) {}

  // Appends a shortest path from the last node, of at least one edge: the last of its edges, and no other, satisfies
  // goal(edge). False: there is none, or the search was stopped.
  template <class Goal>
  [[nodiscard]] bool go_on(std::vector<MarkedEdge<W>>& path, Goal&& goal) {
    KeySet<W> met({}, word_bits_);
    ChunkedArray<Step, 10> steps;
    met.insert(path.back().target);
    steps.push_back({path.back(), 0});
    bool found = false;
    for (uint64_t number = 0; number < steps.size(); ++number) {
      const Key<W> node = steps[number].edge.target;
      const bool expanded = graph_.expand(node, [&](const Key<W>& target, uint64_t marks) {
        const MarkedEdge<W> edge{target, marks};
        const bool is_goal = goal(edge);
        if (found || (!is_goal && met.insert(target) != KeySet<W>::Inserted::kNew)) return;
        steps.push_back({edge, number});
        found = is_goal;
      });
      const bool asks = ++expansions_ % kExpansionsPerQuestion == 0;
      if (!expanded || (asks && should_stop_(met.memory_bytes() + steps.memory_bytes()))) return false;
      if (found) break;
      if (met.needs_growth()) {
        met.prepare_to_grow();
        met.grow();
      }
    }
    if (!found) return false;
    const size_t begin = path.size();
    for (uint64_t number = steps.size() - 1; number != 0; number = steps[number].before)
      path.push_back(steps[number].edge);
    std::reverse(path.begin() + static_cast<ptrdiff_t>(begin), path.end());
    return true;
  }
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
  uint64_t expansions_ = 0;
};

// The run, and behind it a loop through its last node whose edges are together in all acceptance sets: from set to
// set on shortest paths, and back (Clarke, Grumberg, McMillan, Zhao, "Efficient generation of counterexamples and
// witnesses in symbolic model checking", 1995). None: a search was stopped, or took a way without return.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> with_loop(PathSearch<Graph>& paths,
                                                   std::vector<MarkedEdge<kWordsOf<Graph>>> run) {
  const auto begin = run.back().target;
  KeyLasso<kWordsOf<Graph>> lasso;
  lasso.loop = run.size() - 1;
  lasso.run = std::move(run);
  uint64_t missing = all_marks(paths.graph().sets());
  do {
    const size_t marked = lasso.run.size();
    const bool found = paths.go_on(lasso.run, [&](const auto& edge) {
      return missing != 0 ? (edge.marks & missing) != 0 : edge.target == begin;
    });
    if (!found) return std::nullopt;
    for (size_t i = marked; i < lasso.run.size(); ++i) missing &= ~lasso.run[i].marks;
  } while (missing != 0 || lasso.run.back().target != begin);
  return lasso;
}

// A loop in the component that `search` has found, behind a run that ends there. None: it was stopped.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> with_loop_in_component(
    Graph& graph, SccSearch<kWordsOf<Graph>>& search, const std::array<unsigned, kWordsOf<Graph>>& word_bits,
    const ShouldStop& should_stop, std::vector<MarkedEdge<kWordsOf<Graph>>> run) {
  Subgraph component(graph, [&](const typename Graph::Node& node) { return search.in_component(node); });
  PathSearch paths(component, word_bits, should_stop);
  return with_loop(paths, std::move(run));
}

// From the initial node to a loop among the nodes of `hull` whose value is not 0. REQUIRES: there is one. None: the
// search was stopped.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> find_lasso_in_hull(Graph& graph, const typename Graph::Node& initial,
                                                            KeySet<kWordsOf<Graph>>& hull,
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
  const auto is_there = [&](const auto& edge) { return search.in_component(edge.target); };
  std::vector<MarkedEdge<kWordsOf<Graph>>> run{{initial, 0}};
  PathSearch paths(graph, word_bits, should_stop);
  if (!is_there(run.front()) && !paths.go_on(run, is_there)) return std::nullopt;
  return with_loop_in_component(graph, search, word_bits, should_stop, std::move(run));
}

}  // namespace cmc
