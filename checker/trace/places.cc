#include "checker/trace/places.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/trace/step_text.h"

namespace cmc {

size_t frame_offset(const Model& model, ByteView state, uint8_t pid) {
  CHECK(pid < load<uint8_t>(state.data() + model.process_count_offset()));
  size_t offset = model.global_bytes;
  for (uint8_t i = 0; i < pid; ++i) {
    offset += model.proctypes[load<uint8_t>(state.data() + offset + kFrameProctype)].frame_bytes;
  }
  return offset;
}

std::optional<ChannelPlace> find_channel(const Model& model, ByteView state, int32_t id) {
  if (id <= 0) return std::nullopt;
  size_t index = static_cast<size_t>(id) - 1;
  if (index < model.channels.size()) {
    const ChannelInstance& channel = model.channels[index];
    return ChannelPlace{channel.name, &model.channel_types[channel.type], channel.offset};
  }
  index -= model.channels.size();
  const auto count = load<uint8_t>(state.data() + model.process_count_offset());
  for (uint8_t pid = 0; pid < count; ++pid) {
    const Proctype& proctype = *find_proctype(model, state, pid);
    if (index < proctype.channels.size()) {
      const ChannelInstance& channel = proctype.channels[index];
      return ChannelPlace{fmt::format("{}[{}].{}", proctype.name, pid, channel.name),
                          &model.channel_types[channel.type], frame_offset(model, state, pid) + channel.offset};
    }
    index -= proctype.channels.size();
  }
  return std::nullopt;
}

std::string element_name(const Variable& variable, uint32_t offset) {
  std::string name = variable.name + variable.distinction;
  uint32_t rest = offset - variable.offset;
  for (const Variable::Dimension& dimension : variable.dimensions) {
    const uint32_t index = dimension.stride == 0 ? 0 : rest / dimension.stride;
    name += fmt::format("[{}]{}", index, dimension.suffix);
    rest -= index * dimension.stride;
  }
  return name;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string process_label(const Model& model, ByteView state, uint8_t pid) {
  return fmt::format("{}[{}]", find_proctype(model, state, pid)->name, pid);
}

}  // namespace cmc
