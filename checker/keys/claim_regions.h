#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc {

// Where in a product accepting cycles can lie: a cycle stays in one strongly connected component of the claim's graph
// (Renault, Duret-Lutz, Kordon, Poitrenaud, "Strength-based decomposition of the property Büchi automaton", 2013).
class ClaimRegions {
 public:
  // REQUIRES: a claim runs (Model::claim).
  explicit ClaimRegions(const Model& model);

  // Number of the component that the location is in.
  [[nodiscard]] uint32_t component(LocationId location) const { return component_[location]; }
  // Some cycle of the component may be accepting.
  [[nodiscard]] bool may_accept(LocationId location) const { return strength(location) != Strength::kNone; }
  // Some are and others may not be: a cycle has to be searched for from each accepting node.
  [[nodiscard]] bool is_strong(LocationId location) const { return strength(location) == Strength::kStrong; }
  [[nodiscard]] bool some_may_accept() const;

 private:
  enum class Strength : uint8_t {
    kNone,
    kWeak,  // all locations are accepting: every cycle is
    kStrong,
  };
  [[nodiscard]] Strength strength(LocationId location) const { return strength_[component_[location]]; }

  std::vector<uint32_t> component_;  // by location
  std::vector<Strength> strength_;   // by component
};

}  // namespace cmc
