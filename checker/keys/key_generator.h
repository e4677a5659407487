#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/keys/converter.h"
#include "checker/keys/key_space.h"
#include "checker/keys/step_memo.h"

namespace cmc {

struct MemoFigures {
  uint64_t lookups = 0;
  uint64_t misses = 0;
  uint64_t clears = 0;
  uint64_t bytes = 0;
};

// Told of everything that is computed (not looked up), once or more often; the state that it was computed in is given.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_steps(ByteView state, const SuccessorBatch& batch) = 0;
};

// What is to be known about an expanded state beside its successors.
struct ExpansionFlags {
  bool blocked = false;          // no process can move
  bool needs_generator = false;  // there are errors: ask the generator for the whole batch
  bool endless_atomic = false;
  bool long_atomic = false;
};

// Keys that are appended many at a time; the memory is kept.
template <unsigned W>
class KeyBuffer {
 public:
  void clear() { size_ = 0; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] const Key<W>& operator[](size_t index) const { return keys_[index]; }
  [[nodiscard]] Key<W>& operator[](size_t index) { return keys_[index]; }
  [[nodiscard]] const Key<W>* begin() const { return keys_.data(); }
  [[nodiscard]] const Key<W>* end() const { return keys_.data() + size_; }
  // Appends `count` keys, which the caller writes.
  Key<W>* append(size_t count) {
    if (size_ + count > keys_.size()) [[unlikely]] keys_.resize(2 * keys_.size() + count);
    size_ += count;
    return keys_.data() + (size_ - count);
  }
  void shrink(size_t size) { size_ = size; }

 private:
  std::vector<Key<W>> keys_ = std::vector<Key<W>>(64);
  size_t size_ = 0;
};

// Maps the key of a state to the keys of its successors: look-ups in the memo, the generator where it does not know yet.
// One per worker and layout; the KeySpace is shared.
template <unsigned W>
class KeyGenerator {
 public:
  KeyGenerator(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, uint64_t memo_bytes)
      : space_(space),
        generator_(generator),
        observer_(observer),
        uses_timeout_(space.components().model().uses_timeout),
        trace_(space.components().pieces()),
        memo_(space.layout(), memo_bytes) {
    for (uint32_t pid = 0; pid < kMaxProcesses; ++pid) {
      frame_fields_[pid] = space.layout().field(space.components().pieces().frame(pid, 0));
    }
    control_field_ = space.layout().field(kControlComponent);
  }

  // Appends the successors in the order of the generator. False: a re-layout is needed first; what was appended is to be
  // thrown away.
  [[nodiscard, gnu::always_inline]] bool expand(const Key<W>& key, KeyBuffer<W>& successors, ExpansionFlags& flags) {
    flags = {};
    unpacked_ = false;
    const KeySpace::Control control = control_of(key);
    if (control.holder != kNoProcess) {
      bool moves = false;
      if (!add_process(key, control.holder, false, successors, flags, moves)) return false;
      if (moves) return true;
    }
    if (!add_all(key, control.process_count, false, successors, flags)) return false;
    if (flags.blocked && uses_timeout_) return add_all(key, control.process_count, true, successors, flags);
    return true;
  }

  // What the generator of the layout before remembers.
  template <unsigned V>
  void take_over_memo(KeyGenerator<V>& from, const Converter<V, W>& convert) {
    memo_.take_over(from.memo_, convert);
    for (uint32_t pid = 0; pid < kMaxProcesses; ++pid) habits_[pid].unremembered = from.habits_[pid].unremembered;
  }

  [[nodiscard]] uint64_t memo_bytes() const { return memo_.memory_bytes(); }
  [[nodiscard]] MemoFigures figures() const {
    MemoFigures figures{0, 0, memo_.clears(), memo_.memory_bytes()};
    for (const Habit& habit : habits_) {
      figures.lookups += habit.lookups;
      figures.misses += habit.misses;
    }
    return figures;
  }

 private:
  template <unsigned V>
  friend class KeyGenerator;

  // Nearly all keys of a model without run have the same control, or a few.
  [[nodiscard, gnu::always_inline]] KeySpace::Control control_of(const Key<W>& key) {
    const uint32_t id = control_field_.get(key.words.data());
    if (id >= controls_.size() || controls_[id].process_count == kUnknown) [[unlikely]] learn_control(key, id);
    return controls_[id];
  }
  [[gnu::noinline]] void learn_control(const Key<W>& key, uint32_t id) {
    if (id >= controls_.size()) controls_.resize(id + 1);
    controls_[id] = space_.control_of(space_.control(key.words.data()));
  }

  bool add_all(const Key<W>& key, uint32_t process_count, bool timeout, KeyBuffer<W>& successors,
               ExpansionFlags& flags) {
    bool any = false;
    for (uint32_t pid = process_count; pid-- > 0;) {
      bool moves = false;
      if (!add_process(key, pid, timeout, successors, flags, moves)) return false;
      any |= moves;
    }
    flags.blocked = !any;
    return true;
  }

