#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace cmc::automata {

// A conjunction of literals: the set of the letters (sets of true atoms) in which the positive atoms are true and the
// negative ones are not. Bit i is atom i.
struct Cube {
  uint32_t positive = 0;
  uint32_t negative = 0;

  [[nodiscard]] bool empty() const { return (positive & negative) != 0; }  // it has no letter
  [[nodiscard]] bool contains(uint32_t letter) const { return (positive & ~letter) == 0 && (negative & letter) == 0; }
  [[nodiscard]] bool contains(Cube other) const {
    return (positive & ~other.positive) == 0 && (negative & ~other.negative) == 0;
  }
  friend Cube operator&(Cube a, Cube b) { return {a.positive | b.positive, a.negative | b.negative}; }
  friend auto operator<=>(const Cube&, const Cube&) = default;
};

// Whether each letter of the cube is in one of the others.
[[nodiscard]] bool covered(Cube cube, std::span<const Cube> others);

// The same letters by few cubes. Of up to 512 cubes that contain no other: by cubes that are as large as possible and
// all needed; ascending.
void minimize(std::vector<Cube>& cubes);

}  // namespace cmc::automata
