#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "checker/result/control.h"
#include "checker/search/engine/context.h"

namespace cmc {

// The steps from the initial state along the successors with these numbers. The context's space has the initial state
// only, at first. Error: there are no such successors.
[[nodiscard]] Result<PathToState> follow_path(SearchContext& context, std::span<const uint64_t> indices);

}  // namespace cmc
