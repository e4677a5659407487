#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "checker/search/cycles/lasso.h"
#include "checker/search/engine/cycle_graph.h"
#include "storage/sets/key.h"

namespace cmc {

// A graph for tests of cycle searches: nodes are numbers, the initial one is 0.
struct NumberedGraph {
  struct Arc {
    uint32_t target = 0;
    uint64_t marks = 0;
  };
  uint32_t sets = 0;
  std::vector<std::vector<Arc>> arcs;  // by node
  std::vector<bool> in_region;         // by node

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(arcs.size()); }
  [[nodiscard]] bool has_arc(uint32_t from, uint32_t to) const {
    return std::ranges::any_of(arcs[from], [&](const Arc& arc) { return arc.target == to; });
  }
};

// What is to be found, by Tarjan's algorithm (1972), for reachable nodes.
struct Expected {
  explicit Expected(const NumberedGraph& graph);

  std::vector<bool> reachable;
  std::vector<uint32_t> component;  // by node
  std::vector<bool> fair;           // by component: it has a cycle, and its edges are in all acceptance sets
  [[nodiscard]] bool on_accepting_cycle(uint32_t node) const { return reachable[node] && fair[component[node]]; }
  [[nodiscard]] bool any() const { return std::ranges::count(fair, true) > 0; }

  // What a hull leaves: all that can be reached from accepting cycles within the region.
  [[nodiscard]] std::vector<bool> hull(const NumberedGraph& graph) const;
};

// Whether the run, nodes with the edge that leads to each, begins in the initial node, follows edges, and comes back
// to its node number `loop` on edges in all acceptance sets.
[[nodiscard]] bool is_accepting_lasso(const NumberedGraph& graph, const std::vector<NumberedGraph::Arc>& run,
                                      size_t loop);

// Of up to 60 nodes and 6 acceptance sets. Nodes on no accepting cycle may be out of the region.
NumberedGraph random_graph(std::mt19937_64& random);

// The numbers as keys of W words. Keys of the first `known` numbers only: the others do not fit.
template <unsigned W>
class NumberLayout {
 public:
  static constexpr unsigned kBits = 44;

  NumberLayout(uint32_t numbers, uint32_t known, uint64_t seed) : known_(known) {
    std::mt19937_64 random(seed);
    while (keys_.size() < numbers) {
      Key<W> key{};
      for (unsigned i = 0; i < W; ++i) key[i] = random() & ((uint64_t{1} << kBits) - 1);
      if (keys_.empty()) key = {};
      if (numbers_.emplace(key, static_cast<uint32_t>(keys_.size())).second) keys_.push_back(key);
    }
  }
  static std::array<unsigned, W> word_bits() {
    std::array<unsigned, W> bits{};
    bits.fill(kBits);
    return bits;
  }
  [[nodiscard]] const Key<W>& key(uint32_t number) const { return keys_[number]; }
  [[nodiscard]] uint32_t number(const Key<W>& key) const { return numbers_.at(key); }
  [[nodiscard]] uint32_t known() const { return known_; }
  [[nodiscard]] std::vector<NumberedGraph::Arc> arcs(const std::vector<MarkedEdge<W>>& edges) const {
    std::vector<NumberedGraph::Arc> all;
    for (const MarkedEdge<W>& edge : edges) all.push_back({number(edge.target), edge.marks});
    return all;
  }

 private:
  uint32_t known_;
  std::vector<Key<W>> keys_;
  std::map<Key<W>, uint32_t> numbers_;
};

// A NumberedGraph as a CycleGraph.
template <unsigned W>
class KeyedGraph {
 public:
  using Node = Key<W>;

  KeyedGraph(const NumberedGraph& graph, const NumberLayout<W>& layout) : graph_(graph), layout_(layout) {}

  [[nodiscard]] uint32_t sets() const { return graph_.sets; }
  template <class Sink>
  bool expand(const Node& node, Sink&& sink) {
    ++expansions;
    for (const NumberedGraph::Arc& arc : graph_.arcs[layout_.number(node)]) {
      if (arc.target >= layout_.known()) return false;
      sink(layout_.key(arc.target), arc.marks);
    }
    return true;
  }
  [[nodiscard]] bool in_region(const Node& node) const { return graph_.in_region[layout_.number(node)]; }

  uint64_t expansions = 0;

 private:
  const NumberedGraph& graph_;
  const NumberLayout<W>& layout_;
};
static_assert(CycleGraph<KeyedGraph<1>>);

// Of memory in use.
inline bool never_stop(uint64_t) { return false; }

}  // namespace cmc
