#pragma once

#include <cstdint>

#include "base/enum_names.h"

namespace cmc {

// Which of the counterexamples is shown that are as short as possible.
enum class TrailOrder : uint8_t {
  kFirst,     // the first one in lexicographic order
  kSwitches,  // one with the fewest switches between processes
};
inline constexpr EnumName<TrailOrder> kTrailOrderNames[] = {{"first", TrailOrder::kFirst},
                                                            {"switches", TrailOrder::kSwitches}};

}  // namespace cmc
