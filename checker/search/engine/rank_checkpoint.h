#pragma once

#include <functional>

#include "checker/checkpoint/checkpoints.h"
#include "checker/search/engine/context.h"

namespace cmc {

// write_checkpoint() among ranks, which each of them calls when all stand still, or have nothing left: each writes
// its part, and rank 0 commits the whole.
void write_checkpoint_among_ranks(SearchContext& context, const Layout& layout, uint64_t states, bool is_last,
                                  const std::function<void(CheckpointWriter&)>& save);

// Of a search that goes on, when each rank has read its part: whether `states` of all ranks, together, are those of
// the checkpoint. Every rank calls it.
[[nodiscard]] Status check_loaded_states(SearchContext& context, const Status& loaded, uint64_t states,
                                         uint64_t expected);

}  // namespace cmc
