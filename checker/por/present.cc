#include <algorithm>
#include <initializer_list>

#include "checker/por/futures_reader.h"

namespace cmc {

namespace {

// Both ends of a channel, and everything between.
constexpr Access kOfChannels[] = {Access::kSend,         Access::kReceive, Access::kTestNotFull,
                                  Access::kTestNotEmpty, Access::kLook,    Access::kChange};

}  // namespace

Present Futures::present(const Processes& processes, uint8_t pid, ByteView content,
                         const StubbornChooser::Computed& computed) const {
  const ProctypeId number = processes.proctypes[pid];
  const StatePieces& pieces = components_.pieces();
  const Frame frame{model_.proctypes[number], pid, components_.frame(number)[0], content, nullptr};
  const LocationId at = frame.location();
  const Location& location = frame.proctype.locations[at];
  const Behind& behind = behind_[number][at];
  Future now;
  Reader(*this, processes, frame, now).location(location, false);

  Present present;
  present.any_channel = now.any_channel;
  present.uses_channels = now.uses_channels || behind.uses_channels;
  present.sees_processes = now.sees_processes || now.sees_all || behind.sees_processes;
  AccessSets& against = present.against;
  const auto add = [&](ComponentId channel, std::initializer_list<Access> accesses) {
    for (const Access access : accesses) against[access].add(channel);
  };
  const auto add_all = [&](ComponentId channel) {
    for (const Access access : kOfChannels) against[access].add(channel);
  };
  for (const ComponentId component : computed.touched) {
    if (component == kControlComponent) continue;
    if (const Channel* channel = processes.channel_at(component)) {
      present.uses_channels = true;
      const uint32_t length = load<uint16_t>(computed.state.data() + channel->offset);
      bool known = !behind.uses_channels && channel->capacity > 0;
      bool used = false;
      const auto uses = [&](Access access) {
        const bool it_does = now.uses[access].contains(component);
        used = used || it_does;
        return it_does;
      };
      if (uses(Access::kSend)) {
        if (length == channel->capacity) {
          add(component, {Access::kReceive, Access::kChange});
        } else {
          add(component, {Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange});
        }
      }
      if (uses(Access::kReceive)) {
        if (length == 0) {
          add(component, {Access::kSend, Access::kChange});
        } else {
          add(component, {Access::kReceive, Access::kTestNotEmpty, Access::kLook, Access::kChange});
        }
      }
      if (uses(Access::kTestNotFull)) {
        add(component, {length == channel->capacity ? Access::kReceive : Access::kSend, Access::kChange});
      }
      if (uses(Access::kTestNotEmpty)) {
        add(component, {length == 0 ? Access::kSend : Access::kReceive, Access::kChange});
      }
      if (uses(Access::kLook)) add(component, {Access::kSend, Access::kReceive, Access::kChange});
      known = known && !uses(Access::kChange) && used;
      if (!known) add_all(component);
    } else if (component <= pieces.global_pieces || frames_seen_) {
      against[Access::kWrite].add(component);
    }
  }
  // Whoever waits at a rendezvous channel need not have touched it.
  for (const Channel& channel : processes.channels) {
    if (channel.component == kControlComponent || channel.capacity > 0) continue;
    const bool waits =
        std::ranges::any_of(kOfChannels, [&](Access access) { return now.uses[access].contains(channel.component); });
    if (waits) add_all(channel.component);
  }
  const bool goes = location.edges.size() == 1 &&
                    model_.statements[location.edges.front().statement].kind == StatementKind::kEndProcess;
  for (const ComponentId component : computed.changed) {
    if (component == kControlComponent) {
      (goes ? present.ends : present.creates) = true;
      continue;
    }
    present.writes.add(component);
    if (processes.channel_at(component) != nullptr) {
      if (goes) add_all(component);
      continue;
    }
    against[Access::kRead].add(component);
    against[Access::kWrite].add(component);
  }
  present.creates = present.creates || now.creates || behind.creates;
  present.waits_to_end = now.ends && !computed.moves;
  const auto note = [&](uint8_t who, LocationId left) {
    const Present::Place place{who, left};
    if (std::ranges::find(present.passes, place) == present.passes.end()) present.passes.push_back(place);
    if (who != pid && std::ranges::find(present.partners, who) == present.partners.end())
      present.partners.push_back(who);
  };
  for (const Step& step : computed.steps) {
    note(step.pid, step.location);
    if (step.partner != kNoProcess) note(step.partner, step.partner_location);
  }
  return present;
}

}  // namespace cmc
