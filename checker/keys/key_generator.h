#pragma once

#include <algorithm>
#include <memory>

#include "checker/generator/product_generator.h"
#include "checker/keys/claim_facts.h"
#include "checker/keys/step_lookup.h"
#include "checker/keys/system_steps.h"

namespace cmc {

// Of partial-order reduction.
struct ReductionFigures {
  uint64_t asked = 0;     // states in which several processes could move
  uint64_t states = 0;    // in which processes were left out
  uint64_t left_out = 0;  // steps
};

template <unsigned W>
class KeySorter;

// Maps the key of a state to the keys of its successors: look-ups in the memo, the generator where it does not know
// yet. One per worker and layout; the KeySpace and the memo are shared.
//
// If a claim runs (Model::claim), successors are those of the product (checker/generator/product_generator.h). A move
// of the claim and a step of the system change different components, so a successor is the key xor the delta of the
// one xor the delta of the other, and neither is looked up once for each of the other, unless the claim changes
// variables.
template <unsigned W>
class KeyGenerator {
 public:
  // `worker`: its number in `memo`.
  KeyGenerator(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, StepMemo<W>& memo,
               uint32_t worker, const StepOptions& options = {});
  ~KeyGenerator();

  // To be held around calls of expand() and prefetch(), for a batch of states and no longer.
  [[nodiscard]] ReaderLock::Reading use_memo() { return memo_.use(worker_); }

  // Asks for the memory that expand() is going to look at first. Worth it if the memo is large.
  void prefetch(const Key<W>& key) { lookup_.prefetch(key); }

  using Expanded = cmc::Expanded;
  // Gives the successors to `sink`, always in the same order: sink.add(key, Steps) for each process, whose
  // deltas.data() can be read even if there is none (it is 0 then).
  template <class Sink>
  [[nodiscard, gnu::always_inline]] Expanded expand(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    flags = {};
    lookup_.count_expansion();
    if (claim_.exists()) [[unlikely]]
      return expand_product(key, successors, flags);
    if (collects_) [[unlikely]]
      return expand_collected(key, successors, flags);
    bool timeout = false;
    return expand_system(key, successors, flags, timeout);
  }

  // The same of a state that was expanded before in this layout, or in one that it was converted from: never
  // kTooNarrow. clear() empties the sink.
  template <class Sink, class Clear>
  [[nodiscard]] Expanded expand_again(const Key<W>& key, Sink& successors, ExpansionFlags& flags, Clear&& clear) {
    const Expanded result = expand(key, successors, flags);
    if (result != Expanded::kTooNarrow) return result;
    // A half of a handshake need not fit even if the successors do: without it, then.
    clear();
    lookup_.set_learns_halves(false);
    const Expanded whole = expand(key, successors, flags);
    lookup_.set_learns_halves(true);
    return whole;
  }

