#include "checker/keys/claim_regions.h"

#include <algorithm>

namespace cmc {

namespace {

// Tarjan, "Depth-first search and linear graph algorithms", 1972. Claims have few locations: it recurs.
class ComponentsOfClaim {
 public:
  explicit ComponentsOfClaim(const Proctype& claim) : claim_(claim), nodes_(claim.locations.size()) {
    for (uint32_t location = 1; location < nodes_.size(); ++location) {
      if (nodes_[location].number == 0) visit(location);
    }
  }

  struct Node {
    uint32_t number = 0;  // in depth-first order, from 1
    uint32_t low = 0;
    uint32_t component = 0;  // from 1; 0: on the stack
  };
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] uint32_t count() const { return components_; }

 private:
  void visit(uint32_t location) {
    Node& node = nodes_[location];
    node.number = node.low = ++visited_;
    stack_.push_back(location);
    for (const Edge& edge : claim_.locations[location].edges) {
      if (edge.target == 0) continue;
      const Node& target = nodes_[edge.target];
      if (target.number == 0) visit(edge.target);
      if (target.component == 0) node.low = std::min(node.low, target.low);
    }
    if (node.low < node.number) return;
    ++components_;
    for (uint32_t member = 0; member != location;) {
      member = stack_.back();
      stack_.pop_back();
      nodes_[member].component = components_;
    }
  }

  const Proctype& claim_;
  std::vector<Node> nodes_;  // by location
  std::vector<uint32_t> stack_;
  uint32_t visited_ = 0;
  uint32_t components_ = 0;
};

}  // namespace

ClaimRegions::ClaimRegions(const Model& model) {
  const Proctype& claim = model.claims[model.claim.claim];
  const ComponentsOfClaim components(claim);
  struct Contents {
    bool has_cycle = false;
    bool accepts = false;
    bool always_accepts = true;
  };
  const bool processes_accept = std::ranges::any_of(model.proctypes, [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, [](const Location& each) { return each.accepting; });
  });
  std::vector<Contents> contents(components.count() + 1);
  for (uint32_t location = 0; location < claim.locations.size(); ++location) {
    const uint32_t component = components.nodes()[location].component;
    component_.push_back(component);
    Contents& its = contents[component];
    its.accepts |= claim.locations[location].accepting || processes_accept;
    its.always_accepts &= claim.locations[location].accepting;
    for (const Edge& edge : claim.locations[location].edges) {
      its.has_cycle |= edge.target > 0 && components.nodes()[edge.target].component == component;
    }
  }
  for (const Contents& each : contents) {
    strength_.push_back(!each.has_cycle || !each.accepts ? Strength::kNone
                        : each.always_accepts            ? Strength::kWeak
                                                         : Strength::kStrong);
  }
}

bool ClaimRegions::some_may_accept() const {
  return std::ranges::any_of(strength_, [](Strength each) { return each != Strength::kNone; });
}

}  // namespace cmc
