#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/product_generator.h"
#include "checker/keys/claim_facts.h"
#include "checker/keys/edge_steps.h"
#include "checker/keys/half_joiner.h"
#include "checker/keys/memo_habit.h"
#include "checker/keys/step_deltas.h"
#include "checker/keys/step_memo.h"
#include "checker/keys/step_profiler.h"
#include "checker/keys/system_steps.h"
#include "checker/keyspace/converter.h"
#include "checker/keyspace/key_sorter.h"
#include "checker/keyspace/key_space.h"
#include "checker/por/stubborn.h"

namespace cmc {

// Of steps of processes.
struct MemoFigures {
  uint64_t lookups = 0;
  uint64_t misses = 0;  // computed
};

// Of partial-order reduction.
struct ReductionFigures {
  uint64_t asked = 0;     // states in which several processes could move
  uint64_t states = 0;    // in which processes were left out
  uint64_t left_out = 0;  // steps
};

// The search's side of a KeyGenerator.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Told of everything that is computed (not looked up), once or more often, in the state that is given.
  virtual void on_steps(ByteView state, const SuccessorBatch& batch) = 0;
  // The sink has been given a part of the steps of one process, of which there are too many for memory: now it may be
  // emptied, and the memo is not in use.
  virtual void on_part() = 0;
  // Asked during a long computation, while the memo is not in use: true ends it.
  [[nodiscard]] virtual bool should_stop() = 0;
};

