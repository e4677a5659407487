#include "checker/keys/key_generator.h"

#include <algorithm>
#include <iterator>

#include "checker/keyspace/key_sorter.h"

namespace cmc {

template <unsigned W>
KeyGenerator<W>::KeyGenerator(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer,
                              StepMemo<W>& memo, uint32_t worker, const StepOptions& options)
    : memo_(memo),
      worker_(worker),
      profiler_(options.profiler),
      uses_timeout_(space.components().model().uses_timeout),
      collects_(options.sets != nullptr || options.symmetry != nullptr || options.profiler != nullptr),
      expands_again_(options.expands_again),
      claim_(space),
      lookup_(space, generator, observer, memo, worker, options) {
  if (options.symmetry != nullptr) sorter_ = std::make_unique<KeySorter<W>>(space, *options.symmetry);
}

template <unsigned W>
KeyGenerator<W>::~KeyGenerator() = default;

template <unsigned W>
Expanded KeyGenerator<W>::expand_whole(const Key<W>& key, KeyBuffer<W>& successors, ExpansionFlags& flags) {
  return expand_again(key, successors, flags, [&] { successors.clear(); });
}

template <unsigned W>
bool KeyGenerator<W>::sort_successors(const Key<W>& key) {
  bool fits = true;
  for (Key<W>& delta : system_.deltas) {
    Key<W> successor = key ^ delta;
    fits &= sorter_->sort(successor);
    delta = key ^ successor;
    if (lookup_.changes_control(delta)) system_.flags |= Steps<W>::kChangesControl;
  }
  return fits;
}

template <unsigned W>
Expanded KeyGenerator<W>::find_steps(const Key<W>& key, ExpansionFlags& flags, bool& timeout) {
  system_.clear();
  flags = {};
  timeout = false;
  in_parts_ = false;
  const Expanded result = expand_system(key, system_, flags, timeout);
  if (!lookup_.choice() || !leaves_out_ || result != Expanded::kAll || in_parts_) return result;
  // The representatives behind steps that are left out, and may be taken later, have to fit their fields now, too.
  if (expands_again_ && sorter_ && !sort_successors(key)) return Expanded::kTooNarrow;
  leave_out(key, flags, timeout);
  return result;
}

template <unsigned W>
void KeyGenerator<W>::leave_out(const Key<W>& key, ExpansionFlags& flags, bool timeout) {
  const auto [count, holder] = lookup_.control_of(key);
  const bool reducible = !flags.special && !flags.holder_moves && !timeout && system_.parts.size() > 1 &&
                         count <= StubbornChooser::kMostProcesses && holder == kNoProcess;
  if (!reducible) return;
  const uint64_t chosen = lookup_.choice()->choose(key.data(), count, system_.parts, system_.notes);
  const uint64_t left_out = system_.keep(chosen);
  flags.left_out = left_out;
  ++reductions_.asked;
  reductions_.states += left_out > 0 ? 1 : 0;
  reductions_.left_out += left_out;
}

template <unsigned W>
Expanded KeyGenerator<W>::find_steps_at_timeout(const Key<W>& key, ExpansionFlags& flags) {
  system_.clear();
  flags = {};
  uint32_t seen = 0;
  const Expanded result = lookup_.add_all(key, lookup_.control_of(key).process_count, true, system_, seen);
  flags.blocked = (seen & Steps<W>::kMoves) == 0;
  lookup_.note_special(seen, flags);
  return result;
}

template <unsigned W>
Expanded KeyGenerator<W>::find_moves(const Key<W>& key, bool blocked, bool timeout, SystemSteps<W>& moves,
                                     ExpansionFlags& flags) {
  uint32_t mover = kClaimMover + (blocked ? kClaimBlocked : 0);
  if (claim_.traits().uses_non_progress && claim_.non_progress(key)) mover += kClaimNonProgress;
  uint32_t seen = 0;
  lookup_.count_lookups(1);
  moves.clear();
  const Expanded result = lookup_.add_process(key, mover, timeout, moves, seen);
  lookup_.note_special(seen, flags);
  return result;
}

template <unsigned W>
void KeyGenerator<W>::tell_move(size_t index, uint64_t successors) {
  const auto part = std::ranges::find_if(moves_.parts, [&](const auto& each) { return index < each.end; });
  const size_t begin = part == moves_.parts.begin() ? 0 : std::prev(part)->end;
  profiler_->uses().moves.push_back({part->number, static_cast<uint32_t>(index - begin), successors});
}

template class KeyGenerator<1>;
template class KeyGenerator<2>;
template class KeyGenerator<4>;
template class KeyGenerator<16>;

}  // namespace cmc
