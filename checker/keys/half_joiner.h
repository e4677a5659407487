#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/keys/half_computer.h"
#include "checker/keys/joined_notes.h"
#include "checker/keys/message_takers.h"
#include "checker/keys/step_memo.h"
#include "checker/keyspace/key_space.h"

namespace cmc {

// Joins the halves of handshakes (Half) that a StepMemo remembers to whole steps.
//
// A half lies in the memo as steps with Steps::kHalf. Their deltas are those of its items, from the state in which it
// was computed; what the items are stands in the notes. Whoever is offered a message is looked up in the key of the
// state that the offer leads to, in which nobody holds atomicity; so he sees what the sender has done, and the deltas
// of both compose. Because he may offer messages himself, joining is a recursion. A handshake of many processes that
// ends nowhere, or late, is left to whole steps, as is what Half::whole is about.
//
// Coverage: every part of a step is a part of some whole computation. An offer, or an else beside offers, has been
// taken in one if it is marked (kSeen); before that, nothing is joined.
//
// Merged local steps (HalfPaths): whoever offers goes on only when the handshake is over, so others are asked before
// that. Where paths meet, or whoever is going on takes a message himself, the steps are left to whole ones.
template <unsigned W>
class HalfJoiner {
 public:
  // `frame_fields`, `frame_masks`: of piece 0, by pid. All stay.
  HalfJoiner(KeySpace& space, SuccessorGenerator& generator, StepMemo<W>& memo, uint32_t worker,
             Handshakes& handshakes, StubbornSets* sets, std::span<const FieldReader> frame_fields,
             std::span<const Key<W>> frame_masks)
      : memo_(memo),
        worker_(worker),
        computer_(space, generator, handshakes, sets, W),
        takers_(space, handshakes, frame_fields),
        notes_parts_(handshakes.notes_parts()),
        notes_(space.layout()),
        frame_fields_(frame_fields),
        frame_masks_(frame_masks),
        control_field_(space.layout().reader(kControlComponent)) {}

  enum class Joined : uint8_t {
    kSteps,
    kUnknown,    // some part: compute the steps as a whole, then learn()
    kWhole,      // they cannot be joined: the memo may have them as a whole
    kTooNarrow,  // of learn(): a re-layout is needed first
  };
  // The steps of `pid`, whose half is `half`; they are in steps().
  [[nodiscard]] Joined join(const Key<W>& key, uint32_t pid, const Steps<W>& half) {
    const Joined result = join_all(key, pid, half);
    if (result != Joined::kSteps || !notes_parts_) return result;
    const std::optional<uint32_t> note = notes_.find(changed_bits().data());
    if (!note) return Joined::kUnknown;
    note_ = *note;
    return result;
  }
  // Beside the last joined steps, as a memo would have it. REQUIRES: Handshakes::notes_parts().
  [[nodiscard]] uint32_t note() const { return note_; }
  // Of the steps that were learned last, whose computation touched that.
  void learn_note(std::span<const ComponentId> touched, uint32_t note) {
    if (!notes_parts_) return;
    const Key<W> changed = changed_bits();
    DCHECK(notes_.find(changed.data()).value_or(note) == note);
    notes_.learn(touched, changed.data(), note);
  }
  // What the last join() looked at, as bits of a key. REQUIRES: the memo keeps leaves.
  [[nodiscard]] const Key<W>& touched() const { return touched_; }
  // They look at what these, of the memo, looked at, too.
  void note_touched(const Steps<W>& steps) {
    if (notes_touched_) touched_ |= memo_.touched_by(memo_.leaf(steps.number));
  }
  [[nodiscard]] Steps<W> steps() const {
    uint32_t flags = moves_ ? uint32_t{Steps<W>::kMoves} : 0;
    for (const Key<W>& delta : joined_) {
      if (control_field_(delta.data()) != 0) flags |= Steps<W>::kChangesControl;
    }
    return {flags, joined_.empty() ? std::span(&none_, 0) : std::span<const Key<W>>(joined_)};
  }
  // Whether steps() are these, which were computed as a whole.
  [[nodiscard]] bool agrees_with(const Steps<W>& whole) const {
    const Steps<W> joined = steps();
    return joined.flags == whole.flags && std::ranges::equal(joined.deltas, whole.deltas);
  }
  // Remembers the halves of the steps that were computed as a whole; `state` is that of the key. kUnknown: the memo
  // has no room.
  [[nodiscard]] Joined learn(const Key<W>& key, ByteView state, uint32_t pid, bool timeout) {
    learns_ = true;
    const Joined result = learn_all(key, state, pid, timeout);
    learns_ = false;
    return result;
  }