// What is to be known about an expanded state beside its successors.
struct ExpansionFlags {
  bool plain = true;             // none of the others
  bool blocked = false;          // no process can move
  bool needs_generator = false;  // there are errors: ask the generator for the whole batch
  bool holder_moves = false;     // a process holds atomicity and can move
  bool endless_atomic = false;
  bool long_atomic = false;
  uint64_t left_out = 0;  // steps
  uint32_t pending =
      0;  // not 0: a question that is not answered; the state is to be expanded again, nothing else counts
};

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
  // `sets`: for partial-order reduction; null: without. With it the memo keeps notes. `symmetry`: successors are
  // representatives; null: they are not. Beside a claim it is ignored. `handshakes`: their halves are memoised apart;
  // null: as wholes. With them the memo keeps notes. `profiler` may be null; with it, steps are handed over of all
  // processes at once, and are not put together of those of edges. `only_by_edges`: for tests, they are wherever they
  // can be. REQUIRES: handshakes neither beside sets nor beside a profiler, which counts whole steps.
  KeyGenerator(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, StepMemo<W>& memo,
               uint32_t worker, StubbornSets* sets = nullptr, const Symmetry* symmetry = nullptr,
               Handshakes* handshakes = nullptr, StepProfiler* profiler = nullptr, bool only_by_edges = false)
      : space_(space),
        generator_(generator),
        observer_(observer),
        profiler_(profiler),
        uses_timeout_(space.components().model().uses_timeout),
        collects_(sets != nullptr || symmetry != nullptr || profiler != nullptr),
        claim_(space),
        trace_(space.components().pieces()),
        memo_(memo),
        worker_(worker),
        only_by_edges_(only_by_edges),
        edges_(space, generator, memo, worker, only_by_edges),
        should_stop_([this] {
          bool stop = false;
          memo_.pause_use(worker_, [&] { stop = observer_.should_stop(); });
          return stop;
        }) {
    for (uint32_t mover = 0; mover < kMemoMovers; ++mover) {
      frame_fields_[mover] = space.layout().reader(own_component(mover));
    }
    control_field_ = space.layout().reader(kControlComponent);
    CHECK(handshakes == nullptr || (sets == nullptr && profiler == nullptr));
    if (sets != nullptr) chooser_.emplace(*sets);
    if (handshakes != nullptr) joiner_.emplace(space, generator, memo, worker, *handshakes, frame_fields_);
    if (symmetry != nullptr) sorter_.emplace(space, *symmetry);
  }

  // To be held around calls of expand() and prefetch(), for a batch of states and no longer.
  [[nodiscard]] ReaderLock::Reading use_memo() { return memo_.use(worker_); }

  // Asks for the memory that expand() is going to look at first. Worth it if the memo is large.
  void prefetch(const Key<W>& key) {
    const uint32_t count = control_of(key).process_count;
    for (uint32_t pid = count; pid-- > 0;) memo_.prefetch(key, pid, frame_fields_[pid](key.data()), false);
  }

  enum class Expanded : uint8_t {
    kAll,
    kTooNarrow,  // a re-layout is needed first; what the sink was given is to be thrown away, and no part was handed
                 // over
    kStopped,    // StepObserver::should_stop(): the sink was given some of the successors
  };
  // Gives the successors to `sink`, always in the same order: sink.add(key, Steps) for each process, whose
  // deltas.data() can be read even if there is none (it is 0 then).
  template <class Sink>
  [[nodiscard, gnu::always_inline]] Expanded expand(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    flags = {};
    ++expansions_;
    if (claim_.exists()) [[unlikely]]
      return expand_product(key, successors, flags);
    if (collects_) [[unlikely]]
      return expand_collected(key, successors, flags);
    bool timeout = false;
    return expand_system(key, successors, flags, timeout);
  }

  // With reduction: whether steps are left out in the states to come.
  void set_leaves_out(bool leaves_out) { leaves_out_ = leaves_out; }

  // That many steps of a state, which were left out, were taken after all.
  void take_back(uint64_t left_out) {
    --reductions_.states;
    reductions_.left_out -= left_out;
  }

  // What the key says about the claim and the labels of processes.
  [[nodiscard]] ClaimFacts<W>& claim() { return claim_; }

  // Of a product: the claim or a process is at an accepting location, and the claim is to move. In the middle of an
  // atomic sequence it stands still.
  [[nodiscard]] bool accepting(const Key<W>& key) {
    if (!claim_.accepting(key)) return false;
    const uint8_t holder = control_of(key).holder;
    return holder == kNoProcess || !can_move(key, holder);
  }

  // What the generator of the layout before knows about remembering.
  template <unsigned V>
  void take_over_habits(const KeyGenerator<V>& from) {
    for (uint32_t i = 0; i < kMemoMovers; ++i) habits_[i] = from.habits_[i].restarted();
    edges_.take_over_habits(from.edges_);
  }

  [[nodiscard]] MemoFigures figures() const {
    return {figures_.lookups, figures_.misses + (joiner_ ? joiner_->computed() : 0)};
  }
  [[nodiscard]] const ReductionFigures& reductions() const { return reductions_; }

 private:
  template <unsigned V>
  friend class KeyGenerator;

  // Nearly all keys of a model without run have the same control, or a few.
  [[nodiscard, gnu::always_inline]] KeySpace::Control control_of(const Key<W>& key) {
    const uint32_t id = control_field_(key.data());
    if (id >= controls_.size() || controls_[id].process_count == kUnknown) [[unlikely]]
      learn_control(key, id);
    return controls_[id];
  }
  [[gnu::noinline]] void learn_control(const Key<W>& key, uint32_t id) {
    if (id >= controls_.size()) controls_.resize(id + 1);
    controls_[id] = space_.control_of(space_.control(key.data()));
  }

  // `timeout`: its value when the steps were taken, or when none could be.
  template <class Sink>
  [[nodiscard, gnu::always_inline]] Expanded expand_system(const Key<W>& key, Sink& successors, ExpansionFlags& flags,
                                                           bool& timeout) {
    const KeySpace::Control control = control_of(key);
    uint32_t seen = 0;  // Steps::Flag of all processes
    if (control.holder != kNoProcess) {
      ++figures_.lookups;
      if (const Expanded result = add_process(key, control.holder, false, successors, seen); result != Expanded::kAll)
        return result;
      flags.holder_moves = (seen & Steps<W>::kMoves) != 0;
    }
    if ((seen & Steps<W>::kMoves) == 0) {
      if (const Expanded result = add_all(key, control.process_count, false, successors, seen);
          result != Expanded::kAll)
        return result;
      if ((seen & Steps<W>::kMoves) == 0) [[unlikely]] {
        timeout = true;
        if (uses_timeout_) {
          const Expanded result = add_all(key, control.process_count, true, successors, seen);
          if (result != Expanded::kAll) return result;
        }
        flags.blocked = (seen & Steps<W>::kMoves) == 0;
        flags.plain = flags.plain && !flags.blocked;
      }
    }
    note_special(seen, flags);
    if (!too_many_.empty()) [[unlikely]]
      return add_in_parts(key, successors, flags);
    return Expanded::kAll;
  }
  void note_special(uint32_t seen, ExpansionFlags& flags) const {
    if ((seen & Steps<W>::kSpecial) == 0) [[likely]]
      return;
    flags.plain = false;
    flags.needs_generator |= (seen & Steps<W>::kNeedsGenerator) != 0;
    flags.endless_atomic |= (seen & Steps<W>::kEndlessAtomic) != 0;
    flags.long_atomic |= (seen & Steps<W>::kLongAtomic) != 0;
    if ((seen & Steps<W>::kPending) != 0) flags.pending = pending_;
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
  [[nodiscard]] bool sort_successors(const Key<W>& key) {
    bool fits = true;
    for (Key<W>& delta : system_.deltas) {
      Key<W> successor = key ^ delta;
      fits &= sorter_->sort(successor);
      delta = key ^ successor;
      if (control_field_(delta.data()) != 0) system_.flags |= Steps<W>::kChangesControl;
    }
    return fits;
  }

  // --- the product with the claim

  template <class Sink>
  [[gnu::noinline]] Expanded expand_product(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    if (claim_.blocked(key)) {
      return claim_.traits().writes ? add_unblocked(key, successors, flags) : add_stuttering(key, successors, flags);
    }
    // The claim first, if nothing else has to be known for that: most of its dead ends need no step of the system.
    const bool claim_first = !claim_.traits().uses_timeout && control_of(key).holder == kNoProcess;
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
      if (result == Expanded::kAll && moves_.empty() && claim_.traits().uses_timeout && !timeout) {
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
    if (profiler_ == nullptr) [[likely]]
      return;
    const auto part = std::ranges::find_if(moves_.parts, [&](const auto& each) { return index < each.end; });
    const size_t begin = part == moves_.parts.begin() ? 0 : std::prev(part)->end;
    profiler_->uses().moves.push_back({part->number, static_cast<uint32_t>(index - begin), successors});
  }
  // A claim that changes variables can have made the system able to move again: then that moves, and its successors
  // are those of a state that is not marked.
  template <class Sink>
  Expanded add_unblocked(const Key<W>& key, Sink& successors, ExpansionFlags& flags) {
    ExpansionFlags system;
    bool timeout = false;
    if (const Expanded result = find_steps(key, system, timeout); result != Expanded::kAll) return result;
    if (system.blocked) return add_stuttering(key, successors, flags);
    begin_computation(key);
    claim_state_ = state_;
    store(claim_state_.data() + claim_.frame_offset() + kFrameProctype, uint8_t{0});
    Key<W> delta{};
    if (!space_.difference(key.data(), state_, claim_state_, KeySpace::kAll, delta.data()))
      return Expanded::kTooNarrow;
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
  Expanded find_steps(const Key<W>& key, ExpansionFlags& flags, bool& timeout) {
    system_.clear();
    flags = {};
    timeout = false;
    in_parts_ = false;
    const Expanded result = expand_system(key, system_, flags, timeout);
    if (chooser_ && leaves_out_ && result == Expanded::kAll && !in_parts_) leave_out(key, flags, timeout);
    return result;
  }
  // Errors that cut a step, and what is not decided, are no reasons to leave anything out.
  void leave_out(const Key<W>& key, ExpansionFlags& flags, bool timeout) {
    const uint32_t count = control_of(key).process_count;
    const bool reducible = flags.plain && !flags.holder_moves && !timeout && system_.parts.size() > 1 &&
                           count <= StubbornChooser::kMostProcesses && control_of(key).holder == kNoProcess;
    if (!reducible) return;
    movers_.assign(count, {});
    uint32_t begin = 0;
    for (const auto& part : system_.parts) {
      movers_[part.pid].steps = part.end - begin;
      begin = part.end;
    }
    const uint32_t control = control_field_(key.data());
    for (uint32_t pid = 0; pid < count; ++pid) {
      const uint32_t frame = frame_fields_[pid](key.data());
      movers_[pid].present = system_.notes[pid];
      movers_[pid].future = chooser_->future_of(control, pid, frame);
      if (movers_[pid].future != StubbornChooser::kUnknown) continue;
      movers_[pid].future = chooser_->learn_future({control, space_.control(key.data())}, static_cast<uint8_t>(pid),
                                                   frame, space_.content(own_component(pid), key.data()));
    }
    const uint64_t left_out = system_.keep(chooser_->choose(movers_));
    flags.left_out = left_out;
    ++reductions_.asked;
    reductions_.states += left_out > 0 ? 1 : 0;
    reductions_.left_out += left_out;
  }
  Expanded find_steps_at_timeout(const Key<W>& key, ExpansionFlags& flags) {
    system_.clear();
    flags = {};
    uint32_t seen = 0;
    const Expanded result = add_all(key, control_of(key).process_count, true, system_, seen);
    flags.blocked = (seen & Steps<W>::kMoves) == 0;
    note_special(seen, flags);
    return result;
  }
  // The claim's moves. `blocked`: they are steps of the product by themselves, because the system is.
  Expanded find_moves(const Key<W>& key, bool blocked, bool timeout, SystemSteps<W>& moves, ExpansionFlags& flags) {
    uint32_t mover = kClaimMover + (blocked ? kClaimBlocked : 0);
    if (claim_.traits().uses_non_progress && claim_.non_progress(key)) mover += kClaimNonProgress;
    uint32_t seen = 0;
    ++figures_.lookups;
    moves.clear();
    const Expanded result = add_process(key, mover, timeout, moves, seen);
    note_special(seen, flags);
    return result;
  }
  // Whether the system is blocked is nothing special in a product.
  static void merge(const ExpansionFlags& system, ExpansionFlags& flags) {
    flags.needs_generator |= system.needs_generator;
    flags.endless_atomic |= system.endless_atomic;
    flags.long_atomic |= system.long_atomic;
    if (system.pending != 0) flags.pending = system.pending;
    flags.plain = !flags.needs_generator && !flags.endless_atomic && !flags.long_atomic && flags.pending == 0;
  }
  [[nodiscard]] ComponentId own_component(uint32_t mover) const {
    return mover < kClaimMover ? space_.components().pieces().frame(mover, 0) : claim_.component();
  }

  template <class Sink>
  Expanded add_all(const Key<W>& key, uint32_t process_count, bool timeout, Sink& successors, uint32_t& seen) {
    figures_.lookups += process_count;
    uint32_t flags = 0;
    for (uint32_t pid = process_count; pid-- > 0;) {
      if (const Expanded result = add_process(key, pid, timeout, successors, flags); result != Expanded::kAll)
        return result;
    }
    seen |= flags;
    return Expanded::kAll;
  }

  template <class Sink>
  [[gnu::always_inline]] Expanded add_process(const Key<W>& key, uint32_t pid, bool timeout, Sink& successors,
                                              uint32_t& seen) {
    const uint32_t frame = frame_fields_[pid](key.data());
    if constexpr (requires { successors.set_mover(pid); }) successors.set_mover(pid);
    Steps<W> steps;
    if (habits_[pid].skips_lookup() || !memo_.find(key, pid, frame, timeout, steps)) [[unlikely]] {
      return add_computed(key, pid, frame, timeout, successors, seen);
    }
    if ((steps.flags & Steps<W>::kHalf) != 0) [[unlikely]] {
      if (!find_joined(key, pid, frame, timeout, steps))
        return add_computed(key, pid, frame, timeout, successors, seen);
    }
    seen |= steps.flags;
    if constexpr (requires { successors.set_note(0); }) {
      if (chooser_ && pid < kClaimMover) successors.set_note(memo_.note_of(steps));
    }
    if constexpr (requires { successors.set_note(0); }) {
      if (profiler_ != nullptr) [[unlikely]]
        profiler_->uses().asked.push_back(steps.number);
    }
    successors.add(key, steps);
    return Expanded::kAll;
  }

  // The steps of a process, of whose handshakes the memo has this half. False: they are not known.
  [[gnu::noinline]] bool find_joined(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, Steps<W>& steps) {
    const auto joined = joiner_->join(key, pid, steps);
    if (joined == HalfJoiner<W>::Joined::kWhole) return memo_.find(key, pid, frame, timeout, steps, MemoKind::kWhole);
    if (joined != HalfJoiner<W>::Joined::kSteps) return false;
    steps = joiner_->steps();
    return true;
  }

  // --- computing

  template <class Sink>
  [[gnu::noinline]] Expanded add_computed(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                                          Sink& successors, uint32_t& seen) {
    ++figures_.misses;
    const ProfiledComputation profiled(profiler_);
    const bool remember = habits_[pid].note_miss(expansions_, !claim_.exists());
    if ((!remember || only_by_edges_) && !chooser_ && profiler_ == nullptr && pid < kClaimMover) {
      switch (find_by_edges(key, pid, timeout)) {
        case EdgeSteps<W>::Found::kTooNarrow: too_many_.clear(); return Expanded::kTooNarrow;
        case EdgeSteps<W>::Found::kSteps: return add_by_edges<Sink>(key, successors, seen);
        case EdgeSteps<W>::Found::kUnknown: break;
      }
    }
    const bool fits = compute(key, pid, timeout, remember || chooser_);
    if (batch_.stopped) {
      too_many_.clear();
      return Expanded::kStopped;
    }
    if (!fits) {
      too_many_.clear();
      return Expanded::kTooNarrow;
    }
    seen |= computed_flags_;
    const uint32_t number = profiler_ == nullptr ? 0 : profiler_->number_steps();
    if (deltas_.size() > kMaxRememberedSteps) {
      too_many_.push_back({pid, timeout});
      return Expanded::kAll;
    }
    const Steps<W> steps{computed_flags_, deltas_, number};
    uint32_t note = 0;
    if constexpr (requires { successors.set_note(0); }) {
      if (chooser_ && pid < kClaimMover) {
        note = present_of(key, pid);
        successors.set_note(note);
      }
    }
    const bool lasts = !undecided_ && (number & kPassingSteps) == 0;
    if (remember && lasts && !remember_steps(key, pid, frame, timeout, steps, note)) {
      too_many_.clear();
      return Expanded::kTooNarrow;
    }
    add_if_any(key, steps, successors);
    return Expanded::kAll;
  }
  // SystemSteps wants to know of each process that can move, also if it has no step.
  template <class Sink>
  static void add_if_any(const Key<W>& key, const Steps<W>& steps, Sink& successors) {
    constexpr bool kTakesNone = requires(Sink sink) { sink.set_mover(0); };
    if (kTakesNone || !steps.deltas.empty()) successors.add(key, steps);
  }

  typename EdgeSteps<W>::Found find_by_edges(const Key<W>& key, uint32_t pid, bool timeout) {
    begin_computation(key);
    return edges_.find(key, state_, static_cast<uint8_t>(pid), timeout,
                       [&](const SuccessorBatch& batch) { observer_.on_steps(state_, batch); });
  }
  template <class Sink>
  Expanded add_by_edges(const Key<W>& key, Sink& successors, uint32_t& seen) {
    if (!edges_.computed()) --figures_.misses;
    const Steps<W> steps = edges_.steps();
    seen |= steps.flags;
    add_if_any(key, steps, successors);
    return Expanded::kAll;
  }

  // Computes the steps of a process: their flags, and deltas, of which there are too many if they are more than
  // kMaxRememberedSteps; the others then are not kept, but their contents get numbers. False: a number does not fit
  // its field.
  bool compute(const Key<W>& key, uint32_t pid, bool timeout, bool remember) {
    begin_computation(key);
    trace_.clear();
    const bool moves = ask_generator(pid, timeout, remember ? &trace_ : nullptr);
    computed_flags_ = moves ? uint32_t{Steps<W>::kMoves} : 0;
    undecided_ = false;
    bool fits = true;
    places_.clear();
    for (;;) {
      observer_.on_steps(state_, batch_);
      if (profiler_ != nullptr) [[unlikely]]
        profiler_->on_steps(state_, batch_);
      if (chooser_) note_places();
      fits &= take_portion(key, remember ? KeySpace::Touched(trace_.touched()) : KeySpace::kAll);
      undecided_ = undecided_ || has_undecided_guard(batch_);
      if (!batch_.more) return fits;
      if (deltas_.size() > kMaxRememberedSteps) deltas_.resize(kMaxRememberedSteps + 1);
      batch_.clear();
      generator_.resume(batch_);
    }
  }
  // Steps of the batch, one for each location that is left.
  void note_places() {
    for (const Step& step : batch_.steps) {
      const bool known = std::ranges::any_of(places_, [&](const Step& each) {
        return each.pid == step.pid && each.location == step.location && each.partner == step.partner &&
               each.partner_location == step.partner_location;
      });
      if (!known) places_.push_back(step);
    }
  }
  // Apart from the memo, which tells it only together with steps.
  [[gnu::noinline]] bool can_move(const Key<W>& key, uint8_t pid) {
    begin_computation(key);
    batch_.limits = {};
    return ask_generator(pid, false, nullptr);
  }
  // Whether the mover can move, or failed trying.
  bool ask_generator(uint32_t mover, bool timeout, TouchTrace* trace) {
    if (mover < kClaimMover) {
      return generator_.process_successors(state_, static_cast<uint8_t>(mover), timeout, trace, batch_);
    }
    claim_state_ = state_;
    if (((mover - kClaimMover) & kClaimBlocked) != 0) {
      store(claim_state_.data() + claim_.frame_offset() + kFrameProctype, uint8_t{1});
    }
    generator_.claim_moves(claim_state_, timeout, trace, batch_);
    return !batch_.entries.empty() || !batch_.errors.empty();
  }
  void begin_computation(const Key<W>& key) {
    if (unpacked_) {
      space_.unpack_changes(unpacked_key_.data(), key.data(), state_);
    } else {
      space_.unpack(key.data(), state_);
    }
    DCHECK(is_key_of(space_, key, state_));
    unpacked_ = true;
    unpacked_key_ = key;
    batch_.clear();
    batch_.limits = {kPortionEntries, kPortionSteps, &should_stop_};
    deltas_.clear();
  }
  // Appends the deltas of the batch, and its flags.
  bool take_portion(const Key<W>& key, const KeySpace::Touched& touched) {
    const bool fits = append_deltas(space_, key, state_, batch_, touched, control_field_, deltas_, computed_flags_);
    if (const uint32_t question = pending_question(batch_); question != 0) {
      computed_flags_ |= Steps<W>::kPending;
      pending_ = question;
    }
    return fits;
  }

  // A number for what the last computation looked at and changed.
  uint32_t present_of(const Key<W>& key, uint32_t pid) {
    changed_.clear();
    Key<W> all{};
    for (const Key<W>& delta : deltas_) {
      for (unsigned i = 0; i < W; ++i) all[i] |= delta[i];
    }
    for (const ComponentId component : trace_.touched()) {
      if (space_.layout().get(all.data(), component) != 0) changed_.push_back(component);
    }
    const StubbornChooser::Computed computed{state_, trace_.touched(), changed_, places_,
                                             (computed_flags_ & Steps<W>::kMoves) != 0};
    return chooser_->present_of({control_field_(key.data()), space_.control(key.data())}, static_cast<uint8_t>(pid),
                                space_.content(own_component(pid), key.data()), computed);
  }

  // What the last computation touched, or its halves. False: a number does not fit its field.
  bool remember_steps(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, const Steps<W>& steps,
                      uint32_t note) {
    using Joined = typename HalfJoiner<W>::Joined;
    const bool halves = joiner_ && trace_.handshakes();
    const Joined learned = halves ? joiner_->learn(key, state_, pid, timeout) : Joined::kWhole;
    if (learned == Joined::kSteps) CHECK(joiner_->agrees_with(steps));
    if (learned != Joined::kWhole) return learned != Joined::kTooNarrow;
    const std::span<const ComponentId> touched = trace_.touched();
    path_.assign(touched.begin(), touched.end());
    std::erase(path_, own_component(pid));
    space_.drop_absent(space_.control(key.data()), path_);
    const std::span<const uint32_t> notes(&note, chooser_ ? 1 : 0);
    memo_.insert(worker_, key, pid, frame, timeout, path_, steps, notes,
                 halves ? MemoKind::kWhole : MemoKind::kSteps);
    return true;
  }

  // The steps of those processes that have too many are computed again, now that their contents have numbers that
  // fit, and handed over in parts.
  template <class Sink>
  [[gnu::noinline]] Expanded add_in_parts(const Key<W>& key, Sink& successors, const ExpansionFlags& flags) {
    const std::vector<LongStep> all = std::exchange(too_many_, {});
    in_parts_ = true;
    if (flags.pending != 0) return Expanded::kAll;
    for (const LongStep& each : all) {
      if constexpr (requires { successors.set_mover(each.pid); }) successors.set_mover(each.pid);
      begin_computation(key);
      ask_generator(each.pid, each.timeout, nullptr);
      for (;;) {
        if (batch_.stopped) return Expanded::kStopped;
        deltas_.clear();
        computed_flags_ = 0;
        CHECK(take_portion(key, KeySpace::kAll));
        const uint32_t number = profiler_ == nullptr ? 0 : profiler_->number_portion(state_, batch_);
        if (!deltas_.empty()) successors.add(key, {computed_flags_, deltas_, number});
        if (!batch_.more) break;
        // Representatives are found when all steps are known, and may need a re-layout.
        if (!sorter_) memo_.pause_use(worker_, [&] { observer_.on_part(); });
        batch_.clear();
        generator_.resume(batch_);
      }
    }
    return Expanded::kAll;
  }

  static constexpr uint32_t kUnknown = 0xffffffff;
  static constexpr size_t kMaxRememberedSteps = 0xffff;
  static constexpr size_t kPortionEntries = 4096;  // what the generator computes at a time
  static constexpr size_t kPortionSteps = size_t{1} << 16;
  struct LongStep {
    uint32_t pid = 0;
    bool timeout = false;
  };

  KeySpace& space_;
  SuccessorGenerator& generator_;
  StepObserver& observer_;
  StepProfiler* const profiler_;  // null: there is no profile
  const bool uses_timeout_;
  const bool collects_;
  ClaimFacts<W> claim_;
  TouchTrace trace_;
  StepMemo<W>& memo_;
  const uint32_t worker_;
  const bool only_by_edges_;
  EdgeSteps<W> edges_;
  const std::function<bool()> should_stop_;
  std::array<FieldReader, kMemoMovers> frame_fields_;  // of piece 0 of the process, or of the claim
  FieldReader control_field_;
  struct UnknownControl : KeySpace::Control {
    UnknownControl() { process_count = kUnknown; }
    UnknownControl& operator=(const KeySpace::Control& control) {
      KeySpace::Control::operator=(control);
      return *this;
    }
  };
  std::vector<UnknownControl> controls_;  // by number
  std::vector<ComponentId> path_;
  std::vector<Key<W>> deltas_;      // of the last computation
  uint32_t computed_flags_ = 0;     // likewise, Steps::Flag
  bool undecided_ = false;          // likewise: some guard was not decided
  std::vector<LongStep> too_many_;  // of the state that is being expanded
  bool in_parts_ = false;           // steps of that state were handed over in parts, several for a process
  SuccessorBatch batch_;
  Bytes state_;
  Bytes claim_state_;      // the same, marked as blocked if it is
  bool unpacked_ = false;  // state_ is that of unpacked_key_
  Key<W> unpacked_key_;
  SystemSteps<W> moves_;                       // of the claim, in the state that is being expanded
  SystemSteps<W> stuttering_;                  // likewise, while the system is blocked
  SystemSteps<W> system_;                      // of the processes
  uint32_t pending_ = 0;                       // the question that the last computation with Steps::kPending met
  std::array<MemoHabit, kMemoMovers> habits_;  // by pid
  uint64_t expansions_ = 0;
  MemoFigures figures_;
  std::optional<HalfJoiner<W>> joiner_;     // none: halves of handshakes are not remembered apart
  std::optional<StubbornChooser> chooser_;  // none: no step is left out
  bool leaves_out_ = true;
  std::optional<KeySorter<W>> sorter_;  // none: successors are what they are
  std::vector<StubbornChooser::Mover> movers_;
  std::vector<ComponentId> changed_;  // by the last computation
  std::vector<Step> places_;          // likewise
  ReductionFigures reductions_;
};

}  // namespace cmc
