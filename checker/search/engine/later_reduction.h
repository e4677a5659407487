#pragma once

#include <cstdint>
#include <span>

#include "checker/keys/key_generator.h"
#include "checker/search/engine/context.h"
#include "storage/sets/key_set.h"

namespace cmc {

// At how many of the states that a search without partial-order reduction has found it looks
// (SearchContext::own_reduction).
[[nodiscard]] uint64_t looked_at_of(uint64_t states);

// Whether partial-order reduction leaves out much in these states, keys of W words each. Their steps are computed
// once more, with a memo of their own, as long as all looks compute few in relation to `computed`, those of the
// search. REQUIRES: nobody else uses the first generator.
template <unsigned W>
[[nodiscard]] bool reduction_pays_in(SearchContext& context, std::span<const uint64_t> keys, uint64_t computed);

// The same at some of the keys in the set of a search. Says when the next look is.
template <unsigned W>
[[nodiscard]] bool reduction_pays_among(SearchContext& context, const KeySet<W>& set, uint64_t computed) {
  const uint64_t states = set.size();
  context.considered_at = 2 * states;
  return reduction_pays_in<W>(context, set.sample(looked_at_of(states)), computed);
}

// Whether a search that turned to it has left out steps in so few states that it goes on without. Two or three states
// near the initial one say that it pays where it does not (readers_writers: 15 of 734,725).
[[nodiscard]] bool reduction_has_failed(const ReductionFigures& figures);

}  // namespace cmc
