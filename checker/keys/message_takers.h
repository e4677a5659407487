#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "checker/keys/handshakes.h"
#include "checker/keyspace/key_space.h"

namespace cmc {

// Who may take a message: what Handshakes says, by the numbers in a key. One per worker and layout.
class MessageTakers {
 public:
  struct Candidate {
    uint32_t pid = 0;
    ProctypeId proctype = 0;
    std::vector<uint16_t>* receptions = nullptr;  // by the number of piece 0: into channels_, or 0
    std::vector<uint32_t>* refusals = nullptr;    // likewise: refusal()
  };
  using Candidates = std::vector<Candidate>;  // from the highest pid down

  // `frame_fields`: of piece 0, by pid. All stay.
  MessageTakers(const KeySpace& space, Handshakes& handshakes, std::span<const FieldReader> frame_fields)
      : space_(space),
        handshakes_(handshakes),
        frame_fields_(frame_fields),
        control_field_(space.layout().reader(kControlComponent)) {}

  [[nodiscard]] uint32_t channel_of(uint32_t message) {
    if (message >= message_channels_.size()) message_channels_.resize(message + size_t{1});
    uint8_t& channel = message_channels_[message];
    if (channel == 0) channel = static_cast<uint8_t>(handshakes_.message(message).channel);
    return channel;
  }
  // Those that ever take anything from the channel.
  [[nodiscard]] const Candidates& candidates(const uint64_t* key, uint32_t channel) {
    const uint32_t control = control_field_(key);
    if (control >= candidates_.size() || candidates_[control].empty() || !candidates_[control][channel]) [[unlikely]]
      learn_candidates(key, control, channel);
    return *candidates_[control][channel];
  }
  [[nodiscard]] bool may_take(const Candidate& candidate, const uint64_t* key, uint32_t channel) {
    const uint32_t frame = frame_fields_[candidate.pid](key);
    std::vector<uint16_t>& receptions = *candidate.receptions;
    if (frame >= receptions.size() || receptions[frame] == 0) [[unlikely]]
      learn_reception(candidate, key, frame);
    return receptions[frame] == kUnnumbered || channels_[receptions[frame]][channel];
  }

  // Of one who may not take it: the number of the part (JoinedNotes). REQUIRES: Handshakes::notes_parts().
  [[nodiscard]] uint32_t refusal(const Candidate& candidate, const uint64_t* key) {
    const uint32_t frame = frame_fields_[candidate.pid](key);
    std::vector<uint32_t>& refusals = *candidate.refusals;
    if (frame >= refusals.size() || refusals[frame] == kUnknown) [[unlikely]]
      learn_refusal(candidate, key, frame);
    return refusals[frame];
  }

 private:
  void learn_candidates(const uint64_t* key, uint32_t control, uint32_t channel);
  void learn_reception(const Candidate& candidate, const uint64_t* key, uint32_t frame);
  void learn_refusal(const Candidate& candidate, const uint64_t* key, uint32_t frame);

  static constexpr uint16_t kUnnumbered = 0xffff;
  static constexpr uint32_t kUnknown = 0xffffffff;

  const KeySpace& space_;
  Handshakes& handshakes_;
  const std::span<const FieldReader> frame_fields_;
  const FieldReader control_field_;
  std::vector<uint8_t> message_channels_;                             // by number; 0: not known
  std::vector<std::vector<std::unique_ptr<Candidates>>> candidates_;  // by control and channel
  std::map<std::pair<uint32_t, ProctypeId>, std::vector<uint16_t>> receptions_;
  std::map<std::pair<uint32_t, ProctypeId>, std::vector<uint32_t>> refusals_;
  std::vector<Handshakes::Channels> channels_{{}};  // [0] unused
};

}  // namespace cmc
