#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

namespace cmc {

uint64_t hash_bytes(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint32_t crc32(ByteView bytes, uint32_t before) {
  if (bytes.empty()) return before;  // for zlib a null pointer means the beginning
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace cmc
