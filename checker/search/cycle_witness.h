#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "checker/keys/key_space.h"
#include "checker/search/cycle_report.h"
#include "checker/search/lasso.h"

namespace cmc {

// How much a search for a short way to a loop may take, in bytes: then the way that is known has to do.
inline constexpr uint64_t kMostStemBytes = uint64_t{64} << 20;

template <unsigned W>
StateLasso unpacked(const KeySpace& space, const KeyLasso<W>& lasso) {
  StateLasso states;
  states.loop = lasso.stem.size();
  for (const auto* nodes : {&lasso.stem, &lasso.loop}) {
    for (const Key<W>& node : *nodes) space.unpack(node.data(), states.states.emplace_back());
  }
  states.states.push_back(states.states[states.loop]);
  return states;
}

// A way from the initial node to the loop: a short one, or `known`, which ends in a node of the loop.
template <CycleGraph Graph>
KeyLasso<kWordsOf<Graph>> with_stem(Graph& graph, const std::array<unsigned, kWordsOf<Graph>>& word_bits,
                                    const ShouldStop& should_stop, std::vector<typename Graph::Node> loop,
                                    std::vector<typename Graph::Node> known) {
  PathSearch paths(graph, word_bits,
                   [&](uint64_t bytes) { return (!known.empty() && bytes > kMostStemBytes) || should_stop(bytes); });
  if (auto lasso = find_stem(paths, {}, loop)) return std::move(*lasso);
  if (known.empty()) return {};
  std::ranges::rotate(loop, std::ranges::find(loop, known.back()));
  known.pop_back();
  return {std::move(known), std::move(loop)};
}

}  // namespace cmc
