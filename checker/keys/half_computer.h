#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/touch_trace.h"
#include "checker/keys/handshakes.h"
#include "checker/keys/part_description.h"
#include "checker/keyspace/key_space.h"
#include "checker/por/stubborn.h"

namespace cmc {

// The note beside an item of a half in a memo: what it is.
struct HalfNote {
  enum Item : uint32_t {
    kSuccessor = 0,
    kOffer = 1,   // with kTimeout; from bit 4 on, the number of the message
    kUnless = 2,  // from bit 4 on, 13 bits each: items before, items behind
    kPart = 3,    // no item; from bit 4 on, the number of the half as a part (JoinedNotes): the first, if any
    kKind = 3,
    kTimeout = 4,
    kGoesOn = 8,  // of a successor, by local steps; of an offer: the next item is where (HalfPaths)
    kSeen = 0x8000'0000,
  };
  static constexpr unsigned kShift = 4;
  static constexpr unsigned kCountBits = 13;
  static constexpr uint32_t kMostItems = (uint32_t{1} << kCountBits) - 1;
  static constexpr uint32_t kMostMessages = uint32_t{1} << (31 - kShift);
};

// Computes halves of handshakes, as a StepComputer computes steps: keys and deltas are arrays of words, and what it
// found is that of the last call. One per worker and layout.
class HalfComputer {
 public:
  // `words`: of a key. `sets`: null iff the handshakes note no parts.
  HalfComputer(KeySpace& space, SuccessorGenerator& generator, Handshakes& handshakes, StubbornSets* sets,
               unsigned words)
      : space_(space),
        generator_(generator),
        handshakes_(handshakes),
        words_(words),
        trace_(space.components().pieces()) {
    if (sets != nullptr) chooser_.emplace(*sets);
  }

  // The half of `pid` in the state, which is that of the key. False: a number does not fit its field.
  [[nodiscard]] bool compute(const uint64_t* key, ByteView state, uint32_t pid, bool timeout);
  // Its half if it is offered the message with this number.
  [[nodiscard]] bool compute_accept(const uint64_t* key, uint32_t pid, uint32_t message, bool timeout);

  [[nodiscard]] uint32_t flags() const { return flags_; }  // Steps::Flag
  [[nodiscard]] std::span<const uint64_t> deltas() const { return deltas_; }
  [[nodiscard]] std::span<const uint32_t> notes() const { return notes_; }
  [[nodiscard]] std::span<const ComponentId> path() const { return path_; }  // what was touched, for the memo
  [[nodiscard]] uint64_t computed() const { return computed_; }              // halves, in all

 private:
  bool compute_half(const uint64_t* key, ByteView state, uint32_t pid, bool timeout,
                    const RendezvousMessage* message);
  // False: there are too many.
  bool note_items();
  [[nodiscard]] uint32_t number_of_part(const uint64_t* key, ByteView state, uint32_t pid, bool takes);
  void add_uses(const uint64_t* key, ByteView state, uint32_t pid, PartDescription& description);
  void find_channels(ByteView control);

  struct Channel {
    ComponentId component = kControlComponent;
    uint32_t offset = 0;  // in the state
    uint32_t capacity = 0;
  };

  KeySpace& space_;
  SuccessorGenerator& generator_;
  Handshakes& handshakes_;
  const unsigned words_;
  Half half_;
  TouchTrace trace_;
  Bytes state_;  // in which a message is offered
  std::vector<ComponentId> path_;
  std::vector<ComponentId> touched_;  // the same, sorted
  std::optional<StubbornChooser> chooser_;
  std::vector<Channel> channels_;  // of the state
  Bytes filled_;                   // the state with other channels
  uint32_t flags_ = 0;
  std::vector<uint64_t> deltas_;
  std::vector<uint32_t> notes_;
  uint64_t computed_ = 0;
};

}  // namespace cmc
