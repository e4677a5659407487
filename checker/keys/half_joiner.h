#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/keys/handshakes.h"
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
template <unsigned W>
class HalfJoiner {
 public:
  // `frame_fields`: of piece 0, by pid. All stay.
  HalfJoiner(KeySpace& space, SuccessorGenerator& generator, StepMemo<W>& memo, uint32_t worker,
             Handshakes& handshakes, std::span<const FieldReader> frame_fields)
      : space_(space),
        generator_(generator),
        memo_(memo),
        worker_(worker),
        handshakes_(handshakes),
        frame_fields_(frame_fields),
        control_field_(space.layout().reader(kControlComponent)),
        trace_(space.components().pieces()) {}

  enum class Joined : uint8_t {
    kSteps,
    kUnknown,    // some part: compute the steps as a whole, then learn()
    kWhole,      // they cannot be joined: the memo may have them as a whole
    kTooNarrow,  // of learn(): a re-layout is needed first
  };
  // The steps of `pid`, whose half is `half`; they are in steps().
  [[nodiscard]] Joined join(const Key<W>& key, uint32_t pid, const Steps<W>& half) {
    begin(half);
    return follow(key, {pid, {}, 0}, half);
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

  [[nodiscard]] uint64_t computed() const { return computed_; }  // halves

 private:
  // A note: what an item is.
  enum Item : uint32_t {
    kSuccessor = 0,
    kOffer = 1,   // bit 2: timeout; from bit 3 on, the number of the message
    kUnless = 2,  // from bit 3 on, 13 bits each: offers before, items behind
    kKind = 3,
    kTimeout = 4,
    kSeen = 0x8000'0000,
  };
  static constexpr unsigned kShift = 3;
  static constexpr unsigned kCountBits = 13;
  static constexpr uint32_t kMostItems = (uint32_t{1} << kCountBits) - 1;
  static constexpr uint32_t kMostMessages = uint32_t{1} << (31 - kShift);

  struct Sender {
    uint32_t pid = 0;
    Key<W> total{};  // how the first state became this one
    uint32_t depth = 0;
  };
  struct Candidate {
    uint32_t pid = 0;
    ProctypeId proctype = 0;
    std::vector<uint16_t>* receptions = nullptr;  // by the number of piece 0: into channels_, or 0
  };
  using Candidates = std::vector<Candidate>;  // from the highest pid down

  void begin(const Steps<W>& half) {
    joined_.clear();
    asked_ = 0;
    moves_ = (half.flags & Steps<W>::kMoves) != 0;
  }

  // From the state `at`, in which the half was looked up.
  Joined follow(const Key<W>& at, const Sender& sender, const Steps<W>& half) {
    if ((half.flags & Steps<W>::kWhole) != 0) return Joined::kWhole;
    size_t taken_behind = 0;  // the last offer that was taken, and 1
    for (size_t i = 0; i < half.deltas.size(); ++i) {
      const uint32_t note = memo_.note_of(half, i);
      const uint32_t count = note >> kShift & kMostItems;
      if ((note & kKind) == kUnless && taken_behind > 0 && taken_behind + count > i) {
        i += note >> (kShift + kCountBits) & kMostItems;
        continue;
      }
      if ((note & kKind) == kSuccessor) {
        if (joined_.size() == kMostSteps) return Joined::kWhole;
        joined_.push_back(sender.total ^ half.deltas[i]);
        continue;
      }
      if ((note & kKind) == kOffer) {
        bool taken = false;
        const Joined result =
            offer(at ^ half.deltas[i], {sender.pid, sender.total ^ half.deltas[i], sender.depth}, note, taken);
        if (result != Joined::kSteps) return result;
        if (!taken) continue;
        taken_behind = i + 1;
        moves_ |= sender.depth == 0;
      }
      if ((note & kSeen) != 0) continue;
      if (!learns_) return Joined::kUnknown;
      memo_.mark_note(half, i, kSeen);
    }
    return Joined::kSteps;
  }

  Joined offer(const Key<W>& at, const Sender& sender, uint32_t note, bool& taken) {
    if (sender.depth == kDeepest || ++asked_ > kMostAsked) return Joined::kWhole;
    const bool timeout = (note & kTimeout) != 0;
    const uint32_t message = (note & ~kSeen) >> kShift;
    const uint32_t channel = channel_of(message);
    for (const Candidate& each : candidates(at, channel)) {
      if (each.pid == sender.pid || !may_take(each, at, channel)) continue;
      Steps<W> half;
      if (!memo_.find(at, each.pid, message, timeout, half, MemoKind::kAccept)) {
        if (!learns_) return Joined::kUnknown;
        const Joined result = learn_accept(at, each.pid, message, timeout);
        if (result != Joined::kSteps) return result;
        if (!memo_.find(at, each.pid, message, timeout, half, MemoKind::kAccept)) return Joined::kUnknown;
      }
      if ((half.flags & (Steps<W>::kMoves | Steps<W>::kWhole)) == 0) continue;
      taken = true;
      const Joined result = follow(at, {each.pid, sender.total, sender.depth + 1}, half);
      if (result != Joined::kSteps) return result;
    }
    return Joined::kSteps;
  }

  // --- who may take a message

  uint32_t channel_of(uint32_t message) {
    if (message >= message_channels_.size()) message_channels_.resize(message + size_t{1});
    uint8_t& channel = message_channels_[message];
    if (channel == 0) channel = static_cast<uint8_t>(handshakes_.message(message).channel);
    return channel;
  }
  // Those that ever take anything from the channel.
  const Candidates& candidates(const Key<W>& at, uint32_t channel) {
    const uint32_t control = control_field_(at.data());
    if (control >= candidates_.size()) candidates_.resize(control + size_t{1});
    auto& by_channel = candidates_[control];
    if (by_channel.empty()) by_channel.resize(kMaxChannels + 1);
    if (!by_channel[channel]) by_channel[channel] = find_candidates(space_.control(at.data()), channel);
    return *by_channel[channel];
  }
  [[gnu::noinline]] std::unique_ptr<Candidates> find_candidates(ByteView control, uint32_t channel) {
    auto found = std::make_unique<Candidates>();
    for (uint32_t pid = space_.components().process_count(control); pid-- > 0;) {
      const auto proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + pid]);
      if (!handshakes_.ever(proctype)[channel]) continue;
      found->push_back({pid, proctype, &receptions_[{pid, proctype}]});
    }
    return found;
  }
  bool may_take(const Candidate& candidate, const Key<W>& at, uint32_t channel) {
    const uint32_t frame = frame_fields_[candidate.pid](at.data());
    std::vector<uint16_t>& receptions = *candidate.receptions;
    if (frame >= receptions.size() || receptions[frame] == 0) [[unlikely]]
      learn_reception(candidate, at, frame);
    return receptions[frame] == kUnnumbered || channels_[receptions[frame]][channel];
  }
  [[gnu::noinline]] void learn_reception(const Candidate& candidate, const Key<W>& at, uint32_t frame) {
    const Handshakes::Channels channels =
        handshakes_.now(candidate.proctype, space_.content(own_component(candidate.pid), at.data()));
    size_t number = 1;
    while (number < channels_.size() && channels_[number] != channels) ++number;
    if (number == channels_.size() && number < kUnnumbered) channels_.push_back(channels);
    if (frame >= candidate.receptions->size()) candidate.receptions->resize(2 * size_t{frame} + 1);
    (*candidate.receptions)[frame] = static_cast<uint16_t>(std::min(number, size_t{kUnnumbered}));
  }
  [[nodiscard]] ComponentId own_component(uint32_t pid) const { return space_.components().pieces().frame(pid, 0); }

  // --- computing

  [[gnu::noinline]] Joined learn_all(const Key<W>& key, ByteView state, uint32_t pid, bool timeout) {
    const uint32_t frame = frame_fields_[pid](key.data());
    Steps<W> half;
    if (!memo_.find(key, pid, frame, timeout, half)) {
      if (!compute(key, state, pid, timeout, nullptr)) return Joined::kTooNarrow;
      std::erase(path_, own_component(pid));
      memo_.insert(worker_, key, pid, frame, timeout, path_, {computed_flags_, deltas_}, notes_);
      if (!memo_.find(key, pid, frame, timeout, half)) return Joined::kUnknown;
    }
    begin(half);
    return follow(key, {pid, {}, 0}, half);
  }
  [[gnu::noinline]] Joined learn_accept(const Key<W>& at, uint32_t pid, uint32_t message, bool timeout) {
    space_.unpack(at.data(), state_);
    const RendezvousMessage offered = handshakes_.message(message);
    if (!compute(at, state_, pid, timeout, &offered)) return Joined::kTooNarrow;
    memo_.insert(worker_, at, pid, message, timeout, path_, {computed_flags_, deltas_}, notes_, MemoKind::kAccept);
    return Joined::kSteps;
  }
  // False: a number does not fit its field.
  bool compute(const Key<W>& key, ByteView state, uint32_t pid, bool timeout, const RendezvousMessage* message) {
    ++computed_;
    trace_.clear();
    generator_.half(state, static_cast<uint8_t>(pid), timeout, message, &trace_, half_);
    path_.assign(trace_.touched().begin(), trace_.touched().end());
    space_.drop_absent(space_.control(key.data()), path_);
    computed_flags_ = Steps<W>::kHalf | (half_.moves ? uint32_t{Steps<W>::kMoves} : 0);
    deltas_.clear();
    notes_.clear();
    bool fits = true;
    if (half_.whole || !note_items()) {
      computed_flags_ |= Steps<W>::kWhole;
      notes_.clear();
      return true;
    }
    for (const Half::Item& item : half_.items) {
      Key<W>& delta = deltas_.emplace_back();
      if (item.kind == Half::Item::Kind::kUnlessTaken) continue;
      fits &= space_.difference(key.data(), state, half_.state(item), trace_.touched(), delta.data());
    }
    return fits;
  }
  // False: there are too many.
  bool note_items() {
    if (half_.items.size() > kMostItems) return false;
    for (const Half::Item& item : half_.items) {
      uint32_t note = kSuccessor;
      if (item.kind == Half::Item::Kind::kOffer) {
        const uint32_t message = handshakes_.number_of(half_.messages[item.message]);
        if (message >= kMostMessages) return false;
        note = kOffer | (item.timeout ? uint32_t{kTimeout} : 0) | message << kShift;
      } else if (item.kind == Half::Item::Kind::kUnlessTaken) {
        note = kUnless | item.offers << kShift | item.items << (kShift + kCountBits);
      }
      notes_.push_back(note);
    }
    return true;
  }

  static constexpr size_t kMostSteps = 0xffff;
  static constexpr uint32_t kDeepest = 64;      // handshakes, one in the other
  static constexpr uint32_t kMostAsked = 4096;  // offers
  static constexpr uint16_t kUnnumbered = 0xffff;

  KeySpace& space_;
  SuccessorGenerator& generator_;
  StepMemo<W>& memo_;
  const uint32_t worker_;
  Handshakes& handshakes_;
  const std::span<const FieldReader> frame_fields_;
  const FieldReader control_field_;
  const Key<W> none_{};

  std::vector<Key<W>> joined_;  // the steps so far
  uint32_t asked_ = 0;
  bool moves_ = false;
  bool learns_ = false;

  std::vector<uint8_t> message_channels_;                             // by number; 0: not known
  std::vector<std::vector<std::unique_ptr<Candidates>>> candidates_;  // by control and channel
  std::map<std::pair<uint32_t, ProctypeId>, std::vector<uint16_t>> receptions_;
  std::vector<Handshakes::Channels> channels_{{}};  // [0] unused

  // The half that was computed last.
  Half half_;
  TouchTrace trace_;
  Bytes state_;
  std::vector<ComponentId> path_;
  uint32_t computed_flags_ = 0;
  std::vector<Key<W>> deltas_;
  std::vector<uint32_t> notes_;
  uint64_t computed_ = 0;
};

}  // namespace cmc
