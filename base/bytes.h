#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

// Little-endian loads and stores at any alignment; the encoding of state vectors.

namespace cmc {

static_assert(std::endian::native == std::endian::little,
              "the state vector encoding relies on a little-endian machine");

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

template <class T>
[[nodiscard]] inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
inline void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace cmc
