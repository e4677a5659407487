#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "checker/search/cycle_graph.h"
#include "checker/search/disk_nodes.h"
#include "checker/search/lasso.h"
#include "storage/spill.h"

namespace cmc {

// A loop through all acceptance sets among the nodes of a hull on disk that is not empty, in limited memory.
//
// First a node of a component to which no other one leads: such components have edges of all sets. Nodes are taken
// one after the other, each with all that it reaches, as long as any are left. What is left has all of its
// predecessors, so it contains such a component, and the last node that is taken reaches it: it lies in it. (Groups
// of nodes are taken instead, larger and larger ones, and the last one is divided until it has one node.)
//
// Then from this node on a shortest path to an edge of a set that is missing, and so on, and back (Clarke, Grumberg,
// McMillan, Zhao, "Efficient generation of counterexamples and witnesses in symbolic model checking", 1995). If a
// path does not go on, it has left the component: what is behind it is removed, and the search begins again.
//
// A path is found level by level; levels are kept in files, and from its end the path is traced back through them, by
// expanding their nodes again.
template <CycleGraph Graph>
class DiskLoop {
 public:
  using Node = typename Graph::Node;
  static constexpr unsigned W = kWordsOf<Graph>;

  // `nodes`: the hull, of which nodes are removed.
  DiskLoop(Graph& graph, DiskNodes<W>& nodes, FileSystem& files, ShouldStop should_stop)
      : graph_(graph), nodes_(nodes), files_(files), should_stop_(std::move(should_stop)) {}

  // None: the search was stopped.
  [[nodiscard]] Result<std::optional<KeyLoop<W>>> find() {
    const bool more = walk();
    if (!status_.ok()) return Error{status_.error()};
    if (!nodes_.status().ok()) return Error{nodes_.status().error()};
    return more ? std::optional(std::move(loop_)) : std::nullopt;
  }

 private:
  using Path = KeyLoop<W>;
  static constexpr uint8_t kFirst = ValuedKeys<W>::kFirst;
  static constexpr uint8_t kReached = 2;

  // What the last edge of a path has to be: one with any of the marks, or, if there are none, to the target.
  struct Goal {
    uint64_t marks = 0;
    Node target{};
    [[nodiscard]] bool operator()(const MarkedEdge<W>& edge) const {
      return marks != 0 ? (edge.marks & marks) != 0 : edge.target == target;
    }
  };
  // The levels of a search: those nodes that are still to be expanded, and all, the last ones on top.
  struct Levels {
    Levels(FileSystem& files, const DiskNodesPlan& plan)
        : open(files, plan.store.directory + "/loop.open", plan.owner_bytes / 2),
          trail(files, plan.store.directory + "/loop.trail", plan.owner_bytes / 2) {}
    SpillQueue<Node> open;
    SpillStack<Node> trail;
    std::vector<uint64_t> sizes;
  };

  // The functions return false if the search is over: stopped, or the files have failed.

  // --- a node of a component to which no other one leads

  [[nodiscard]] bool find_source(Node& source) {
    const size_t most = std::max<size_t>(1, nodes_.plan().owner_bytes / 2 / sizeof(Node));
    std::vector<Node> group;  // the last one that was not empty
    std::vector<Node> next;
    nodes_.forget_values();
    size_t size = 1;
    for (uint32_t partition = 0; partition < nodes_.partitions();) {
      if (!find_unreached(partition, size, next)) return false;
      if (next.empty()) {
        ++partition;
        continue;
      }
      if (!reach_from(next)) return false;
      group.swap(next);
      size = std::min(most, kGrowth * size);
    }
    for (;;) {
      if (!nodes_.filter([&](uint8_t value) { return value == mark_; })) return false;
      mark_ = kFirst;
      CHECK(!group.empty());
      source = group.front();
      if (group.size() == 1) return true;
      const std::vector<Node> all = std::exchange(group, {});
      const size_t part = (all.size() + kParts - 1) / kParts;
      for (size_t begin = 0; begin < all.size(); begin += part) {
        if (!find_unreached(std::span(all).subspan(begin, std::min(part, all.size() - begin)), next)) return false;
        if (next.empty()) continue;
        if (!reach_from(next)) return false;
        group.swap(next);
      }
    }
  }
  [[nodiscard]] bool find_unreached(uint32_t partition, size_t most, std::vector<Node>& found) {
    found.clear();
    const bool all = nodes_.visit(partition, [&](const Node& node, uint8_t& value) {
      if (value == kFirst) found.push_back(node);
      return found.size() < most;
    });
    return all || nodes_.status().ok();
  }
  [[nodiscard]] bool find_unreached(std::span<const Node> among, std::vector<Node>& found) {
    found.clear();
    for (const Node& node : among) {
      if (!nodes_.send(node)) return false;
    }
    return nodes_.resolve_all([&](const Node& node, ptrdiff_t, uint8_t& value) {
      if (value == kFirst) found.push_back(node);
      return true;
    });
  }
  // All that the nodes reach, and that has not been reached before, gets a new mark.
  [[nodiscard]] bool reach_from(const std::vector<Node>& nodes) {
    if (mark_ == kLastMark) {
      if (!nodes_.filter([](uint8_t value) { return value == kFirst; })) return false;
      mark_ = kFirst;
    }
    ++mark_;
    for (const Node& node : nodes) {
      if (!nodes_.send(node)) return false;
    }
    return nodes_.resolve_all([&](const Node& node, ptrdiff_t, uint8_t& value) {
      if (value != kFirst) return true;
      value = mark_;
      return expand(node, [&](const MarkedEdge<W>& edge) { return nodes_.send(edge.target); });
    });
  }

