#pragma once

#include <functional>

#include "checker/result/result.h"
#include "checker/search/engine/context.h"

namespace cmc {

// What follows the search of one rank, `own` being its result. Of rank 0: the result of all, with their errors and
// the paths to these, which are asked for rank by rank and followed here; `begin_anew` makes a new space of the
// context, with the initial state. Of the others: an empty one, when rank 0 has all that it needs.
[[nodiscard]] SearchResult finish_among_ranks(SearchContext& context, SearchResult own,
                                              const std::function<void()>& begin_anew);

}  // namespace cmc
