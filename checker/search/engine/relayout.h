#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "checker/search/engine/checkpoint.h"
#include "checker/search/engine/crew.h"
#include "checker/search/engine/run_engine.h"

// An engine is a class template over the width of keys (Engine<W>):
//
//   Engine(SearchContext&)          for the space's present layout
//   start()                         begins with the initial state, whose key is 0 in every layout
//   bool has_room_for(Engine<V>&, Layout)
//                                   whether memory is enough for take_over(); false: the search has been stopped, or
//                                   is to start again with the disk store
//
//   take_over(Engine<V>&, Layout)   begins with the visited and open states of another layout's engine
//
//   bool load(Manifest)             likewise with those that an engine of this kind and layout has saved (AnyEngine);
//                                   false: the search has been stopped, or is to start again with the disk store.
//                                   Only of engines that SearchOptions::checkpoints are for
//
//   End run()                       runs until nothing is left or the search is stopped, or until it needs another
//                                   layout, the disk store or partial-order reduction, or is to be saved, after which
//                                   it is called again
//
//   Remainder left()                what is left of a run that ended with End::kExplored: nothing, unless it errs
//
//   bool ready_for_relayout()       completes work that needs the old layout; false: the search has been stopped
//
//   void layout_changed()           the space has another layout now, and take_over() by another engine follows. What
//                                   can be done before, such as ending workers, is done here: the file of wider keys
//                                   has no code of it then
//
//   bool may_divide()               whether the search may restart with a finer division of frames
//
//   uint64_t states()               found so far
//
//   totals()                        of AnyEngine, from which it derives
//
// Each engine is compiled once for each width, in a file of its own, which CMakeLists.txt makes; only start_with()
// and go_on_with() are called from others. What is here is the only place that goes from one width to another.

namespace cmc {

// The engine of the space's layout, with all that `from` has found; its `owner` ends it before the new one is used.
// Null: there is no room, and `from` is as it was.
template <template <unsigned> class Engine, unsigned W, unsigned V>
std::unique_ptr<Engine<W>> with_new_layout(SearchContext& context, std::unique_ptr<AnyOf<Engine>>& owner,
                                           Engine<V>& from, const Layout& old_layout) {
  auto next = std::make_unique<Engine<W>>(context);
  if (!next->has_room_for(from, old_layout)) return nullptr;
  next->template take_over<V>(from, old_layout);
  owner.reset();
  context.control.release_if_scarce();
  return next;
}

// Whether the search is to begin again with a finer division of frames (SearchContext::finer).
template <class Engine>
bool wants_division(SearchContext& context, Engine& engine, bool is_scarce) {
  const SearchControl& control = context.control;
  if (!context.divides || !engine.may_divide() || control.stopped() || control.stops_behind_checkpoint())
    return false;
  context.finer = context.space->finer_division(engine.states(), is_scarce);
  return context.finer.has_value();
}

// `engine` has the old `layout`, and keeps it.
template <template <unsigned> class Engine, unsigned V>
RunOf<Engine> without_room(SearchContext& context, Engine<V>& engine, const Layout& layout) {
  if (context.control.wants_store() && wants_division(context, engine, true))
    return {RunEnd::kDivide, engine.totals()};
  const uint64_t states = engine.states();
  if (context.control.wants_store() ? context.hands_over(states) : context.control.wants_checkpoint())
    write_checkpoint(context, layout, states, false, [&](CheckpointWriter& writer) { engine.save(writer); });
  return {context.control.wants_store() ? RunEnd::kToStore : RunEnd::kStopped, engine.totals()};
}

template <template <unsigned> class Engine, unsigned W>
RunOf<Engine> run_layouts(SearchContext& context, std::unique_ptr<Engine<W>> engine) {
  for (;;) {
    const End end = engine->run();
    const bool is_scarce = end == End::kToStore || (end == End::kCheckpoint && context.control.wants_store());
    if ((is_scarce || end == End::kRelayout) && wants_division(context, *engine, is_scarce))
      return {RunEnd::kDivide, engine->totals()};
    const auto save = [&](CheckpointWriter& writer) { engine->save(writer); };
    if (end == End::kCheckpoint) {
      write_checkpoint(context, context.space->layout(), engine->states(), false, save);
      if (context.control.wants_store() && !context.control.stopped()) return {RunEnd::kToStore, engine->totals()};
      continue;
    }
    if (end == End::kLookNear) {
      context.found_near = std::exchange(context.look_near, nullptr)();
      if (context.found_near) return {RunEnd::kStopped, engine->totals()};
      continue;
    }
    if (end == End::kToStore) return {RunEnd::kToStore, engine->totals()};
    if (end == End::kReduce) return {RunEnd::kReduce, engine->totals()};
    if (end == End::kReorder) return {RunEnd::kReorder, engine->totals()};
    if (end == End::kExplored) {
      RunOf<Engine> explored{RunEnd::kExplored, engine->totals()};
      explored.totals.left = engine->left();
      if (context.options.checkpoints != nullptr)
        write_checkpoint(context, context.space->layout(), engine->states(), true, save);
      return explored;
    }
    if (end == End::kStopped || !engine->ready_for_relayout()) return {RunEnd::kStopped, engine->totals()};
    const Layout old_layout = context.space->layout();
    constexpr unsigned kWider = std::min(next_key_width(W), kMaxKeyWords);  // keys get wider by one step at a time
    if (!context.space->relayout(engine->states(), kWider)) return {RunEnd::kTooWide, engine->totals()};
    engine->layout_changed();
    Engine<W>& from = *engine;
    std::unique_ptr<AnyOf<Engine>> owner = std::move(engine);
    if constexpr (kWider != W) {
      if (context.space->layout().words() != W)
        return go_on_with<Engine, kWider, W>(context, std::move(owner), from, old_layout);
    }
    engine = with_new_layout<Engine, W, W>(context, owner, from, old_layout);
    if (!engine) return without_room<Engine>(context, from, old_layout);
  }
}

// False: what was saved cannot be had.
template <class Engine>
bool begin(SearchContext& context, Engine& engine) {
  if constexpr (requires(const Manifest& manifest) { engine.load(manifest); }) {
    if (const Manifest* const from = std::exchange(context.resumes, nullptr)) {
      const bool loaded = engine.load(*from);
      context.handover.reset();
      return loaded;
    }
  }
  engine.start();
  return true;
}

template <template <unsigned> class Engine, unsigned W>
RunOf<Engine> start_with(SearchContext& context) {
  auto engine = std::make_unique<Engine<W>>(context);
  if (!begin(context, *engine))
    return {context.control.stop_at_limit() ? RunEnd::kStopped : RunEnd::kToStore, engine->totals()};
  return run_layouts<Engine, W>(context, std::move(engine));
}

template <template <unsigned> class Engine, unsigned W, unsigned V>
RunOf<Engine> go_on_with(SearchContext& context, std::unique_ptr<AnyOf<Engine>> owner, Engine<V>& from,
                         const Layout& old_layout) {
  std::unique_ptr<Engine<W>> next = with_new_layout<Engine, W, V>(context, owner, from, old_layout);
  if (!next) return without_room<Engine>(context, from, old_layout);
  return run_layouts<Engine, W>(context, std::move(next));
}

}  // namespace cmc
