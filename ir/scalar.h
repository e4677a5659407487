#pragma once

#include "base/bytes.h"
#include "ir/expression.h"

// Scalars in the state vector.

namespace cmc {

// The value that a variable of this type has after `value` was assigned to it.
[[nodiscard]] inline int32_t truncate(const ScalarType& type, int32_t value) {
  if (type.bits >= 32) return value;
  const uint32_t mask = (uint32_t{1} << type.bits) - 1;
  const uint32_t low = static_cast<uint32_t>(value) & mask;
  if (!type.is_signed()) return static_cast<int32_t>(low);
  const uint32_t sign = uint32_t{1} << (type.bits - 1);
  return static_cast<int32_t>((low ^ sign) - sign);
}

// Whether an assignment keeps the value.
[[nodiscard]] inline bool fits(const ScalarType& type, int32_t value) { return truncate(type, value) == value; }

[[nodiscard]] inline int32_t load_scalar(const ScalarType& type, const std::byte* from) {
  switch (type.bytes) {
    case 1: return truncate(type, load<uint8_t>(from));
    case 2: return truncate(type, load<uint16_t>(from));
    default: return truncate(type, load<int32_t>(from));
  }
}

// Truncates and stores.
inline void store_scalar(const ScalarType& type, std::byte* to, int32_t value) {
  const uint32_t bits = static_cast<uint32_t>(truncate(type, value));
  switch (type.bytes) {
    case 1: store(to, static_cast<uint8_t>(bits)); break;
    case 2: store(to, static_cast<uint16_t>(bits)); break;
    default: store(to, bits); break;
  }
}

}  // namespace cmc
