#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/engines.h"
#include "storage/sets/key.h"

// An engine is a class template over the width of keys (Engine<W>):
//
//   Engine(SearchContext&)          for the space's present layout
//   start()                         begins with the initial state, whose key is 0 in every layout
//   bool has_room_for(Engine<V>&)   whether memory is enough for take_over(); false: the search has been stopped, or
//                                   is to start again with the disk store
//
//   take_over(Engine<V>&, Layout)   begins with the visited and open states of another layout's engine
//
//   End run()                       runs until nothing is left or the search is stopped, or until it needs another
//                                   layout or the disk store
//
//   Remainder left()                what is left of a run that ended with End::kExplored: nothing, unless it errs
//
//   bool ready_for_relayout()       completes work that needs the old layout; false: the search has been stopped
//
//   void layout_changed()           the space has another layout now
//
//   bool may_divide()               whether the search may restart with a finer division of frames
//
//   uint64_t states()               found so far
//
//   totals()                        EngineTotals, or a class derived from it
//
// This file is the only place that goes from one width to another.

namespace cmc {

template <template <unsigned> class Engine, unsigned W>
auto run_layouts(SearchContext& context, std::unique_ptr<Engine<W>> engine) -> RunResult<decltype(engine->totals())> {
  for (;;) {
    const End end = engine->run();
    if (end == End::kToStore) return {RunEnd::kToStore, engine->totals()};
    if (end == End::kExplored) {
      RunResult<decltype(engine->totals())> explored{RunEnd::kExplored, engine->totals()};
      explored.totals.left = engine->left();
      return explored;
    }
    if (end == End::kStopped || !engine->ready_for_relayout()) return {RunEnd::kStopped, engine->totals()};
    const uint64_t states = engine->states();
    if (engine->may_divide() && context.space->wants_finer(states)) return {RunEnd::kDivide, engine->totals()};
    const Layout old_layout = context.space->layout();
    if (!context.space->relayout(states)) return {RunEnd::kTooWide, engine->totals()};
    engine->layout_changed();
    // Null: there is no room.
    const auto with_width = [&]<unsigned V>() {
      auto next = std::make_unique<Engine<V>>(context);
      if (!next->has_room_for(*engine)) return std::unique_ptr<Engine<V>>();
      next->template take_over<W>(*engine, old_layout);
      engine.reset();
      context.control.release_if_scarce();
      return next;
    };
    const auto without_room = [&]() -> RunResult<decltype(engine->totals())> {
      return {context.control.wants_store() ? RunEnd::kToStore : RunEnd::kStopped, engine->totals()};
    };
    if (context.space->layout().words() == W) {
      auto next = with_width.template operator()<W>();
      if (!next) return without_room();
      engine = std::move(next);
      continue;
    }
    return with_more_words<W>(context.space->layout().words(), [&]<unsigned V>() {
      auto next = with_width.template operator()<V>();
      return next ? run_layouts<Engine, V>(context, std::move(next)) : without_room();
    });
  }
}

// Explores from the initial state on, with keys of W words at first.
template <template <unsigned> class Engine, unsigned W = 1>
auto run_engine(SearchContext& context) {
  if constexpr (W < kMaxKeyWords) {
    if (context.space->layout().words() > W) return run_engine<Engine, next_key_width(W)>(context);
  }
  auto engine = std::make_unique<Engine<W>>(context);
  engine->start();
  return run_layouts<Engine, W>(context, std::move(engine));
}

}  // namespace cmc
