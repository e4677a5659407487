#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/cycle_graph.h"
#include "storage/sets/chunked_array.h"
#include "storage/sets/key_set.h"

namespace cmc {

// Looks for an accepting cycle depth first, one thread, on the fly: it explores the graph by itself, and ends at the
// first strongly connected component whose edges so far are in all acceptance sets (Couvreur, "On-the-fly
// verification of linear temporal logic", 1999; Geldenhuys and Valmari, "Tarjan's algorithm makes on-the-fly LTL
// verification more efficient", 2004; components as paths: Gabow, "Path-based depth-first search for strong and
// biconnected components", 2000). Any number of acceptance sets costs the same.
//
// A node that is met is expanded at once. Its edges to nodes met before are dealt with first, so a cycle is found
// with its last edge; the others wait on a stack.
//
// Memory: a key with a value of 32 bits for each node; 8 W bytes for each node of the region in a component that is
// not complete; for each node on the path 8 W + 16 bytes, and at most 24 more for a component; 8 W + 8 for each edge
// that waits.
//
// Nothing depends on the graph object between two calls of run(), so it can be another one each time, and keys of
// another width after take_over().
template <unsigned W>
class SccSearch {
 public:
  using Node = Key<W>;

  enum class End : uint8_t {
    kNone,         // no accepting cycle can be reached from the nodes that it was started at
    kFound,        // in_component() says where
    kNotExpanded,  // the graph did not expand a node; another run() begins with that
    kStopped,      // another run() goes on
    kTooMany,      // nodes in components that are not complete
  };

  SccSearch(KeySetOptions options, const std::array<unsigned, W>& word_bits)
      : set_(with_values(options), word_bits) {}

  // REQUIRES: nothing is open, that is, it has not been started, or the last run() returned kNone.
  void start(const Node& node) {
    CHECK(edges_.empty());
    edges_.push_back({node, 0});
  }

  // Takes everything from a search whose keys had another layout; convert(Key<V>) gives a key of this one. The other
  // one is unusable afterwards. REQUIRES: this one is new.
  template <unsigned V, class Convert>
  void take_over(SccSearch<V>& from, Convert&& convert) {
    for (size_t i = 0; i < KeySet<V>::kPartitions; ++i) {
      from.set_.drain_partition(i, [&](const Key<V>& key, uint64_t number) {
        insert(convert(key), static_cast<uint32_t>(number));
        grow_if_needed();
      });
    }
    from.open_.drain([&](const Key<V>& node) { open_.push_back(convert(node)); });
    from.edges_.drain([&](const MarkedEdge<V>& edge) { edges_.push_back({convert(edge.target), edge.marks}); });
    path_ = std::exchange(from.path_, {});
    from.components_.drain([&](const typename SccSearch<V>::Component& component) {
      components_.push_back({component.marks, component.place, component.first});
    });
    expansions_ = from.expansions_;
  }

