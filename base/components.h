#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cmc {

inline constexpr uint32_t kNoComponent = 0xffffffff;

// The strongly connected components of a graph, numbered from 0. Each edge leads to a component of the same or of a
// smaller number.
struct StrongComponents {
  std::vector<uint32_t> of;  // by node; kNoComponent: it was not found, or its component is not complete
  uint32_t count = 0;
};

// Finds strongly connected components of a directed graph with the nodes 0 to nodes - 1 (Tarjan, "Depth-first search
// and linear graph algorithms", 1972), without recursion: a component is complete when the search goes back from the
// node of it that was found first, because no node of it reaches one that was found earlier and is in no component.
//
// successor(node, i): std::optional<uint32_t>, the node that edge number i of `node` leads to; none: it has only i
// edges. What is no number of a node is passed over.
//
// O(nodes + edges): each edge is asked for once. A node takes 8 bytes, 4 of which are those of `found`, and up to 16
// more while it is on the way that is searched. Threads cannot share it.
template <class Successor>
class ComponentSearch {
 public:
  // REQUIRES: `successor` and `found` live as long as the search.
  ComponentSearch(uint32_t nodes, const Successor& successor, StrongComponents& found)
      : successor_(successor), found_(found), number_(nodes) {
    found_ = {std::vector<uint32_t>(nodes, kNoComponent), 0};
    open_.reserve(nodes);  // so that they hold nothing twice while they grow
    path_.reserve(nodes);
  }

  // Finds the components of the nodes that `root` reaches, but those that were found before. visit(members) is called
  // for each one when it is complete, with the nodes in the order in which they were found: a span that is valid
  // meanwhile. False ends the search for good. Whether it came to its end.
  template <class Visit>
  bool search(uint32_t root, const Visit& visit) {
    if (number_[root] != 0) return true;
    enter(root);
    while (!path_.empty()) {
      Place& place = path_.back();
      if (const std::optional<uint32_t> target = successor_(place.node, place.next_edge)) {
        ++place.next_edge;
        if (*target >= number_.size()) continue;
        if (number_[*target] == 0) {
          enter(*target);
        } else if (found_.of[*target] == kNoComponent) {
          place.lowest = std::min(place.lowest, number_[*target]);
        }
        continue;
      }
      const Place left = place;
      path_.pop_back();
      if (left.lowest < number_[left.node]) {
        path_.back().lowest = std::min(path_.back().lowest, left.lowest);
      } else if (!close(left.node, visit)) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Place {  // a node on the way that is searched
    uint32_t node = 0;
    uint32_t next_edge = 0;
    uint32_t lowest = 0;  // the smallest number of an open node that it is known to reach
  };

  void enter(uint32_t node) {
    number_[node] = ++entered_;
    open_.push_back(node);
    path_.push_back({node, 0, entered_});
  }
  template <class Visit>
  bool close(uint32_t root, const Visit& visit) {
    size_t first = open_.size();
    do {
      found_.of[open_[--first]] = found_.count;
    } while (open_[first] != root);
    ++found_.count;
    const bool goes_on = visit(std::span<const uint32_t>(open_).subspan(first));
    open_.resize(first);
    return goes_on;
  }

  const Successor& successor_;
  StrongComponents& found_;
  std::vector<uint32_t> number_;  // by node, in the order in which they were found, from 1; 0: not yet
  std::vector<uint32_t> open_;    // nodes that were found and are in no component, in that order
  std::vector<Place> path_;
  uint32_t entered_ = 0;
};

// All components, searched from node 0, then from the first one that was not reached, and so on.
template <class Successor>
[[nodiscard]] StrongComponents strong_components(uint32_t nodes, const Successor& successor) {
  StrongComponents found;
  ComponentSearch search(nodes, successor, found);
  for (uint32_t root = 0; root < nodes; ++root) search.search(root, [](std::span<const uint32_t>) { return true; });
  return found;
}

}  // namespace cmc