  [[nodiscard]] uint64_t computed() const { return computer_.computed(); }  // halves

 private:
  struct Sender {
    Key<W> total{};  // how the first state became this one
    uint32_t pid = 0;
    uint32_t depth = 0;
  };
  void begin(uint32_t pid, const Steps<W>& half) {
    joined_.clear();
    asked_ = 0;
    notes_touched_ = memo_.keeps_leaves();
    if (notes_touched_) touched_ = frame_masks_[pid];
    note_touched(half);
    moves_ = (half.flags & Steps<W>::kMoves) != 0;
    merged_ = false;
    deepest_ = 0;
    going_on_.clear();
    if (notes_parts_ && (half.flags & Steps<W>::kWhole) == 0) notes_.begin(part_of(half));
  }
  [[nodiscard]] Joined join_all(const Key<W>& key, uint32_t pid, const Steps<W>& half) {
    begin(pid, half);
    const Joined result = follow(key, {{}, pid, 0}, half);
    return result == Joined::kSteps && merged_ && !merges_alone() ? Joined::kWhole : result;
  }
  // Whether no paths of merged steps meet, nor are there so many that they would not be followed (ChainCloser).
  [[nodiscard]] bool merges_alone() const {
    if (joined_.size() > kMostMerged || deepest_ > kDeepestMerged) return false;
    for (size_t i = 1; i < joined_.size(); ++i) {
      for (size_t other = 0; other < i; ++other) {
        if (joined_[i] == joined_[other]) return false;
      }
    }
    return true;
  }
  [[nodiscard]] uint32_t part_of(const Steps<W>& half) const { return memo_.note_of(half) >> HalfNote::kShift; }
  [[nodiscard]] Key<W> changed_bits() const {
    Key<W> bits{};
    for (const Key<W>& delta : joined_) bits |= delta;
    return bits;
  }

  // From the state `at`, in which the half was looked up.
  Joined follow(const Key<W>& at, const Sender& sender, const Steps<W>& half) {
    if ((half.flags & Steps<W>::kWhole) != 0) return Joined::kWhole;
    deepest_ = std::max(deepest_, sender.depth);
    size_t taken_behind = 0;  // the last offer that was taken, and 1
    for (size_t i = notes_parts_ ? 1 : 0; i < half.deltas.size(); ++i) {
      const uint32_t note = memo_.note_of(half, i);
      const uint32_t count = note >> HalfNote::kShift & HalfNote::kMostItems;
      if ((note & HalfNote::kKind) == HalfNote::kUnless && taken_behind > 0 && taken_behind + count > i) {
        i += note >> (HalfNote::kShift + HalfNote::kCountBits) & HalfNote::kMostItems;
        continue;
      }
      if ((note & HalfNote::kKind) == HalfNote::kSuccessor) {
        if (joined_.size() == kMostSteps) return Joined::kWhole;
        merged_ |= (note & HalfNote::kGoesOn) != 0;
        joined_.push_back(sender.total ^ half.deltas[i]);
        continue;
      }
      const size_t item = i;
      if ((note & HalfNote::kKind) == HalfNote::kOffer) {
        if ((note & HalfNote::kGoesOn) != 0) ++i;
        bool taken = false;
        const Joined result = offer(at ^ half.deltas[item], {sender.total ^ half.deltas[i], sender.pid, sender.depth},
                                    item, note, taken);
        if (result != Joined::kSteps) return result;
        if (!taken) continue;
        taken_behind = i + 1;
        moves_ |= sender.depth == 0;
      }
      if ((note & HalfNote::kSeen) != 0) continue;
      if (!learns_) return Joined::kUnknown;
      memo_.mark_note(half, item, HalfNote::kSeen);
    }
    return Joined::kSteps;
  }