  // visit(node) for each node that was met.
  template <class Visit>
  void visit(Visit&& visit) const {
    set_.visit([&](const Node& node) { visit(node); });
  }
  // What is beside them.
  void save(OutStream& to) const {
    to.number(open_.size());
    for (uint64_t i = 0; i < open_.size(); ++i) save_key(to, open_[i]);
    to.number(edges_.size());
    for (uint64_t i = 0; i < edges_.size(); ++i) {
      save_key(to, edges_[i].target);
      to.number(edges_[i].marks);
    }
    to.number(path_.size());
    for (uint64_t i = 0; i < path_.size(); ++i) to.number(path_[i]);
    to.number(components_.size());
    for (uint64_t i = 0; i < components_.size(); ++i) {
      for (const uint64_t number : {components_[i].marks, components_[i].place, uint64_t{components_[i].first}})
        to.number(number);
    }
  }
  // A node that was met, as all are that visit() has told; then what is beside them. REQUIRES: this one is new.
  void receive(const Node& node) {
    insert(node, kComplete);
    grow_if_needed();
  }
  void load(InStream& from) {
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      const Node node = load_key<W>(from);
      open_.push_back(node);
      const auto number = static_cast<uint32_t>(open_.size());
      if (!set_.change_value(node, [&](uint64_t) { return number; })) from.fail();
    }
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      const Node target = load_key<W>(from);
      edges_.push_back({target, from.number()});
    }
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left)
      path_.push_back(from.number_up_to(edges_.size()));
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      const uint64_t marks = from.number();
      const uint64_t place = from.number_up_to(path_.size());
      components_.push_back({marks, place, static_cast<uint32_t>(from.number_up_to(open_.size()))});
    }
  }
  // The nodes that were met.
  [[nodiscard]] const KeySet<W>& set() const { return set_; }
  // What the set takes with so many nodes.
  [[nodiscard]] uint64_t bytes_for(uint64_t nodes) const { return set_.expected_bytes(nodes); }

  template <CycleGraph Graph>
  [[nodiscard]] End run(Graph& graph, const ShouldStop& should_stop) {
    const uint64_t all = all_marks(graph.sets());
    while (!edges_.empty()) {
      if (!path_.empty() && path_.back() == edges_.size()) {
        leave();
        continue;
      }
      const MarkedEdge<W> edge = edges_.back();
      if (const uint32_t number = number_of(edge.target, set_.prefetch(edge.target)); number != kUnseen) {
        edges_.pop_back();
        if (closes(number, edge.marks, all)) return End::kFound;
        continue;
      }
      if (open_.size() == kComplete - 1) return End::kTooMany;
      grow_if_needed();
      if (!expand(graph, edge.target)) return End::kNotExpanded;
      enter(edge.target, graph.in_region(edge.target));
      if (sort_edges(all)) return End::kFound;
      if (++expansions_ % kExpansionsPerQuestion == 0 && should_stop(memory_bytes())) return End::kStopped;
    }
    return End::kNone;
  }

  // --- after kFound: a set of nodes, and a way there. The nodes are strongly connected among themselves, by edges
  // whose marks are those of all acceptance sets.
  [[nodiscard]] bool in_component(const Node& node) {
    const uint32_t number = number_of(node, set_.prefetch(node));
    return number != kComplete && number >= components_.back().first;
  }
  // The first of them.
  [[nodiscard]] const Node& component_node() const { return open_[components_.back().first - 1]; }
  // From the node where the search was started up to and including component_node(), as the search went.
  [[nodiscard]] std::vector<MarkedEdge<W>> path_to_component() const {
    std::vector<MarkedEdge<W>> path;
    for (uint64_t i = 0; i <= components_.back().place; ++i) path.push_back(edges_[path_[i] - 1]);
    return path;
  }

  // From the node where the search was started up to the one that was expanded last.
  [[nodiscard]] std::vector<Node> path() const {
    std::vector<Node> nodes;
    for (uint64_t i = 0; i < path_.size(); ++i) nodes.push_back(edges_[path_[i] - 1].target);
    return nodes;
  }

  [[nodiscard]] uint64_t nodes() const { return set_.size(); }
  [[nodiscard]] uint64_t open_edges() const { return edges_.size(); }  // that run() has still to follow
  [[nodiscard]] uint64_t depth() const { return path_.size(); }
  [[nodiscard]] uint64_t memory_bytes() const {
    return set_.memory_bytes() + open_.memory_bytes() + edges_.memory_bytes() + path_.memory_bytes() +
           components_.memory_bytes();
  }
  // What the next growth of the set takes at most, in addition.
  [[nodiscard]] uint64_t growth_bytes() const { return set_.growth_bytes(); }
  // What take_over() needs at most, about, in addition to what `from` has.
  template <unsigned V>
  [[nodiscard]] uint64_t bytes_to_take_over(const SccSearch<V>& from) const {
    // A set that doubles has its last size when half of the other one is still there.
    const uint64_t freed = from.set_.memory_bytes() / 2;
    const uint64_t added = set_.expected_bytes(from.set_.size());
    const uint64_t wider = W > V ? (W - V) * sizeof(uint64_t) * (from.open_.size() + from.edges_.size()) : 0;
    return (added > freed ? added - freed : 0) + wider;
  }

 private:
  template <unsigned>
  friend class SccSearch;

  // The number of a node: its place in open_, plus 1. Numbers of complete components are used again.
  static constexpr uint32_t kUnseen = 0;
  static constexpr uint32_t kComplete = 0xffffffff;  // its component has been left, or is none of the region

  // A component that is not complete; it consists of the nodes from `first` on up to that of the next one.
  struct Component {
    uint64_t marks = 0;  // of edges within
    uint64_t place = 0;  // of its first node in path_
    uint32_t first = 0;  // number
  };
  using Probe = typename KeySet<W>::Probe;

  static KeySetOptions with_values(KeySetOptions options) {
    options.shared = false;
    options.value_bits = 32;
    return options;
  }
  void grow_if_needed() {
    if (!set_.needs_growth()) return;
    set_.prepare_to_grow();
    set_.grow();
  }
  [[nodiscard]] uint32_t number_of(const Node& node, const Probe& probe) {
    return static_cast<uint32_t>(
        set_.change_value(node, probe, [](uint64_t number) { return number; }).value_or(kUnseen));
  }
  void insert(const Node& node, uint32_t number) {
    const Probe probe = set_.prefetch(node);
    set_.insert_new(node, probe, tally_);
    set_number(node, probe, number);
  }
  void set_number(const Node& node, const Probe& probe, uint32_t number) {
    set_.change_value(node, probe, [&](uint64_t) { return number; });
  }

  // Into successors_.
  template <class Graph>
  [[nodiscard]] bool expand(Graph& graph, const Node& node) {
    successors_.clear();
    probes_.clear();
    return graph.expand(node, [&](const Node& target, uint64_t marks) {
      successors_.push_back({target, marks});
      probes_.push_back(set_.prefetch(target));
    });
  }
  // The target of the last edge.
  void enter(const Node& node, bool in_region) {
    if (in_region) {
      open_.push_back(node);
      components_.push_back({0, path_.size(), static_cast<uint32_t>(open_.size())});
    }
    insert(node, in_region ? static_cast<uint32_t>(open_.size()) : kComplete);
    path_.push_back(edges_.size());
  }
  // Deals with those of the successors that have been met, and puts the others on the stack. True: a cycle was found.
  [[nodiscard]] bool sort_edges(uint64_t all) {
    for (size_t i = 0; i < successors_.size(); ++i) {
      const MarkedEdge<W>& edge = successors_[i];
      const uint32_t number = number_of(edge.target, probes_[i]);
      if (number == kUnseen) {
        edges_.push_back(edge);
      } else if (closes(number, edge.marks, all)) {
        return true;
      }
    }
    return false;
  }
  // An edge from the last node of the path to one that was met before. If that is open, there is a cycle, and the
  // components on it become one. True: it is an accepting one.
  [[nodiscard]] bool closes(uint32_t number, uint64_t marks, uint64_t all) {
    if (number == kComplete) return false;
    while (components_.back().first > number) {
      marks |= components_.back().marks | edges_[path_[components_.back().place] - 1].marks;
      components_.pop_back();
    }
    components_.back().marks |= marks;
    return components_.back().marks == all;
  }
  // The last node of the path: all of its edges have been dealt with.
  void leave() {
    path_.pop_back();
    edges_.pop_back();
    if (components_.empty() || components_.back().place < path_.size()) return;
    const uint64_t first = components_.back().first - 1;
    std::array<Probe, kPrefetched> probes;
    for (uint64_t begin = first; begin < open_.size(); begin += kPrefetched) {
      const uint64_t count = std::min(kPrefetched, open_.size() - begin);
      for (uint64_t i = 0; i < count; ++i) set_.prefetch(open_[begin + i], probes[i]);
      for (uint64_t i = 0; i < count; ++i) set_number(open_[begin + i], probes[i], kComplete);
    }
    open_.shrink(first);
    components_.pop_back();
  }

  static constexpr uint64_t kExpansionsPerQuestion = 1024;
  static constexpr uint64_t kPrefetched = 16;

  KeySet<W> set_;
  ChunkedArray<Node, 12> open_;  // nodes of components that are not complete, as they were met
  ChunkedArray<MarkedEdge<W>, 12>
      edges_;  // to be followed, the last one first; that to a node on the path is below its own
  ChunkedArray<uint64_t, 12> path_;  // of each node on the path: the size of edges_ when it was entered
  ChunkedArray<Component, 12> components_;
  typename KeySet<W>::Tally tally_;
  std::vector<MarkedEdge<W>> successors_;
  std::vector<Probe> probes_;
  uint64_t expansions_ = 0;
};

}  // namespace cmc
