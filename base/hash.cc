#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cmc {

uint64_t hash_bytes(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace cmc
