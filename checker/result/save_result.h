#pragma once

#include <cstdint>

#include "checker/checkpoint/stream.h"
#include "checker/result/result.h"

// The result of one rank of a search, on its way to rank 0. Both are the same build of CMC.

namespace cmc {

// Of the keys of all ranks: what is the sum of theirs.
inline constexpr uint64_t KeyFigures::*kSummedKeyFigures[] = {
    &KeyFigures::memo_lookups,   &KeyFigures::memo_misses,     &KeyFigures::reducible_states,
    &KeyFigures::reduced_states, &KeyFigures::left_out_steps,  &KeyFigures::carried_steps,
    &KeyFigures::asleep_steps,   &KeyFigures::memo_clears,     &KeyFigures::memo_bytes,
    &KeyFigures::set_bytes,      &KeyFigures::component_bytes, &KeyFigures::open_bytes};
inline constexpr uint64_t RankFigures::*kRankFigures[] = {&RankFigures::states,
                                                          &RankFigures::transitions,
                                                          &RankFigures::candidates_sent,
                                                          &RankFigures::candidates_twice,
                                                          &RankFigures::batches_sent,
                                                          &RankFigures::bytes_sent,
                                                          &RankFigures::content_bytes_sent,
                                                          &RankFigures::memory_peak_bytes};

// Without what a rank has not: shortened counterexamples, a profile, figures of its components.
void save_result(OutStream& to, const SearchResult& result);
[[nodiscard]] SearchResult load_result(InStream& from);

}  // namespace cmc
