#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/half.h"
#include "checker/keyspace/components.h"
#include "ir/channel_names.h"
#include "ir/model.h"
#include "storage/sets/intern_table.h"

namespace cmc {

// What all workers of a search know about handshakes: numbers of the messages that were offered, and from which
// channels a process may take one. Thread-safe.
class Handshakes {
 public:
  using Channels = std::bitset<kMaxChannels + 1>;  // by id

  // The components stay. `notes_parts`: what is said about steps beside their deltas (a note, StepMemo) depends on
  // what those look at who take nothing, too.
  explicit Handshakes(const Components& components, bool notes_parts = false);

  [[nodiscard]] bool notes_parts() const { return notes_parts_; }

  // From 0 on.
  [[nodiscard]] uint32_t number_of(const RendezvousMessage& message);
  [[nodiscard]] RendezvousMessage message(uint32_t number) const;
  // From 0 on: of descriptions of halves, and of those who take nothing (JoinedNotes).
  [[nodiscard]] uint32_t number_of_part(ByteView description) { return parts_.intern(description); }
  // Without those that a process of this proctype never takes anything from, whatever happens.
  [[nodiscard]] const Channels& ever(ProctypeId proctype) const { return ever_[proctype]; }
  // Without those that it takes nothing from while piece 0 of its frame has this content. In the others, an attempt
  // may still fail, or end with an error. With notes_parts(), what it looks at before it takes nothing follows from
  // its location and from these channels.
  [[nodiscard]] Channels now(ProctypeId proctype, ByteView piece) const;

 private:
  // Of a location.
  struct Receives {
    Channels channels;                     // those that the text names
    std::vector<VariableReference> named;  // locals in piece 0 that have others
    bool unclear = false;                  // which channels are looked at does not follow from the location and these
  };
  [[nodiscard]] Receives receives_at(const Proctype& proctype, const Location& location, const ChannelNames& names,
                                     uint32_t piece_end) const;

  const Model& model_;
  const bool notes_parts_;
  std::vector<std::vector<Receives>> receives_;  // by proctype and location
  std::vector<Channels> ever_;                   // by proctype
  InternTable messages_;
  InternTable parts_;
};

}  // namespace cmc
