#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "checker/keyspace/key_space.h"
#include "checker/ranks/changed_fields.h"
#include "storage/pages/key_partitions.h"

namespace cmc {

// A hash of a state that every rank knows, whatever the numbers that it has given to contents: the xor over the
// components of hashes of their contents (Zobrist, "A new hashing method with application for game playing", 1970).
// Those of the initial state, and of components that a state does not have, are 0 (number 0). What a step changes is
// all that has to be looked at. One per worker.
class ContentHashes {
 public:
  explicit ContentHashes(const KeySpace& space) : space_(space) {}

  // The hash of `after`, from that of `before`.
  template <unsigned W>
  [[nodiscard]] uint64_t along(uint64_t hash_before, const Key<W>& before, const Key<W>& after) {
    uint64_t hash = hash_before;
    for_each_changed_field(space_.layout(), before, after, [&](ComponentId component, const Layout::Field& field) {
      hash ^= of(component, field.get(before.data())) ^ of(component, field.get(after.data()));
    });
    return hash;
  }
  template <unsigned W>
  [[nodiscard]] uint64_t of_key(const Key<W>& key) {
    return along(0, Key<W>(), key);
  }

 private:
  [[nodiscard]] uint64_t of(ComponentId component, uint32_t number) {
    if (component >= known_.size()) known_.resize(size_t{component} + 1);
    std::vector<uint64_t>& known = known_[component];
    if (number >= known.size()) [[unlikely]]
      learn(component, known);
    return known[number];
  }
  [[gnu::noinline]] void learn(ComponentId component, std::vector<uint64_t>& known) {
    const uint32_t contents = space_.contents(component);
    if (known.empty()) known.push_back(0);
    while (known.size() < contents) {
      const ByteView content = space_.numbered(component, static_cast<uint32_t>(known.size()));
      known.push_back(KeyPartitions::mix(hash_bytes(content) + 0x9e3779b97f4a7c15ULL * (component + uint64_t{1})));
    }
  }

  const KeySpace& space_;
  std::vector<std::vector<uint64_t>> known_;  // by component and number
};

}  // namespace cmc
