#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "checker/keys/key_space.h"
#include "checker/search/cycle_report.h"
#include "checker/search/lasso.h"

namespace cmc {

// How much a search for a short way to a loop may take, in bytes, if a way is known.
inline constexpr uint64_t kMostStemBytes = uint64_t{64} << 20;

template <unsigned W>
StateLasso unpacked(const KeySpace& space, const KeyLasso<W>& lasso) {
  StateLasso states;
  states.loop = lasso.stem.size();
  for (const Key<W>& node : lasso.stem) space.unpack(node.data(), states.states.emplace_back());
  for (const MarkedEdge<W>& edge : lasso.loop) {
    space.unpack(edge.target.data(), states.states.emplace_back());
    states.served.push_back(edge.marks >> 1);
  }
  states.states.push_back(states.states[states.loop]);
  std::ranges::rotate(states.served, states.served.begin() + 1);
  return states;
}

// A short way from the initial node to the loop; none: it takes more than `most_bytes`, or the search was stopped.
template <CycleGraph Graph>
std::optional<KeyLasso<kWordsOf<Graph>>> with_stem(Graph& graph,
                                                   const std::array<unsigned, kWordsOf<Graph>>& word_bits,
                                                   const ShouldStop& should_stop, uint64_t most_bytes,
                                                   KeyLoop<kWordsOf<Graph>> loop) {
  PathSearch paths(graph, word_bits, [&](uint64_t bytes) { return bytes > most_bytes || should_stop(bytes); });
  return find_stem(paths, {}, std::move(loop));
}

}  // namespace cmc
