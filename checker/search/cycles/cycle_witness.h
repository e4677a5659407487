#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "checker/keyspace/key_space.h"
#include "checker/search/cycles/cycle_report.h"
#include "checker/search/cycles/lasso.h"

namespace cmc {

// How much a search for a short way to a loop may take, in bytes, if a way is known.
inline constexpr uint64_t kMostStemBytes = uint64_t{64} << 20;

// As long as the lasso lives.
template <unsigned W>
StateLasso unpacked(const KeySpace& space, const KeyLasso<W>& lasso) {
  const size_t loop = lasso.stem.size();
  const auto state_of = [&space, &lasso, loop](size_t i, Bytes& state) {
    const Key<W>& node = i < loop ? lasso.stem[i] : lasso.loop[(i - loop) % lasso.loop.size()].target;
    space.unpack(node.data(), state);
  };
  StateLasso states{{loop + lasso.loop.size() + 1, state_of}, loop, {}};
  for (const MarkedEdge<W>& edge : lasso.loop) states.served.push_back(edge.marks >> 1);
  std::rotate(states.served.begin(), states.served.begin() + 1, states.served.end());
  return states;
}

// A short way from the initial node to the loop; none: it takes more than `most_expansions`, or the search was
// stopped.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> with_stem(Graph& graph,
                                                   const std::array<unsigned, kWordsOf<Graph>>& word_bits,
                                                   const ShouldStop& should_stop, uint64_t most_expansions,
                                                   KeyLoop<kWordsOf<Graph>> loop) {
  PathSearch paths(graph, word_bits, should_stop, most_expansions);
  return find_stem(paths, {}, std::move(loop));
}

}  // namespace cmc
