#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace cmc {

// XXH3, 64 bits, unseeded: the same value in every run.
[[nodiscard]] uint64_t hash_bytes(ByteView bytes);

// CRC-32 (polynomial 0xEDB88320, as in zlib and Ethernet); `before` is that of what stands in front.
[[nodiscard]] uint32_t crc32(ByteView bytes, uint32_t before = 0);

}  // namespace cmc
