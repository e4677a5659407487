#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checker/keys/carried_steps.h"
#include "checker/keys/handshakes.h"
#include "checker/keys/memo_habit.h"
#include "checker/keys/step_choice.h"
#include "checker/keys/step_computer.h"
#include "checker/keys/step_memo.h"
#include "checker/keys/step_profiler.h"
#include "checker/keyspace/key_space.h"

namespace cmc {

class Symmetry;

// Of steps of processes.
struct MemoFigures {
  uint64_t lookups = 0;
  uint64_t misses = 0;   // computed
  uint64_t carried = 0;  // not looked up, since they are known from the state's parent (carried_steps.h)
};

// What is to be known about an expanded state beside its successors. All bits are zero at first: what begins with a
// 1 somewhere is put together elsewhere and copied, and the copy waits for it (6 % of Peterson 4).
struct ExpansionFlags {
  bool special = false;          // there is something to report or to ask
  bool blocked = false;          // no process can move
  bool needs_generator = false;  // there are errors: ask the generator for the whole batch
  bool holder_moves = false;     // a process holds atomicity and can move
  bool endless_atomic = false;
  bool long_atomic = false;
  uint64_t left_out = 0;  // steps
  uint32_t pending =
      0;  // not 0: a question that is not answered; the state is to be expanded again, nothing else counts
};

enum class Expanded : uint8_t {
  kAll,
  kTooNarrow,  // a re-layout is needed first; what the sink was given is to be thrown away, and no part was handed
               // over
  kStopped,    // StepObserver::should_stop(): the sink was given some of the successors
};

// How steps are found, beside what is memoised. Pointers may be null.
struct StepOptions {
  StubbornSets* sets = nullptr;        // for partial-order reduction. With it the memo keeps notes
  const Symmetry* symmetry = nullptr;  // successors are representatives. Beside a claim it is ignored
  // Halves of handshakes are memoised apart. With it the memo keeps notes. REQUIRES: no profiler, which counts whole
  // steps; it notes parts iff there are sets.
  Handshakes* handshakes = nullptr;
  // Steps are handed over of all processes at once, and are not put together of those of edges.
  StepProfiler* profiler = nullptr;
  bool only_by_edges = false;  // for tests: they are, wherever they can be
  bool expands_again = false;  // steps that are left out may be taken later, in the same layout
};

// What is known about remembering.
struct StepHabits {
  std::array<MemoHabit, kMovers> whole;  // by mover
  EdgeHabits edges;
};

template <unsigned W>
class EdgeSteps;
template <unsigned W>
class HalfJoiner;

// Finds the steps of a mover in the state of a key: looks them up in the memo, and has them computed if they are not
// known. One per worker and layout; the KeySpace and the memo are shared.
template <unsigned W>
class StepLookup {
 public:
  // `worker`: its number in `memo`.
  StepLookup(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, StepMemo<W>& memo,
             uint32_t worker, const StepOptions& options);
  ~StepLookup();
  StepLookup(const StepLookup&) = delete;
  StepLookup& operator=(const StepLookup&) = delete;

  // Asks for the memory that is going to be looked at first. Worth it if the memo is large.
  void prefetch(const Key<W>& key) {
    const uint32_t count = control_of(key).process_count;
    for (uint32_t pid = count; pid-- > 0;) memo_.prefetch(key, pid, frame_fields_[pid](key.data()), false);
  }

  // The same of what stands in a row and what does not.
  void prefetch(const Key<W>& key, const uint32_t* row, uint32_t processes) {
    const uint32_t count = control_of(key).process_count;
    for (uint32_t pid = std::min(count, processes); pid-- > 0;) {
      const uint32_t number = row[1 + pid] & ~carried_row::kAsleep;
      if (number != 0) {
        memo_.prefetch_leaf(number);
      } else {
        memo_.prefetch(key, pid, frame_fields_[pid](key.data()), false);
      }
    }
  }

  // To be called once for each state.
  void count_expansion() { ++expansions_; }
  void count_lookups(uint64_t more) { figures_.lookups += more; }
  // The steps of so many processes are known from the state's parent, but for those that find_to_carry() is asked
  // for.
  void count_carried(uint64_t more) { figures_.carried += more; }
  [[nodiscard]] MemoFigures figures() const;