  // Whether expand_carried() can be used instead.
  [[nodiscard]] bool may_carry() const { return !claim_.exists() && !collects_; }
  // The same, with what is carried from the state's parent: `carried.row`, of `processes` processes. Steps of
  // sleeping processes are not given to the sink; carried.asleep_steps counts them. Where something is to be carried
  // on, the sink is told who moves: sink.add(key, Steps, pid). A sink that numbers successors is told of steps that
  // it is not given: sink.skip(how many).
  template <class Sink>
  [[nodiscard]] Expanded expand_carried(const Key<W>& key, CarriedState<W>& carried, uint32_t processes,
                                        Sink& successors, ExpansionFlags& flags) {
    DCHECK(may_carry());
    flags = {};
    lookup_.count_expansion();
    carried.known = 0;
    carried.asleep_steps = 0;
    const KeySpace::Control control = lookup_.control_of(key);
    most_processes_ = std::max(most_processes_, control.process_count);
    if (control.holder != kNoProcess || control.process_count > processes) [[unlikely]] {
      bool timeout = false;
      return expand_system(key, successors, flags, timeout);
    }
    lookup_.count_carried(control.process_count);
    uint32_t* const row = carried.row;
    uint64_t asleep = row[0] & ~carried_row::kMoves;
    uint64_t counted = 0;  // of processes without a leaf, those whose steps are in row[0] all the same
    uint32_t seen = (row[0] & carried_row::kMoves) != 0 ? uint32_t{Steps<W>::kMoves} : 0;
    for (uint32_t pid = control.process_count; pid-- > 0;) {
      const uint32_t word = row[1 + pid];
      constexpr bool kNumbers = requires { successors.skip(asleep); };
      if (!kNumbers && word > carried_row::kAsleep) continue;  // its steps are in row[0]
      Steps<W> steps;
      if (const uint32_t number = word & ~carried_row::kAsleep; number != 0) {
        steps = lookup_.steps_of(number);
      } else {
        if (!lookup_.find_leaf(key, pid, row[1 + pid], steps)) [[unlikely]] {
          const uint64_t clears = memo_.clears();
          const Expanded result = lookup_.find_to_carry(key, pid, carried, steps);
          if (result != Expanded::kAll) return result;
          if (memo_.clears() != clears) [[unlikely]]
            counted |= forget_leaves(row, pid);
        }
      }
      seen |= steps.flags;
      if ((word & carried_row::kAsleep) == 0) {
        successors.add(key, steps, pid);
        continue;
      }
      if constexpr (kNumbers) successors.skip(steps.deltas.size());
      if (word == carried_row::kAsleep && (counted >> pid & 1) == 0) asleep += steps.deltas.size();
    }
    carried.asleep_steps = asleep;
    // A process that sleeps without a step is awake when timeout is 1, and what is done then is nobody's otherwise.
    const bool all_wait = (seen & Steps<W>::kMoves) == 0;
    carried.known = all_wait || lookup_.has_too_many() ? 0 : control.process_count;
    return finish(key, control.process_count, successors, flags, seen);
  }
  void prefetch(const Key<W>& key, const uint32_t* row, uint32_t processes) { lookup_.prefetch(key, row, processes); }
  // StepLookup::write_row().
  [[gnu::always_inline]] void write_row(const CarriedState<W>& from, uint32_t mover, const Key<W>& delta,
                                        uint32_t* row, uint32_t processes) const {
    lookup_.write_row(from, mover, delta, row, processes);
  }
  // StepLookup::carry_over().
  void carry_over(const CarriedState<W>& from, const Key<W>& delta, uint32_t* row) const {
    lookup_.carry_over(from, delta, row);
  }
  // StepLookup::asleep_after().
  [[nodiscard]] SleepMask asleep_after(const CarriedState<W>& from, uint32_t mover, const Key<W>& delta) const {
    return lookup_.asleep_after(from, mover, delta);
  }
  [[nodiscard]] uint32_t process_count(const Key<W>& key) { return lookup_.control_of(key).process_count; }
  // The most processes that a state had in expand_carried().
  [[nodiscard]] uint32_t most_processes() const { return most_processes_; }

  // As expand_again(), apart from the loops of engines.
  [[nodiscard]] Expanded expand_whole(const Key<W>& key, KeyBuffer<W>& successors, ExpansionFlags& flags);

  // With reduction: whether steps are left out in the states to come.
  void set_leaves_out(bool leaves_out) { leaves_out_ = leaves_out; }

  // That many steps of a state, which were left out, were taken after all.
  void take_back(uint64_t left_out) {
    --reductions_.states;
    reductions_.left_out -= left_out;
  }

  // What the key says about the claim and the labels of processes.
  [[nodiscard]] ClaimFacts& claim() { return claim_; }

  // Of a product: the claim or a process is at an accepting location, and the claim is to move. In the middle of an
  // atomic sequence it stands still.
  [[nodiscard]] bool accepting(const Key<W>& key) {
    if (!claim_.accepting(key)) return false;
    const uint8_t holder = lookup_.control_of(key).holder;
    return holder == kNoProcess || !lookup_.can_move(key, holder);
  }

  // What is known about remembering, and what the generator of the layout before knew.
  [[nodiscard]] StepHabits habits() const { return lookup_.habits(); }
  void take_over_habits(const StepHabits& habits) { lookup_.take_over(habits); }

  [[nodiscard]] MemoFigures figures() const { return lookup_.figures(); }
  [[nodiscard]] const ReductionFigures& reductions() const { return reductions_; }

 private:
  template <unsigned V>
  friend class KeyGenerator;

  // Another worker has cleared the memo while a long step was computed. Returns, by pid, whose steps row[0] counts.
  static uint64_t forget_leaves(uint32_t* row, uint32_t end) {
    uint64_t counted = 0;
    for (uint32_t pid = 0; pid < end; ++pid) {
      counted |= uint64_t{row[1 + pid] > carried_row::kAsleep ? 1U : 0U} << pid;
      row[1 + pid] &= carried_row::kAsleep;
    }
    return counted;
  }

