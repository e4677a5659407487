#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc::automata {

// What must be found in the product of a model and a claim, by the component of the claim's location (Renault,
// Duret-Lutz, Kordon, Poitrenaud, Strength-based decomposition of the property Büchi automaton, 2013).
enum class Strength : uint8_t {
  kNone,      // no accepting run stays in the component
  kStrong,    // a cycle that passes an accepting location
  kWeak,      // any cycle: each one in the component passes an accepting location
  kTerminal,  // nothing more: weak, and each location has a move for each letter to a location of the component
};

// By LocationId of the claim. If processes have accept labels, every location on a cycle can be part of an accepting
// one. A location that is passed inside an atomic sequence is not counted on to accept.
[[nodiscard]] std::vector<Strength> strengths(const Model& model, const Proctype& claim);

}  // namespace cmc::automata
