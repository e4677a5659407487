#pragma once

#include <concepts>
#include <cstdint>
#include <functional>

#include "storage/sets/key.h"

// What the searches for cycles know about a product of a model and a claim: a directed graph whose nodes are keys. A
// cycle is accepting if its edges together belong to every acceptance set (generalized Büchi acceptance). With no
// acceptance set every cycle is accepting. A node that is accepting has all its outgoing edges in the set.

namespace cmc {

inline constexpr uint32_t kMostAcceptanceSets = 64;

// Bit i of the marks of an edge: it belongs to acceptance set i.
[[nodiscard]] constexpr uint64_t all_marks(uint32_t sets) {
  return sets == 0 ? 0 : ~uint64_t{0} >> (kMostAcceptanceSets - sets);
}

template <unsigned W>
struct MarkedEdge {
  Key<W> target{};
  uint64_t marks = 0;
};

// A graph is used by one thread; threads have a graph each.
//
//   sets()              the number of acceptance sets
//   expand(node, sink)  calls sink(target, marks) for each edge of the node, always the same ones; false: it cannot,
//                       because keys are too narrow or the search has been stopped, and what the sink was given is to
//                       be thrown away
//   in_region(node)     false: the node is on no accepting cycle
template <class Graph>
concept CycleGraph = requires(Graph& graph, const typename Graph::Node& node,
                              void (*sink)(const typename Graph::Node&, uint64_t)) {
  { graph.sets() } -> std::convertible_to<uint32_t>;
  { graph.expand(node, sink) } -> std::same_as<bool>;
  { graph.in_region(node) } -> std::same_as<bool>;
};

// Asked now and then by a search, with the bytes of memory that it has; true ends it.
using ShouldStop = std::function<bool(uint64_t memory_bytes)>;

// Words of a graph's nodes.
template <CycleGraph Graph>
inline constexpr unsigned kWordsOf = std::tuple_size_v<decltype(Graph::Node::words)>;

}  // namespace cmc
