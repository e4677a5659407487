#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "storage/pages/page.h"

// A state vector as its differences from another one, which the reader has (FORMAT.md, codec diff). CMC of 2006
// proposed that beside DEFLATE: "all subsequent states on the page may be stored by diff strings only".

namespace cmc {

// Equal bytes that are written with the others: fewer would take no more room as a run of their own.
inline constexpr size_t kLeastEqualRun = 3;

// The first byte from `at` on in which they differ, as far as both go.
[[nodiscard]] inline size_t end_of_equal(ByteView left, ByteView right, size_t at) {
  const size_t end = std::min(left.size(), right.size());
  while (at < end && left[at] == right[at]) ++at;
  return at;
}

// Appends it: its length, then by turns how many bytes are as in `before`, how many are not, and these.
inline void put_difference(Bytes& to, ByteView vector, ByteView before) {
  put_varint(to, vector.size());
  for (size_t at = 0; at < vector.size();) {
    const size_t changed = end_of_equal(vector, before, at);
    put_varint(to, changed - at);
    size_t end = changed;
    for (size_t next = changed; next < vector.size();) {
      end = ++next;  // behind a byte that differs
      next = end_of_equal(vector, before, next);
      if (next - end >= kLeastEqualRun || next == vector.size()) break;
    }
    put_varint(to, end - changed);
    to.insert(to.end(), vector.begin() + static_cast<ptrdiff_t>(changed),
              vector.begin() + static_cast<ptrdiff_t>(end));
    at = end == changed ? vector.size() : end;
  }
}

// Makes `vector`, which is the one before, the next one; returns the end of what was read, null: there is none. No
// vector is longer than the one before and the bytes that were read, so any bytes are safe.
[[nodiscard]] inline const std::byte* get_difference(const std::byte* from, const std::byte* end, Bytes& vector) {
  uint64_t size = 0;
  from = get_varint(from, end, size);
  if (from == nullptr || size > vector.size() + static_cast<size_t>(end - from)) return nullptr;
  const size_t known = std::min<size_t>(vector.size(), size);
  vector.resize(size);
  for (size_t at = 0; at < size;) {
    uint64_t equal = 0;
    uint64_t changed = 0;
    from = get_varint(from, end, equal);
    if (from != nullptr) from = get_varint(from, end, changed);
    if (from == nullptr || equal > known - std::min(known, at)) return nullptr;
    at += equal;
    if (changed > size - at || changed > static_cast<size_t>(end - from) || equal + changed == 0) return nullptr;
    std::copy_n(from, changed, vector.begin() + static_cast<ptrdiff_t>(at));
    from += changed;
    at += changed;
  }
  return from;
}

}  // namespace cmc
