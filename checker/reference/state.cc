#include "checker/reference/state.h"

#include "base/check.h"
#include "ir/scalar.h"

namespace cmc::reference {

namespace {

void append_channels(const Model& model, const std::vector<ChannelInstance>& instances, State& state) {
  for (const ChannelInstance& instance : instances) {
    state.channels.push_back({&model.channel_types[instance.type], {}});
  }
}

void read_channel(const std::byte* contents, Channel& channel) {
  const uint32_t length = load<uint16_t>(contents);
  CHECK(length <= channel.type->capacity);
  for (uint32_t slot = 0; slot < length; ++slot) {
    const std::byte* const message = contents + kChannelHeaderBytes + slot * channel.type->message_bytes;
    std::vector<int32_t>& values = channel.messages.emplace_back();
    for (size_t i = 0; i < channel.type->fields.size(); ++i) {
      values.push_back(load_scalar(channel.type->fields[i], message + channel.type->field_offsets[i]));
    }
  }
}

void write_channel(const Channel& channel, std::byte* contents) {
  std::memset(contents, 0, channel.type->bytes());
  store(contents, static_cast<uint16_t>(channel.messages.size()));
  for (size_t slot = 0; slot < channel.messages.size(); ++slot) {
    std::byte* const message = contents + kChannelHeaderBytes + slot * channel.type->message_bytes;
    for (size_t i = 0; i < channel.type->fields.size(); ++i) {
      store_scalar(channel.type->fields[i], message + channel.type->field_offsets[i], channel.messages[slot][i]);
    }
  }
}

// Calls visit(channel, its contents) for all channels, in the order of their ids.
template <class AnyState, class Bytewise, class Visit>
void for_each_channel(const Model& model, AnyState& state, Bytewise* bytes, Visit visit) {
  size_t id = 0;
  for (const ChannelInstance& instance : model.channels) visit(state.channels[id++], bytes + instance.offset);
  size_t frame = model.global_bytes;
  for (const Process& process : state.processes) {
    const Proctype& type = model.proctypes[process.type];
    for (const ChannelInstance& instance : type.channels)
      visit(state.channels[id++], bytes + frame + instance.offset);
    frame += type.frame_bytes;
  }
  CHECK(id == state.channels.size());
}

Automaton read_automaton(const Model& model, const Observer& observer, const std::byte* bytes) {
  Automaton automaton;
  if (!observer.exists()) return automaton;
  const Proctype& type = model.claims[observer.claim];
  const std::byte* const frame = bytes + observer.offset;
  automaton.blocked = load<uint8_t>(frame + kFrameProctype) != 0;
  automaton.location = load<LocationId>(frame + kFrameLocation);
  CHECK(automaton.location < type.locations.size());
  automaton.memory.assign(frame, frame + type.frame_bytes);
  return automaton;
}

void write_automaton(const Automaton& automaton, const Observer& observer, std::byte* bytes) {
  if (!observer.exists()) return;
  std::byte* const frame = bytes + observer.offset;
  std::memcpy(frame, automaton.memory.data(), automaton.memory.size());
  store(frame + kFrameProctype, static_cast<uint8_t>(automaton.blocked ? 1 : 0));
  store(frame + kFrameLocation, automaton.location);
}

Automaton new_automaton(const Model& model, const Observer& observer) {
  Automaton automaton;
  if (!observer.exists()) return automaton;
  automaton.location = model.claims[observer.claim].start;
  automaton.memory.resize(model.claims[observer.claim].frame_bytes);
  store(automaton.memory.data() + kFramePriority, uint8_t{1});
  return automaton;
}

}  // namespace

State empty_state(const Model& model) {
  State state;
  state.globals.resize(model.global_bytes);
  state.claim = new_automaton(model, model.claim);
  state.trace = new_automaton(model, model.trace);
  append_channels(model, model.channels, state);
  return state;
}

void append_process(const Model& model, State& state, ProctypeId type, uint8_t priority) {
  const Proctype& proctype = model.proctypes[type];
  state.processes.push_back({type, priority, proctype.start, Bytes(proctype.frame_bytes)});
  append_channels(model, proctype.channels, state);
}

void remove_process(const Model& model, State& state) {
  const size_t channels = model.proctypes[state.processes.back().type].channels.size();
  state.channels.resize(state.channels.size() - channels);
  state.processes.pop_back();
}

State decode(const Model& model, ByteView bytes) {
  State state = empty_state(model);
  CHECK(bytes.size() >= model.global_bytes);
  state.globals.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(model.global_bytes));
  state.claim = read_automaton(model, model.claim, bytes.data());
  state.trace = read_automaton(model, model.trace, bytes.data());
  const uint32_t count = load<uint8_t>(bytes.data() + model.process_count_offset());
  state.holder = load<uint8_t>(bytes.data() + model.atomic_holder_offset());
  state.last = load<uint8_t>(bytes.data() + model.last_offset());
  size_t at = model.global_bytes;
  for (uint32_t pid = 0; pid < count; ++pid) {
    const std::byte* const frame = bytes.data() + at;
    append_process(model, state, load<ProctypeId>(frame + kFrameProctype), load<uint8_t>(frame + kFramePriority));
    Process& process = state.processes.back();
    process.location = load<LocationId>(frame + kFrameLocation);
    at += process.memory.size();
    CHECK(at <= bytes.size() && process.location < model.proctypes[process.type].locations.size());
    process.memory.assign(frame, frame + process.memory.size());
  }
  CHECK(at == bytes.size());
  for_each_channel(model, state, bytes.data(),
                   [](Channel& channel, const std::byte* contents) { read_channel(contents, channel); });
  return state;
}

Bytes encode(const Model& model, const State& state) {
  Bytes bytes = state.globals;
  write_automaton(state.claim, model.claim, bytes.data());
  write_automaton(state.trace, model.trace, bytes.data());
  store(bytes.data() + model.process_count_offset(), static_cast<uint8_t>(state.processes.size()));
  store(bytes.data() + model.atomic_holder_offset(), state.holder);
  store(bytes.data() + model.last_offset(), model.uses_last ? state.last : uint8_t{0});
  for (const Process& process : state.processes) {
    const size_t frame = bytes.size();
    bytes.insert(bytes.end(), process.memory.begin(), process.memory.end());
    store(bytes.data() + frame + kFrameProctype, process.type);
    store(bytes.data() + frame + kFramePriority, process.priority);
    store(bytes.data() + frame + kFrameLocation, process.location);
  }
  for_each_channel(model, state, bytes.data(),
                   [](const Channel& channel, std::byte* contents) { write_channel(channel, contents); });
  return bytes;
}

}  // namespace cmc::reference
