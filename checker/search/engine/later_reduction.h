#pragma once

#include <cstdint>
#include <span>

#include "checker/keys/key_generator.h"
#include "checker/search/engine/context.h"
#include "checker/search/engine/crew.h"

namespace cmc {

// At how many of the states that a search without partial-order reduction has found it looks
// (SearchContext::own_reduction).
[[nodiscard]] uint64_t looked_at_of(uint64_t states);

// Whether partial-order reduction leaves out much in these states, keys of W words each. Their steps are computed
// once more, with a memo of their own, as long as all looks compute few in relation to `computed`, those of the
// search. REQUIRES: nobody else uses the first generator.
template <unsigned W>
[[nodiscard]] bool reduction_pays_in(SearchContext& context, std::span<const uint64_t> keys, uint64_t computed);

// The same of a search that has found so many states, at some of them. Says when the next look is.
template <unsigned W>
[[nodiscard]] bool reduction_pays_among(SearchContext& context, uint64_t states, std::span<const uint64_t> keys,
                                        uint64_t computed) {
  context.considered_at = 2 * states;
  return reduction_pays_in<W>(context, keys, computed);
}

// Whether a search that turned to it has left out steps in so few states that it goes on without. Two or three states
// near the initial one say that it pays where it does not (readers_writers: 15 of 734,725).
[[nodiscard]] bool reduction_has_failed(const ReductionFigures& figures);

// A worker at a boundary, to which these figures belong. Halts the search if it is to begin again with partial-order
// reduction, or without:
//
//   states()   found so far
//   sample()   the words of about looked_at_of(states()) of their keys
//
// `computed`: as above, by this worker.
template <unsigned W, class States, class Sample>
void consider_reduction(SearchContext& context, Crew& crew, const ReductionFigures& figures, uint64_t computed,
                        States&& states, Sample&& sample) {
  if (states() < context.considered_at) return;
  if (context.own_reduction == SearchContext::OwnReduction::kOnTrial) {
    if (reduction_has_failed(figures)) crew.halt(End::kReduce);
    return;
  }
  if (context.considered == nullptr) return;
  bool pays = false;
  const auto look = [&] {
    if (crew.halted() || states() < context.considered_at) return false;  // another worker was faster
    pays = reduction_pays_among<W>(context, states(), sample(), computed * context.workers);
    return false;
  };
  crew.gate().pause(Gate::Where::kBoundary, look, [] {});
  if (pays) crew.halt(End::kReduce);
}

}  // namespace cmc
