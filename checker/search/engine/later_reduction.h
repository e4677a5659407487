#pragma once

#include <cstdint>
#include <span>

#include "checker/search/engine/context.h"

namespace cmc {

// At how many of the states that a search without partial-order reduction has found it looks
// (SearchContext::considered).
[[nodiscard]] uint64_t looked_at_of(uint64_t states);

// Whether partial-order reduction leaves out much in these states, keys of W words each. Their steps are computed
// once more, with a memo of their own: 5 us a state. REQUIRES: nobody else uses the first generator.
template <unsigned W>
[[nodiscard]] bool reduction_pays_in(SearchContext& context, std::span<const uint64_t> keys);

}  // namespace cmc
