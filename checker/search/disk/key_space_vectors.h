#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "checker/keyspace/key_space.h"
#include "storage/pages/state_hash.h"

namespace cmc {

// The state vectors that belong to keys of the current layout.
class KeySpaceVectors final : public StateVectors {
 public:
  explicit KeySpaceVectors(const KeySpace& space) : space_(space) {}
  void unpack(const uint64_t* words, Bytes& state) const override { space_.unpack(words, state); }
  [[nodiscard]] uint64_t state_bytes(const uint64_t* words) const override { return space_.state_bytes(words); }

 private:
  const KeySpace& space_;
};

}  // namespace cmc
