#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/keyspace/layout.h"
#include "storage/sets/key_groups.h"

namespace cmc {

// Components whose contents depend on each other, so that a set of keys numbers the values of all of them together
// (storage/sets/condenser.h).
struct ContentGroups {
  std::vector<std::vector<ComponentId>> components;
  std::vector<uint32_t> values;  // by group: how many get numbers

  // Those that a random sample of keys shows, `words` words each, one behind the other.
  [[nodiscard]] static ContentGroups find(const Layout& layout, std::span<const uint64_t> sample);

  // The same as bits of keys. Groups whose fields are not together any more are left out; all other bits are in
  // groups without numbers.
  [[nodiscard]] std::vector<KeyGroup> bits(const Layout& layout) const;
};

}  // namespace cmc
