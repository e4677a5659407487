#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace cmc {

// XXH3, 64 bits, unseeded: the same value in every run.
[[nodiscard]] uint64_t hash_bytes(ByteView bytes);

}  // namespace cmc