  [[gnu::always_inline]] bool add_process(const Key<W>& key, uint32_t pid, bool timeout, KeyBuffer<W>& successors,
                   ExpansionFlags& flags, bool& moves) {
    const uint32_t frame = frame_fields_[pid].get(key.words.data());
    Steps<W> steps;
    Habit& habit = habits_[pid];
    ++habit.lookups;
    if (!memo_.find(key, pid, frame, timeout, steps)) [[unlikely]] {
      if (!compute(key, pid, frame, timeout, steps)) return false;
    }
    Key<W>* next = successors.append(steps.deltas.size());
    for (const Key<W>& delta : steps.deltas) *next++ = key ^ delta;
    moves = (steps.flags & Steps<W>::kMoves) != 0;
    if ((steps.flags & ~uint32_t{Steps<W>::kMoves}) != 0) [[unlikely]] {
      flags.needs_generator |= (steps.flags & Steps<W>::kNeedsGenerator) != 0;
      flags.endless_atomic |= (steps.flags & Steps<W>::kEndlessAtomic) != 0;
      flags.long_atomic |= (steps.flags & Steps<W>::kLongAtomic) != 0;
    }
    return true;
  }

  [[gnu::noinline]] bool compute(const Key<W>& key, uint32_t pid, uint32_t frame, bool timeout, Steps<W>& steps) {
    const uint64_t* const words = key.words.data();
    const bool remember = note_miss(habits_[pid]);
    if (!unpacked_) space_.unpack(words, state_);
    unpacked_ = true;
    batch_.clear();
    trace_.clear();
    const bool moves = generator_.process_successors(state_, static_cast<uint8_t>(pid), timeout,
                                                     remember ? &trace_ : nullptr, batch_);
    observer_.on_steps(state_, batch_);
    const KeySpace::Touched touched = remember ? KeySpace::Touched(trace_.touched()) : KeySpace::kAll;
    deltas_.assign(batch_.entries.size(), Key<W>{});
    bool fits = true;
    for (size_t i = 0; i < batch_.entries.size(); ++i) {
      fits &= space_.difference(words, state_, batch_.state(batch_.entries[i]), touched, deltas_[i].words.data());
    }
    if (!fits) return false;
    steps.flags = 0;
    if (moves) steps.flags |= Steps<W>::kMoves;
    if (!batch_.errors.empty()) steps.flags |= Steps<W>::kNeedsGenerator;
    if (batch_.endless_atomic) steps.flags |= Steps<W>::kEndlessAtomic;
    if (batch_.long_atomic) steps.flags |= Steps<W>::kLongAtomic;
    steps.deltas = deltas_;
    if (!remember || deltas_.size() > kMaxRememberedSteps || undecided(batch_)) return true;
    path_.assign(touched->begin(), touched->end());
    const ComponentId own = space_.components().pieces().frame(pid, 0);
    std::erase(path_, own);
    space_.drop_absent(space_.control(words), path_);
    memo_.insert(key, pid, frame, timeout, path_, steps);
    return true;
  }

  // Whether some guard was not decided: nothing about the values that were looked at.
  static bool undecided(const SuccessorBatch& batch) {
    return std::ranges::any_of(
        batch.errors, [](const RuntimeError& error) { return error.kind == RuntimeErrorKind::kUndecidedGuard; });
  }

  // How well remembering pays for a process. Where less than half of the look-ups find anything, the next steps are computed
  // without noting what they touch, which is cheaper, and without remembering them; then it is tried again.
  struct Habit {
    uint64_t lookups = 0;
    uint64_t misses = 0;
    uint64_t window_begin = 0;   // in lookups
    uint32_t window_misses = 0;
    uint32_t unremembered = 0;   // still to be computed so
  };
  static constexpr uint32_t kWindowMisses = 4096;
  static constexpr uint32_t kUnremembered = 1 << 17;

  // Whether the step that is about to be computed shall be remembered.
  static bool note_miss(Habit& habit) {
    ++habit.misses;
    if (habit.unremembered > 0) {
      if (--habit.unremembered == 0) habit.window_begin = habit.lookups;
      return false;
    }
    if (++habit.window_misses == kWindowMisses) {
      if (habit.lookups - habit.window_begin < 2 * kWindowMisses) habit.unremembered = kUnremembered;
      habit.window_begin = habit.lookups;
      habit.window_misses = 0;
    }
    return true;
  }

  static constexpr uint32_t kUnknown = 0xffffffff;
  static constexpr size_t kMaxRememberedSteps = 0xffff;

  KeySpace& space_;
  SuccessorGenerator& generator_;
  StepObserver& observer_;
  const bool uses_timeout_;
  TouchTrace trace_;
  StepMemo<W> memo_;
  std::array<Layout::Field, kMaxProcesses> frame_fields_;  // of piece 0, by pid
  Layout::Field control_field_;
  struct UnknownControl : KeySpace::Control {
    UnknownControl() { process_count = kUnknown; }
    UnknownControl& operator=(const KeySpace::Control& control) {
      KeySpace::Control::operator=(control);
      return *this;
    }
  };
  std::vector<UnknownControl> controls_;  // by number
  std::vector<ComponentId> path_;
  std::vector<Key<W>> deltas_;
  SuccessorBatch batch_;
  Bytes state_;
  bool unpacked_ = false;
  std::array<Habit, kMaxProcesses> habits_;  // by pid
};

}  // namespace cmc
