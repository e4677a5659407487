#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cmc {

// The values from low to high; low > high: none.
struct IntRange {
  int32_t low = 0;
  int32_t high = 0;
  friend bool operator==(const IntRange&, const IntRange&) = default;
};

using IntTuple = std::vector<int32_t>;  // one value of each of several ranges

// The number of tuples; UINT64_MAX if there are more. Without ranges there is one (the empty tuple).
[[nodiscard]] uint64_t tuple_count(std::span<const IntRange> ranges);

// The tuple of the smallest values. REQUIRES: no range is empty.
[[nodiscard]] IntTuple first_tuple(std::span<const IntRange> ranges);
// The next tuple in lexicographic order. False: it was the last.
[[nodiscard]] bool next_tuple(IntTuple& tuple, std::span<const IntRange> ranges);

}  // namespace cmc
