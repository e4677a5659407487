#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/result/state_sequence.h"
#include "checker/search/cycles/lasso.h"
#include "checker/search/engine/context.h"

namespace cmc {

// Runs `report`, which makes the path of a cycle that was found, and reports it. If a CHECK fails there, the search
// ends without the cycle, and a reason says why.
void report_found_cycle(SearchControl& control, const std::function<void()>& report);

// Reports states as an error with its path: each is a successor of the one before, the last one is state `loop`
// again. Bit pid of served[i]: in the step from state loop + i this process takes part, or it cannot move there; 0:
// it does not matter which of several steps to the same state it is.
void report_lasso(SearchContext& context, SuccessorGenerator& product, const StateSequence& states, size_t loop,
                  std::span<const uint64_t> served);

template <unsigned W>
void report_lasso(SearchContext& context, SuccessorGenerator& product, const KeyLasso<W>& lasso) {
  const auto state_of = [&](size_t i, Bytes& state) { context.space->unpack(lasso.run[i].target.data(), state); };
  std::vector<uint64_t> served;
  for (size_t i = lasso.loop + 1; i < lasso.run.size(); ++i) served.push_back(lasso.run[i].marks >> 1);
  report_lasso(context, product, {lasso.run.size(), state_of}, lasso.loop, served);
}

}  // namespace cmc
