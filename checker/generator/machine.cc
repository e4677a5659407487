#include "checker/generator/machine.h"

namespace cmc {

uint8_t Scratch::append_frame(ProctypeId proctype, uint8_t priority) {
  const StateIndex& old_index = *view.index;
  const Proctype& type = model_.proctypes[proctype];
  const uint32_t pid = old_index.process_count;
  if (pid >= kMaxProcesses) {
    view.fault(RuntimeErrorKind::kTooManyProcesses, static_cast<int32_t>(pid));
    return kNoProcess;
  }
  if (old_index.channel_count + type.channels.size() > kMaxChannels) {
    view.fault(RuntimeErrorKind::kTooManyChannels, static_cast<int32_t>(old_index.channel_count));
    return kNoProcess;
  }
  if (grown_.empty()) grown_.push_back(old_index);
  StateIndex& index = grown_.front();
  const uint32_t begin = index.frames[pid];
  for (const ChannelInstance& channel : type.channels) {
    index.channels[++index.channel_count] = {begin + channel.offset, channel.type};
  }
  index.types[pid] = proctype;
  index.process_count = pid + 1;
  index.frames[pid + 1] = begin + type.frame_bytes;
  view.index = &index;
  bytes_.resize(begin_ + begin + type.frame_bytes);
  rebase();
  std::byte* header = state + begin;
  store(header + kFrameProctype, proctype);
  store(header + kFramePriority, priority);
  store(header + kFrameLocation, type.start);
  store(state + model_.process_count_offset(), static_cast<uint8_t>(pid + 1));
  return static_cast<uint8_t>(pid);
}

void prepare_index(const Model& model, StateIndex& index) {
  uint32_t id = 0;
  for (const ChannelInstance& channel : model.channels) index.channels[++id] = {channel.offset, channel.type};
  index.channel_count = id;
  index.process_count = 0;
  index.frames[0] = model.global_bytes;
}

namespace {

bool same_processes(const std::byte* state, uint32_t process_count, const StateIndex& index) {
  if (process_count != index.process_count) return false;
  uint32_t pid = 0;
  while (pid < process_count && load<ProctypeId>(state + index.frames[pid] + kFrameProctype) == index.types[pid])
    ++pid;
  return pid == process_count;
}

}  // namespace

void build_index(const Model& model, const std::byte* state, StateIndex& index) {
  const uint32_t process_count = load<uint8_t>(state + model.process_count_offset());
  if (same_processes(state, process_count, index)) return;
  uint32_t channel_count = static_cast<uint32_t>(model.channels.size());
  uint32_t offset = model.global_bytes;
  DCHECK(process_count <= kMaxProcesses);
  for (uint32_t pid = 0; pid < process_count; ++pid) {
    const ProctypeId proctype = load<ProctypeId>(state + offset + kFrameProctype);
    DCHECK(proctype < model.proctypes.size());
    const Proctype& type = model.proctypes[proctype];
    index.types[pid] = proctype;
    index.frames[pid] = offset;
    for (const ChannelInstance& channel : type.channels) {
      index.channels[++channel_count] = {offset + channel.offset, channel.type};
    }
    offset += type.frame_bytes;
  }
  DCHECK(channel_count <= kMaxChannels);
  index.frames[process_count] = offset;
  index.process_count = process_count;
  index.channel_count = channel_count;
}

}  // namespace cmc
