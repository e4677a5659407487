#pragma once

#include <memory>

#include "checker/keyspace/layout.h"
#include "checker/search/engine/context.h"
#include "checker/search/engine/engines.h"
#include "storage/sets/key.h"

namespace cmc {

template <template <unsigned> class Engine>
using RunOf = RunResult<typename Engine<1>::Totals>;
template <template <unsigned> class Engine>
using AnyOf = AnyEngine<typename Engine<1>::Totals>;

// Explores from the initial state on, with keys of W words at first. REQUIRES: the space's layout has that width.
// (Defined in relayout.h; each is instantiated in a file of its own, which CMakeLists.txt makes.)
template <template <unsigned> class Engine, unsigned W>
RunOf<Engine> start_with(SearchContext& context);

// Goes on, with keys of W words, with what the engine `from` has found. `owner` is the same engine: only the file of
// V knows how to end it.
template <template <unsigned> class Engine, unsigned W, unsigned V>
RunOf<Engine> go_on_with(SearchContext& context, std::unique_ptr<AnyOf<Engine>> owner, Engine<V>& from,
                         const Layout& old_layout);

// Explores from the initial state on.
template <template <unsigned> class Engine, unsigned W = 1>
RunOf<Engine> run_engine(SearchContext& context) {
  if constexpr (W < kMaxKeyWords) {
    if (context.space->layout().words() > W) return run_engine<Engine, next_key_width(W)>(context);
  }
  return start_with<Engine, W>(context);
}

}  // namespace cmc
