#include "checker/keys/claim_regions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/components.h"

namespace cmc {

ClaimRegions::ClaimRegions(const Model& model) {
  const Proctype& claim = model.claims[model.claim.claim];
  const auto locations = static_cast<uint32_t>(claim.locations.size());
  StrongComponents components = strong_components(locations, [&](uint32_t location, uint32_t i) {
    const std::vector<Edge>& edges = claim.locations[location].edges;
    return i < edges.size() ? std::optional<uint32_t>(edges[i].target) : std::nullopt;
  });
  component_ = std::move(components.of);
  struct Contents {
    bool has_cycle = false;
    bool accepts = false;
    bool always_accepts = true;
  };
  const bool processes_accept = std::ranges::any_of(model.proctypes, [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, [](const Location& each) { return each.accepting; });
  });
  std::vector<Contents> contents(components.count);
  for (uint32_t location = 0; location < locations; ++location) {
    Contents& its = contents[component_[location]];
    its.accepts |= claim.locations[location].accepting || processes_accept;
    its.always_accepts &= claim.locations[location].accepting;
    for (const Edge& edge : claim.locations[location].edges) {
      its.has_cycle |= component_[edge.target] == component_[location];
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
