#include "checker/automata/cube.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace cmc::automata {

namespace {

constexpr size_t kMostMinimized = 512;

// Cubes that another one contains.
void drop_contained(std::vector<Cube>& cubes) {
  std::vector<Cube> kept;
  for (const Cube cube : cubes) {
    if (std::ranges::any_of(kept, [&](Cube other) { return other.contains(cube); })) continue;
    std::erase_if(kept, [&](Cube other) { return cube.contains(other); });
    kept.push_back(cube);
  }
  cubes = std::move(kept);
}

}  // namespace

bool covered(Cube cube, std::span<const Cube> others) {
  std::vector<Cube> overlapping;
  for (const Cube other : others) {
    if (other.contains(cube)) return true;
    if (!(cube & other).empty()) overlapping.push_back(other);
  }
  if (overlapping.empty()) return false;
  const Cube first = overlapping[0];
  const uint32_t atoms = (first.positive & ~cube.positive) | (first.negative & ~cube.negative);
  const uint32_t atom = std::bit_floor(atoms);
  return covered(cube & Cube{atom, 0}, overlapping) && covered(cube & Cube{0, atom}, overlapping);
}

void minimize(std::vector<Cube>& cubes) {
  drop_contained(cubes);
  if (cubes.size() > kMostMinimized) return;
  const std::vector<Cube> all = cubes;
  for (Cube& cube : cubes) {
    for (uint32_t rest = cube.positive | cube.negative; rest != 0; rest &= rest - 1) {
      const uint32_t atom = rest & -rest;
      const Cube larger = {cube.positive & ~atom, cube.negative & ~atom};
      if (covered(larger, all)) cube = larger;
    }
  }
  std::sort(cubes.begin(), cubes.end());
  cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
  for (size_t i = cubes.size(); i-- > 0;) {
    std::vector<Cube> others = cubes;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    if (covered(cubes[i], others)) cubes = std::move(others);
  }
}

}  // namespace cmc::automata