  // `timeout`: its value when the steps were taken, or when none could be.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] Expanded expand_system(const Key<W>& key, Sink& successors, ExpansionFlags& flags,
                                                           bool& timeout) {
    const KeySpace::Control control = lookup_.control_of(key);
    uint32_t seen = 0;  // Steps::Flag of all processes
    if (control.holder != kNoProcess) {
      lookup_.count_lookups(1);
      if (const Expanded result = lookup_.add_process(key, control.holder, false, successors, seen);
          result != Expanded::kAll)
        return result;
      flags.holder_moves = (seen & Steps<W>::kMoves) != 0;
    }
    if ((seen & Steps<W>::kMoves) == 0) {
      if (const Expanded result = lookup_.add_all(key, control.process_count, false, successors, seen);
          result != Expanded::kAll)
        return result;
      timeout = (seen & Steps<W>::kMoves) == 0;
    }
    return finish(key, control.process_count, successors, flags, seen);
  }
  // When all processes were asked, and their steps have the flags `seen`: if nobody moves, they are asked while
  // timeout is 1.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] Expanded finish(const Key<W>& key, uint32_t process_count, Sink& successors,
                                                    ExpansionFlags& flags, uint32_t seen) {
    if ((seen & Steps<W>::kMoves) == 0) [[unlikely]] {
      if (uses_timeout_) {
        const Expanded result = lookup_.add_all(key, process_count, true, successors, seen);
        if (result != Expanded::kAll) return result;
      }
      flags.blocked = (seen & Steps<W>::kMoves) == 0;
      flags.special |= flags.blocked;
    }
    lookup_.note_special(seen, flags);
    if (lookup_.has_too_many()) [[unlikely]] {
      in_parts_ = true;
      return lookup_.add_in_parts(key, successors, flags);
    }
    return Expanded::kAll;
  }

  // --- with fewer steps, successors that are representatives, or a profile: steps are put together first

  template <class Sink>
  [[gnu::noinline]] Expanded expand_collected(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    const ReductionFigures before = reductions_;
    bool timeout = false;
    const Expanded result = find_steps(key, flags, timeout);
    if (result != Expanded::kAll || system_.empty()) return result;
    if (sorter_ && !sort_successors(key)) {
      reductions_ = before;
      return Expanded::kTooNarrow;
    }
    hand_out(key, system_, 0, successors);
    return result;
  }
  [[nodiscard]] bool sort_successors(const Key<W>& key);

  // --- the product with the claim

  template <class Sink>
  [[gnu::noinline]] Expanded expand_product(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    if (claim_.blocked(key)) {
      return claim_.traits().writes ? add_unblocked(key, successors, flags) : add_stuttering(key, successors, flags);
    }
    // The claim first, if nothing else has to be known for that: most of its dead ends need no step of the system.
    const bool claim_first = !claim_.traits().uses_timeout && lookup_.control_of(key).holder == kNoProcess;
    if (claim_first) {
      const Expanded result = find_moves(key, false, false, moves_, flags);
      if (result != Expanded::kAll || moves_.empty()) return result;
    }
    ExpansionFlags system;
    bool timeout = false;
    if (const Expanded result = find_steps(key, system, timeout); result != Expanded::kAll) return result;
    if (system.holder_moves) {  // the claim stands still, and nobody has asked what others can do
      flags = system;
      give(key, 0, false, successors);
      return Expanded::kAll;
    }
    bool forced = false;  // timeout = 1 although the system can move
    if (!claim_first) {
      Expanded result = find_moves(key, false, timeout, moves_, flags);
      if (result == Expanded::kAll && moves_.empty() && claim_.traits().is_tried_at_timeout && !timeout) {
        // As SPIN's verifier: both see timeout = 1, although the system can move.
        result = find_moves(key, false, true, moves_, flags);
        forced = true;
        if (result == Expanded::kAll) result = find_steps_at_timeout(key, system);
      }
      if (result != Expanded::kAll) return result;
    }
    for (size_t i = 0; i < moves_.deltas.size(); ++i) {
      const Key<W> moved = key ^ moves_.deltas[i];
      if (claim_.traits().writes) {
        const Expanded result = forced ? find_steps_at_timeout(moved, system) : find_steps(moved, system, timeout);
        if (result != Expanded::kAll) return result;
      }
      merge(system, flags);
      if (!system.blocked) {
        give(moved, moves_.flags, true, successors);
        note_move(i, system_.deltas.size());
      } else if (const Expanded result = add_stuttering(moved, successors, flags); result != Expanded::kAll) {
        return result;
      } else {
        note_move(i, stuttering_.deltas.size());
      }
    }
    return Expanded::kAll;
  }
  // The system is blocked: only the claim moves.
  template <class Sink>
  Expanded add_stuttering(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    const Expanded result = find_moves(key, true, true, stuttering_, flags);
    if (result == Expanded::kAll && !stuttering_.empty()) hand_out(key, stuttering_, 0, successors);
    return result;
  }
  // For a profile: so many successors begin with a move of the claim.
  void note_move(size_t index, uint64_t successors) {
    if (profiler_ != nullptr) [[unlikely]]
      tell_move(index, successors);
  }
  void tell_move(size_t index, uint64_t successors);
  // A claim that changes variables can have made the system able to move again: then that moves, and its successors
  // are those of a state that is not marked.
  template <class Sink>
  Expanded add_unblocked(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    ExpansionFlags system;
    bool timeout = false;
    if (const Expanded result = find_steps(key, system, timeout); result != Expanded::kAll) return result;
    if (system.blocked) return add_stuttering(key, successors, flags);
    Key<W> delta{};
    if (!lookup_.unblock(key, delta)) return Expanded::kTooNarrow;
    merge(system, flags);
    give(key ^ delta, 0, true, successors);
    return Expanded::kAll;
  }
  // `others_known`: processes that have no steps cannot move.
  template <class Sink>
  void give(const Key<W>& from, uint32_t step_flags, bool others_known, Sink& successors) const {
    if (system_.empty()) return;
    if constexpr (requires { successors.add_system(from, system_, true); }) {
      successors.add_system(from, system_, others_known);
    } else {
      hand_out(from, system_, step_flags, successors);
    }
  }
  // A sink may want to know which successors are of which steps.
  template <class Sink>
  static void hand_out(const Key<W>& from, const SystemSteps<W>& steps, uint32_t more_flags, Sink& successors) {
    if constexpr (requires { successors.add_parts(from, steps, more_flags); }) {
      successors.add_parts(from, steps, more_flags);
    } else {
      successors.add(from, steps.steps(more_flags));
    }
  }
  // Into system_: those that are to be taken.
  Expanded find_steps(const Key<W>& key, ExpansionFlags& flags, bool& timeout);
  // Errors that cut a step, and what is not decided, are no reasons to leave anything out.
  void leave_out(const Key<W>& key, ExpansionFlags& flags, bool timeout);
  Expanded find_steps_at_timeout(const Key<W>& key, ExpansionFlags& flags);
  // The claim's moves. `blocked`: they are steps of the product by themselves, because the system is.
  Expanded find_moves(const Key<W>& key, bool blocked, bool timeout, SystemSteps<W>& moves, ExpansionFlags& flags);
  // Whether the system is blocked is nothing special in a product.
  static void merge(const ExpansionFlags& system, ExpansionFlags& flags) {
    flags.needs_generator |= system.needs_generator;
    flags.endless_atomic |= system.endless_atomic;
    flags.long_atomic |= system.long_atomic;
    if (system.pending != 0) flags.pending = system.pending;
    flags.special = flags.needs_generator || flags.endless_atomic || flags.long_atomic || flags.pending != 0;
  }

  uint32_t most_processes_ = 0;
  StepMemo<W>& memo_;
  const uint32_t worker_;
  StepProfiler* const profiler_;  // null: there is no profile
  const bool uses_timeout_;
  const bool collects_;
  const bool expands_again_;
  bool leaves_out_ = true;
  bool in_parts_ = false;  // of the state that is being expanded steps were handed over in parts, several a process
  ClaimFacts claim_;
  StepLookup<W> lookup_;
  std::unique_ptr<KeySorter<W>> sorter_;  // null: successors are what they are
  SystemSteps<W> moves_;                  // of the claim, in the state that is being expanded
  SystemSteps<W> stuttering_;             // likewise, while the system is blocked
  SystemSteps<W> system_;                 // of the processes
  ReductionFigures reductions_;
};

}  // namespace cmc
