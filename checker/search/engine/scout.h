#pragma once

#include <cstdint>

#include "checker/search/engine/context.h"

namespace cmc {

// Before a re-layout: goes on for a while from the state of `key`, which needs it, without keys and keeping nothing,
// so that what the search meets next has its numbers already. Where a search comes into a new part of its states,
// several components get new contents one after the other, and each would cost a re-layout of all `states` that were
// found. The time for it is a small part of that of one.
void scout(SearchContext& context, const uint64_t* key, uint64_t states);

}  // namespace cmc
