#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "storage/options/store_options.h"

// What tests of stores share.

namespace cmc {

constexpr PageCodec kCodecs[] = {PageCodec::kKeys, PageCodec::kRaw, PageCodec::kZlib, PageCodec::kSha1,
                                 PageCodec::kDiff};

// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014: its mixing of 64 bits.
inline uint64_t mixed(uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 30) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

inline uint64_t low_bits(uint64_t x, unsigned bits) { return bits == 0 ? 0 : x & (~uint64_t{0} >> (64 - bits)); }

inline ByteView view(const std::string& text) { return std::as_bytes(std::span(text)); }
inline std::string text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace cmc
