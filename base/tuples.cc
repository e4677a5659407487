#include "base/tuples.h"

#include <algorithm>

namespace cmc {

uint64_t tuple_count(std::span<const IntRange> ranges) {
  if (std::ranges::any_of(ranges, [](const IntRange& range) { return range.low > range.high; })) return 0;
  uint64_t count = 1;
  for (const IntRange& range : ranges) {
    const auto values = static_cast<uint64_t>(int64_t{range.high} - int64_t{range.low} + 1);
    if (__builtin_mul_overflow(count, values, &count)) return UINT64_MAX;
  }
  return count;
}

IntTuple first_tuple(std::span<const IntRange> ranges) {
  IntTuple tuple;
  for (const IntRange& range : ranges) tuple.push_back(range.low);
  return tuple;
}

bool next_tuple(IntTuple& tuple, std::span<const IntRange> ranges) {
  for (size_t i = tuple.size(); i-- > 0;) {
    if (tuple[i] < ranges[i].high) {
      ++tuple[i];
      return true;
    }
    tuple[i] = ranges[i].low;
  }
  return false;
}

}  // namespace cmc