  // By item `item` of a half. `sender.total` is as if he had gone on, which he does when all is over; the state is
  // not.
  Joined offer(const Key<W>& at, const Sender& sender, size_t item, uint32_t note, bool& taken) {
    const bool goes_on = (note & HalfNote::kGoesOn) != 0;
    if (goes_on) going_on_.push_back(sender.pid);
    const Joined result = ask(at, sender, item, note, taken);
    if (goes_on) going_on_.pop_back();
    merged_ |= goes_on && taken;
    return result;
  }
  Joined ask(const Key<W>& at, const Sender& sender, size_t item, uint32_t note, bool& taken) {
    if (sender.depth == kDeepest || ++asked_ > kMostAsked) return Joined::kWhole;
    const bool timeout = (note & HalfNote::kTimeout) != 0;
    const uint32_t message = (note & ~HalfNote::kSeen) >> HalfNote::kShift;
    const uint32_t channel = takers_.channel_of(message);
    for (const MessageTakers::Candidate& each : takers_.candidates(at.data(), channel)) {
      if (each.pid == sender.pid) continue;
      if (notes_touched_) touched_ |= frame_masks_[each.pid];
      if (!takers_.may_take(each, at.data(), channel)) {
        if (!note_part(sender, item, notes_parts_ ? takers_.refusal(each, at.data()) : 0)) return Joined::kWhole;
        continue;
      }
      Steps<W> half;
      if (!memo_.find(at, each.pid, message, timeout, half, MemoKind::kAccept)) {
        if (!learns_) return Joined::kUnknown;
        const Joined result = learn_accept(at, each.pid, message, timeout);
        if (result != Joined::kSteps) return result;
        if (!memo_.find(at, each.pid, message, timeout, half, MemoKind::kAccept)) return Joined::kUnknown;
      }
      note_touched(half);
      const bool whole = (half.flags & Steps<W>::kWhole) != 0;
      if (!whole && !note_part(sender, item, notes_parts_ ? part_of(half) : 0)) return Joined::kWhole;
      if ((half.flags & (Steps<W>::kMoves | Steps<W>::kWhole)) == 0) continue;
      taken = true;
      if (std::ranges::find(going_on_, each.pid) != going_on_.end()) return Joined::kWhole;
      const Joined result = follow(at, {sender.total, each.pid, sender.depth + 1}, half);
      if (result != Joined::kSteps) return result;
    }
    return Joined::kSteps;
  }

  // Who was asked by an item. False: it has no number.
  [[nodiscard]] bool note_part(const Sender& by, size_t item, uint32_t part) {
    if (notes_parts_ && part < JoinedNotes::kMostParts) notes_.add(by.depth + 1, item, part);
    return part < JoinedNotes::kMostParts;
  }

  // --- computing

  [[gnu::noinline]] Joined learn_all(const Key<W>& key, ByteView state, uint32_t pid, bool timeout) {
    const uint32_t frame = frame_fields_[pid](key.data());
    Steps<W> half;
    if (!memo_.find(key, pid, frame, timeout, half)) {
      if (!computer_.compute(key.data(), state, pid, timeout)) return Joined::kTooNarrow;
      remember(key, pid, frame, timeout, MemoKind::kSteps);
      if (!memo_.find(key, pid, frame, timeout, half)) return Joined::kUnknown;
    }
    return join_all(key, pid, half);
  }
  [[gnu::noinline]] Joined learn_accept(const Key<W>& at, uint32_t pid, uint32_t message, bool timeout) {
    if (!computer_.compute_accept(at.data(), pid, message, timeout)) return Joined::kTooNarrow;
    remember(at, pid, message, timeout, MemoKind::kAccept);
    return Joined::kSteps;
  }
  void remember(const Key<W>& key, uint32_t pid, uint32_t content, bool timeout, MemoKind kind) {
    deltas_.clear();
    append_keys<W>(computer_.deltas(), deltas_);
    memo_.insert(worker_, key, pid, content, timeout, computer_.path(), {computer_.flags(), deltas_},
                 computer_.notes(), kind);
  }

  static constexpr size_t kMostSteps = 0xffff;
  static constexpr uint32_t kDeepest = 64;      // handshakes, one in the other
  static constexpr uint32_t kMostAsked = 4096;  // offers
  // Of merged steps: what is always followed (ChainCloser).
  static constexpr size_t kMostMerged = 24;
  static constexpr uint32_t kDeepestMerged = 3;

  StepMemo<W>& memo_;
  const uint32_t worker_;
  HalfComputer computer_;
  MessageTakers takers_;
  const bool notes_parts_;
  JoinedNotes notes_;
  uint32_t note_ = 0;
  const std::span<const FieldReader> frame_fields_;
  const std::span<const Key<W>> frame_masks_;
  const FieldReader control_field_;
  const Key<W> none_{};

  std::vector<Key<W>> joined_;  // the steps so far
  Key<W> touched_{};            // by them
  bool notes_touched_ = false;
  uint32_t asked_ = 0;
  bool moves_ = false;
  bool merged_ = false;             // local steps are part of some
  uint32_t deepest_ = 0;            // Sender::depth
  std::vector<uint32_t> going_on_;  // who offers now and will go on
  bool learns_ = false;

  std::vector<Key<W>> deltas_;  // of the half that was computed last
};

}  // namespace cmc
