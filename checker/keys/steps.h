#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/keyspace/components.h"
#include "storage/sets/key.h"

namespace cmc {

// What is said about steps beside their deltas.
struct StepFlags {
  enum Flag : uint32_t {
    kMoves = 1,           // the process can move, or failed trying
    kNeedsGenerator = 2,  // there are errors to report: the generator must be asked each time
    kEndlessAtomic = 4,
    kLongAtomic = 8,
    kPending = 16,  // a guard is not decided yet: never memoised
    kChangesControl = 32,
    kHalf = 64,    // no steps, but what half of a handshake leads to (HalfJoiner)
    kWhole = 128,  // likewise, and it cannot be joined
  };
};

// The steps of one process from one state, as what they change: each successor's key is the state's key xor a delta.
// Valid for all states that agree on what the computation of the steps touched.
template <unsigned W>
struct Steps {
  using enum StepFlags::Flag;
  // What is to be told about a state beside its successors.
  static constexpr uint32_t kSpecial = kNeedsGenerator | kEndlessAtomic | kLongAtomic | kPending;
  uint32_t flags = 0;
  std::span<const Key<W>> deltas;  // from StepMemo::find(): if there is none, deltas.data() is one of 0
  // That a profile gave them (StepProfiler), or of their leaf in a memo that keeps leaves; 0: none.
  uint32_t number = 0;
};

// A copy of whole words would have to wait for members that were written just before.
template <unsigned W>
[[gnu::always_inline]] inline void copy_members(const Steps<W>& from, Steps<W>& to) {
  to.flags = from.flags;
  to.deltas = from.deltas;
  to.number = from.number;
}

// Appends keys that were computed as words, W of them for each.
template <unsigned W>
void append_keys(std::span<const uint64_t> words, std::vector<Key<W>>& keys) {
  for (size_t i = 0; i < words.size(); i += W) std::copy_n(words.data() + i, W, keys.emplace_back().data());
}

// Who has steps: a process by its pid, and the claim, whose moves are steps of four movers with the numbers
// kClaimMover + a sum of:
inline constexpr uint32_t kClaimMover = kMaxProcesses;
inline constexpr uint32_t kClaimBlocked = 1;      // the system is blocked
inline constexpr uint32_t kClaimNonProgress = 2;  // np_ is 1
inline constexpr uint32_t kMovers = kMaxProcesses + 4;

// Piece 0 of the mover's frame. Without a claim the claim's movers have none: control.
[[nodiscard]] inline ComponentId own_component(const Components& components, uint32_t mover) {
  if (mover < kClaimMover) return components.pieces().frame(mover, 0);
  const Observer& claim = components.model().claim;
  return claim.exists() ? components.pieces().global_component[claim.offset] : kControlComponent;
}

// What a StepMemo is asked for, of a process and the content of its frame: its steps, or half of them; whole steps,
// where halves cannot be joined; what it does with a message, or by an edge, whose number stands for the content.
enum class MemoKind : uint8_t { kSteps, kWhole, kAccept, kEdge };
inline constexpr uint32_t kMemoKinds = 4;

}  // namespace cmc
