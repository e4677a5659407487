#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace cmc {

// How states are written on pages (FORMAT.md).
enum class PageCodec : uint8_t {
  kKeys,  // keys, sorted, their differences: about 3 bytes a state
  kRaw,   // state vectors
  kZlib,  // state vectors, zlib
  kSha1,  // the first `sha1_bits` bits of the state vector's SHA-1: may confuse states
  kDiff,  // state vectors, each as the bytes that are not as in the one before
};
// As on a command line.
inline constexpr EnumName<PageCodec> kPageCodecNames[] = {{"keys", PageCodec::kKeys},
                                                          {"raw", PageCodec::kRaw},
                                                          {"zlib", PageCodec::kZlib},
                                                          {"diff", PageCodec::kDiff},
                                                          {"sha1:BITS", PageCodec::kSha1}};

}  // namespace cmc