  // --- the loop

  // To loop_.
  [[nodiscard]] bool walk() {
    Node source;
    if (!find_source(source)) return false;
    for (;;) {
      loop_.clear();
      uint64_t missing = all_marks(graph_.sets());
      Node at = source;
      for (;;) {
        std::optional<Path> leg;
        if (!find_path(at, {missing, source}, leg)) return false;
        if (!leg) break;
        for (const MarkedEdge<W>& edge : *leg) missing &= ~edge.marks;
        loop_.insert(loop_.end(), leg->begin(), leg->end());
        at = loop_.back().target;
        if (missing == 0 && at == source) return true;
      }
      CHECK(at != source);
      if (!nodes_.filter([](uint8_t value) { return value == kFirst; })) return false;
    }
  }

  // A shortest path within the hull; afterwards the nodes that were met have the value kReached.
  [[nodiscard]] bool find_path(const Node& from, const Goal& goal, std::optional<Path>& path) {
    Levels levels(files_, nodes_.plan());
    nodes_.forget_values();
    const auto mark = [](const Node&, ptrdiff_t, uint8_t& value) {
      value = kReached;
      return true;
    };
    if (!nodes_.send(from) || !nodes_.resolve_all(mark) || !keep(levels, from)) return false;
    levels.sizes.push_back(1);
    while (levels.sizes.back() > 0) {
      std::optional<Node> end;
      uint64_t next = 0;
      if (!expand_level(levels, goal, end, next)) return false;
      if (end) return trace(levels, next, goal, *end, path.emplace());
      levels.sizes.push_back(next);
    }
    return true;
  }
  // `end`: the target of an edge that satisfies the goal, if there is one; `next`: nodes of the next level.
  [[nodiscard]] bool expand_level(Levels& levels, const Goal& goal, std::optional<Node>& end, uint64_t& next) {
    std::set<Node> ends;  // that may or may not be in the hull
    const auto reached = [&](const Node& node, ptrdiff_t, uint8_t& value) {
      if (ends.count(node) > 0) end = node;
      if (value == kReached) return true;
      value = kReached;
      ++next;
      return keep(levels, node);
    };
    for (uint64_t left = levels.sizes.back(); left > 0 && !end; --left) {
      Node node;
      const Result<bool> popped = levels.open.pop(node);
      if (!check(popped)) return false;
      CHECK(popped.value());
      const bool expanded = expand(node, [&](const MarkedEdge<W>& edge) {
        if (goal(edge)) ends.insert(edge.target);
        return nodes_.send(edge.target);
      });
      if (!expanded) return false;
      if (ends.size() < kMostEnds) continue;
      if (!nodes_.resolve_all(reached)) return false;
      ends.clear();
    }
    return nodes_.resolve_all(reached);
  }
  // From the end of a path back to its begin. `above`: nodes of the next level that are on top of the last one.
  [[nodiscard]] bool trace(Levels& levels, uint64_t above, const Goal& goal, Node end, Path& path) {
    const auto pop = [&](Node& node) {
      const Result<bool> popped = levels.trail.pop(node);
      if (!check(popped)) return false;
      CHECK(popped.value());
      return true;
    };
    Node node;
    for (; above > 0; --above) {
      if (!pop(node)) return false;
    }
    for (; !levels.sizes.empty(); levels.sizes.pop_back()) {
      std::optional<Node> before;
      for (uint64_t left = levels.sizes.back(); left > 0; --left) {
        if (!pop(node)) return false;
        if (before) continue;
        const bool expanded = expand(node, [&](const MarkedEdge<W>& edge) {
          if (before || edge.target != end || !(path.empty() ? goal(edge) : true)) return true;
          before = node;
          path.push_back(edge);
          return true;
        });
        if (!expanded) return false;
      }
      CHECK(before);
      end = *before;
    }
    std::ranges::reverse(path);
    return true;
  }

  [[nodiscard]] bool keep(Levels& levels, const Node& node) {
    return check(levels.open.push(node)) && check(levels.trail.push(node));
  }
  // each(edge) for each edge of a node.
  template <class Each>
  [[nodiscard]] bool expand(const Node& node, Each&& each) {
    bool more = true;
    const bool expanded = graph_.expand(node, [&](const Node& target, uint64_t marks) {
      more = more && each(MarkedEdge<W>{target, marks});
    });
    const bool asks = ++expansions_ % kExpansionsPerQuestion == 0;
    return expanded && more && !(asks && should_stop_(nodes_.memory_bytes() + nodes_.plan().owner_bytes));
  }
  template <class T>
  [[nodiscard]] bool check(const Result<T>& result) {
    if (!result.ok() && status_.ok()) status_ = Error{result.error()};
    return result.ok();
  }

  static constexpr uint8_t kLastMark = 255;
  static constexpr size_t kGrowth = 4;  // of groups
  static constexpr size_t kParts = 16;
  static constexpr uint64_t kExpansionsPerQuestion = 4096;
  static constexpr size_t kMostEnds = 1024;

  Graph& graph_;
  DiskNodes<W>& nodes_;
  FileSystem& files_;
  const ShouldStop should_stop_;
  uint8_t mark_ = kFirst;  // of what the last group has reached
  Path loop_;
  uint64_t expansions_ = 0;
  Status status_ = Success{};
};

}  // namespace cmc