  // Nearly all keys of a model without run have the same control, or a few.
  [[nodiscard, gnu::always_inline]] KeySpace::Control control_of(const Key<W>& key) {
    const uint32_t id = control_field_(key.data());
    if (id >= controls_.size() || controls_[id].process_count == kUnknown) [[unlikely]]
      learn_control(key, id);
    return controls_[id];
  }
  [[nodiscard]] bool changes_control(const Key<W>& delta) const { return control_field_(delta.data()) != 0; }

  // Gives the steps of all processes to `successors`, from the highest pid down.
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

  // Those of one; the look-up is to be counted. `seen`: adds their flags.
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
      Steps<W> joined;  // whose address is taken: the others stay in registers
      copy_members(steps, joined);
      if (!find_joined(key, pid, frame, timeout, joined))
        return add_computed(key, pid, frame, timeout, successors, seen);
      copy_members(joined, steps);
      if constexpr (requires { successors.set_note(0); }) successors.set_note(joined_note_);
    } else if constexpr (requires { successors.set_note(0); }) {
      if (choice_ && pid < kClaimMover) successors.set_note(memo_.note_of(steps));
    }
    seen |= steps.flags;
    if constexpr (requires { successors.set_note(0); }) {
      if (profiler_ != nullptr) [[unlikely]]
        profiler_->uses().asked.push_back(steps.number);
    }
    successors.add(key, steps);
    return Expanded::kAll;
  }

  // The steps of a process, of which the state's row has no leaf; afterwards `in_row`, its number there, is one.
  // False: find_to_carry() is to be asked.
  [[nodiscard, gnu::always_inline]] bool find_leaf(const Key<W>& key, uint32_t pid, uint32_t& in_row,
                                                   Steps<W>& steps) {
    if (habits_[pid].skips_lookup() || !memo_.find(key, pid, frame_fields_[pid](key.data()), false, steps))
      return false;
    if ((steps.flags & Steps<W>::kHalf) != 0 || steps.number - 1 >= carried_row::kAsleep - 1) [[unlikely]]
      return false;
    ++figures_.lookups;
    --figures_.carried;
    in_row = (in_row & carried_row::kAsleep) | steps.number;
    return true;
  }
  // The same if find_leaf() knew only a half of them, or none; `steps` is what it has left there. Afterwards the row
  // has a leaf, or `carried` has an entry.
  [[nodiscard]] Expanded find_to_carry(const Key<W>& key, uint32_t pid, CarriedState<W>& carried, Steps<W>& steps);
  // Those of a leaf.
  [[nodiscard, gnu::always_inline]] Steps<W> steps_of(uint32_t number) const {
    const typename StepMemo<W>::Leaf& leaf = memo_.leaf(number);
    return {leaf.flags, memo_.deltas_of(leaf), number};
  }
  // Writes `row`, that of a state which a step `delta` of `mover` leads to from another one, `from`. REQUIRES: the
  // memo is in use, and is what it was when `from` was expanded, or from.known is 0.
  [[gnu::always_inline]] void write_row(const CarriedState<W>& from, uint32_t mover, const Key<W>& delta,
                                        uint32_t* row, uint32_t processes) const {
    uint32_t steps = 0;
    uint32_t flags = 0;
    for_each_carried(from, mover, delta, 0, from.known,
                     [&](uint32_t pid, const Carried& its, uint32_t same, uint32_t asleep) {
                       const uint32_t counted = its.leaf != 0 ? asleep : 0;
                       steps += its.count & counted;
                       flags |= its.flags & counted;
                       row[1 + pid] = (its.leaf & same) | (carried_row::kAsleep & asleep);
                     });
    for (uint32_t pid = from.known; pid < processes; ++pid) row[1 + pid] = 0;
    row[0] = steps | ((flags & Steps<W>::kMoves) != 0 ? carried_row::kMoves : 0);
  }
  // Adds to `row`, which tells only who is asleep, the steps that its state has in common with `from`, from which it
  // differs in `delta`. REQUIRES: as write_row().
  [[gnu::always_inline]] void carry_over(const CarriedState<W>& from, const Key<W>& delta, uint32_t* row) const {
    uint32_t flags = 0;
    for (uint32_t pid = 0; pid < from.known; ++pid) {
      const uint32_t number = from.row[1 + pid] & ~carried_row::kAsleep;
      if (number == 0) continue;
      const typename StepMemo<W>::Leaf& leaf = memo_.leaf(number);
      if (!are_disjoint(delta, memo_.touched_by(leaf) | frame_masks_[pid])) continue;
      const uint32_t asleep = row[1 + pid] != 0 ? ~uint32_t{0} : 0;
      row[0] += leaf.count & asleep;
      flags |= leaf.flags & asleep;
      row[1 + pid] |= number;
    }
    row[0] |= (flags & Steps<W>::kMoves) != 0 ? carried_row::kMoves : 0;
  }
  // The same, of which only who is asleep is kept.
  [[nodiscard, gnu::always_inline]] SleepMask asleep_after(const CarriedState<W>& from, uint32_t mover,
                                                           const Key<W>& delta) const {
    uint32_t mask = 0;
    for_each_carried(from, mover, delta, mover + 1, std::min(from.known, kMostSleepers),
                     [&](uint32_t pid, const Carried&, uint32_t, uint32_t asleep) { mask |= asleep & 1U << pid; });
    return static_cast<SleepMask>(mask);
  }

  // Some process of the state has more steps than are kept: none of them has been given to the sink.
  [[nodiscard]] bool has_too_many() const { return !too_many_.empty(); }
  // Those are computed again, now that their contents have numbers that fit, and handed over in parts.
  template <class Sink>
  [[gnu::noinline]] Expanded add_in_parts(const Key<W>& key, Sink& successors, const ExpansionFlags& flags) {
    const std::vector<LongStep> all = std::exchange(too_many_, {});
    if (flags.pending != 0) return Expanded::kAll;
    for (const LongStep& each : all) {
      if constexpr (requires { successors.set_mover(each.pid); }) successors.set_mover(each.pid);
      computer_.begin_portions(key.data(), each.pid, each.timeout);
      for (;;) {
        if (computer_.stopped()) return Expanded::kStopped;
        const Steps<W> steps = portion(key);
        if (!steps.deltas.empty()) successors.add(key, steps);
        if (!computer_.has_more()) break;
        // Representatives are found when all steps are known, and may need a re-layout.
        if (!keeps_parts_) memo_.pause_use(worker_, [&] { observer_.on_part(); });
        computer_.go_on();
      }
    }
    return Expanded::kAll;
  }

  void note_special(uint32_t seen, ExpansionFlags& flags) const {
    if ((seen & Steps<W>::kSpecial) == 0) [[likely]]
      return;
    flags.special = true;
    flags.needs_generator |= (seen & Steps<W>::kNeedsGenerator) != 0;
    flags.endless_atomic |= (seen & Steps<W>::kEndlessAtomic) != 0;
    flags.long_atomic |= (seen & Steps<W>::kLongAtomic) != 0;
    if ((seen & Steps<W>::kPending) != 0) flags.pending = computer_.pending();
  }

  // Apart from the memo, which tells it only together with steps.
  [[nodiscard]] bool can_move(const Key<W>& key, uint8_t pid) { return computer_.can_move(key.data(), pid); }
  // StepComputer::unblock().
  [[nodiscard]] bool unblock(const Key<W>& key, Key<W>& delta) { return computer_.unblock(key.data(), delta.data()); }
  // Whether halves of handshakes are remembered, which may need a re-layout where the steps themselves do not.
  void set_learns_halves(bool learns) { learns_halves_ = learns; }
  // None: no step is left out.
  [[nodiscard]] std::optional<StepChoice>& choice() { return choice_; }

  [[nodiscard]] StepHabits habits() const;
  // Of the layout before.
  void take_over(const StepHabits& habits);

 private:
  struct Carried {
    Key<W> touched;
    Key<W> changed;
    uint32_t count;
    uint32_t flags;
    uint32_t leaf;
  };
  [[gnu::always_inline]] Carried carried(const CarriedState<W>& state, uint32_t pid) const {
    const uint32_t number = state.row[1 + pid] & ~carried_row::kAsleep;
    if (number == 0) [[unlikely]] {
      const CarriedEntry<W>& entry = state.entries[pid];
      return {entry.touched, entry.changed, entry.count, entry.flags, 0};
    }
    const typename StepMemo<W>::Leaf& leaf = memo_.leaf(number);
    return {memo_.touched_by(leaf) | frame_masks_[pid], leaf.changed, leaf.count, leaf.flags, number};
  }
  // Of the processes from `begin` below `end`, behind a step `delta` of `mover`: each(pid, what is carried, whether
  // it stays so, whether the process sleeps), as all bits or none.
  template <class Each>
  [[gnu::always_inline]] void for_each_carried(const CarriedState<W>& from, uint32_t mover, const Key<W>& delta,
                                               uint32_t begin, uint32_t end, Each&& each) const {
    if (begin >= end) return;
    const Key<W> touched = carried(from, mover).touched;
    for (uint32_t pid = begin; pid < end; ++pid) {
      const Carried its = carried(from, pid);
      const uint32_t same = are_disjoint(delta, its.touched) ? ~uint32_t{0} : 0;
      const bool sleeps = pid > mover && are_disjoint(its.changed, touched) && (its.flags & Steps<W>::kSpecial) == 0;
      each(pid, its, same, sleeps ? same : 0);
    }
  }
  void learn_control(const Key<W>& key, uint32_t id);
  // The steps of a process, of whose handshakes the memo has this half. False: they are not known.
  bool find_joined(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, Steps<W>& steps);

  // --- what the memo does not know

  struct Found {
    Expanded result = Expanded::kAll;
    bool too_many = false;  // they are handed over later
    Steps<W> steps;
    uint32_t note = 0;  // StepChoice::present_of()
  };

  template <class Sink>
  [[gnu::noinline]] Expanded add_computed(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout,
                                          Sink& successors, uint32_t& seen) {
    const ProfiledComputation profiled(profiler_);
    const Found found = compute(key, pid, frame, timeout);
    if (found.result != Expanded::kAll) {
      too_many_.clear();
      return found.result;
    }
    seen |= found.steps.flags;
    if (found.too_many) return Expanded::kAll;
    if constexpr (requires { successors.set_note(0); }) {
      if (choice_ && pid < kClaimMover) successors.set_note(found.note);
    }
    // SystemSteps wants to know of each process that can move, also if it has no step.
    constexpr bool kTakesNone = requires { successors.set_mover(0); };
    if (kTakesNone || !found.steps.deltas.empty()) successors.add(key, found.steps);
    return Expanded::kAll;
  }
  Found compute(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout);
  // What the last computation touched, or its halves.
  Expanded remember_steps(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, const Found& found);
  std::span<const Key<W>> copy_deltas();
  Steps<W> portion(const Key<W>& key);

  static constexpr uint32_t kUnknown = 0xffffffff;
  struct LongStep {
    uint32_t pid = 0;
    bool timeout = false;
  };
  struct UnknownControl : KeySpace::Control {
    UnknownControl() { process_count = kUnknown; }
    UnknownControl& operator=(const KeySpace::Control& control) {
      KeySpace::Control::operator=(control);
      return *this;
    }
  };

  KeySpace& space_;
  StepObserver& observer_;
  StepMemo<W>& memo_;
  const uint32_t worker_;
  StepProfiler* const profiler_;  // null: there is no profile
  const bool only_by_edges_;
  const bool keeps_parts_;                         // the sink is not emptied between parts
  std::array<FieldReader, kMovers> frame_fields_;  // of piece 0 of the process, or of the claim
  std::array<Key<W>, kMovers> frame_masks_{};      // likewise
  FieldReader control_field_;
  std::vector<UnknownControl> controls_;   // by number
  std::array<MemoHabit, kMovers> habits_;  // by mover
  uint64_t expansions_ = 0;
  MemoFigures figures_;
  StepComputer computer_;
  const std::unique_ptr<EdgeSteps<W>> edges_;
  std::unique_ptr<HalfJoiner<W>> joiner_;  // null: halves of handshakes are not remembered apart
  bool learns_halves_ = true;
  uint32_t joined_note_ = 0;  // of the steps that were found by find_joined(), with choice_
  std::optional<StepChoice> choice_;
  std::vector<Key<W>> deltas_;  // of the last computation
  const Key<W> none_{};
  std::vector<LongStep> too_many_;  // of the state that is being expanded
};

}  // namespace cmc
