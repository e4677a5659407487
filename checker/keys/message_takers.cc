#include "checker/keys/message_takers.h"

#include <algorithm>
#include <string>

#include "checker/keys/part_description.h"
#include "checker/keys/steps.h"

namespace cmc {

void MessageTakers::learn_candidates(const uint64_t* key, uint32_t control, uint32_t channel) {
  if (control >= candidates_.size()) candidates_.resize(control + size_t{1});
  candidates_[control].resize(kMaxChannels + 1);
  auto found = std::make_unique<Candidates>();
  const ByteView content = space_.control(key);
  for (uint32_t pid = space_.components().process_count(content); pid-- > 0;) {
    const auto proctype = static_cast<ProctypeId>(content[Components::kControlProctypes + pid]);
    if (!handshakes_.ever(proctype)[channel]) continue;
    found->push_back({pid, proctype, &receptions_[{pid, proctype}], &refusals_[{pid, proctype}]});
  }
  candidates_[control][channel] = std::move(found);
}

void MessageTakers::learn_reception(const Candidate& candidate, const uint64_t* key, uint32_t frame) {
  const ByteView piece = space_.content(own_component(space_.components(), candidate.pid), key);
  const Handshakes::Channels channels = handshakes_.now(candidate.proctype, piece);
  size_t number = 1;
  while (number < channels_.size() && channels_[number] != channels) ++number;
  if (number == channels_.size() && number < kUnnumbered) channels_.push_back(channels);
  if (frame >= candidate.receptions->size()) candidate.receptions->resize(2 * size_t{frame} + 1);
  (*candidate.receptions)[frame] = static_cast<uint16_t>(std::min(number, size_t{kUnnumbered}));
}

void MessageTakers::learn_refusal(const Candidate& candidate, const uint64_t* key, uint32_t frame) {
  const ByteView piece = space_.content(own_component(space_.components(), candidate.pid), key);
  const LocationId location = load<LocationId>(piece.data() + (kFrameLocation - kFramePriority));
  const std::string channels = handshakes_.now(candidate.proctype, piece).to_string();
  PartDescription description(PartDescription::Kind::kRefuses, candidate.pid);
  description.add(candidate.proctype);
  description.add(location);
  description.add(std::as_bytes(std::span(channels)));
  if (frame >= candidate.refusals->size()) candidate.refusals->resize(2 * size_t{frame} + 1, kUnknown);
  (*candidate.refusals)[frame] = handshakes_.number_of_part(description.bytes());
}

}  // namespace cmc
