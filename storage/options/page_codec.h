#pragma once

#include <cstdint>

namespace cmc {

// How states are written on pages (FORMAT.md).
enum class PageCodec : uint8_t {
  kKeys,  // keys, sorted, their differences: about 3 bytes a state
  kRaw,   // state vectors
  kZlib,  // state vectors, zlib
  kSha1,  // the first `sha1_bits` bits of the state vector's SHA-1: may confuse states
  kDiff,  // state vectors, each as the bytes that are not as in the one before
};

}  // namespace cmc
