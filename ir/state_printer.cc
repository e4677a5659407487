#include "ir/state_printer.h"

#include <fmt/format.h>

#include "ir/scalar.h"

namespace cmc {

namespace {

class Decoder {
 public:
  Decoder(const Model& model, ByteView state) : model_(model), state_(state) {}

  StateImage decode() {
    if (state_.size() < model_.hidden_bytes + kHeaderBytes) {
      damage("the state vector is shorter than its header");
      return std::move(image_);
    }
    find_frames();
    name_channels();
    image_.atomic_holder = load<uint8_t>(state_.data() + model_.atomic_holder_offset());
    for (const Variable& variable : model_.globals) add_variable(variable, 0, image_.globals);
    for (size_t pid = 0; pid < frames_.size(); ++pid) add_process(pid);
    for (const Channel& channel : channels_) add_channel(channel);
    return std::move(image_);
  }

 private:
  struct Frame {
    size_t offset;
    const Proctype* proctype;
  };
  struct Channel {
    std::string name;
    const ChannelType* type;
    size_t offset;
  };

  void damage(std::string text) {
    if (image_.damage.empty()) image_.damage = std::move(text);
  }

  void find_frames() {
    const uint32_t count = load<uint8_t>(state_.data() + model_.process_count_offset());
    size_t offset = model_.global_bytes;
    for (uint32_t pid = 0; pid < count; ++pid) {
      if (offset + kFrameHeaderBytes > state_.size()) {
        damage(fmt::format("the state vector ends before the frame of process {}", pid));
        return;
      }
      const uint8_t proctype = load<uint8_t>(state_.data() + offset + kFrameProctype);
      if (proctype >= model_.proctypes.size()) {
        damage(fmt::format("process {} has the unknown proctype {}", pid, proctype));
        return;
      }
      frames_.push_back({offset, &model_.proctypes[proctype]});
      offset += model_.proctypes[proctype].frame_bytes;
    }
    if (offset != state_.size()) {
      damage(fmt::format("the state vector has {} bytes, its frames end at {}", state_.size(), offset));
    }
  }

  void name_channels() {
    for (const ChannelInstance& channel : model_.channels) {
      channels_.push_back({channel.name, type_of(channel), channel.offset});
    }
    for (size_t pid = 0; pid < frames_.size(); ++pid) {
      for (const ChannelInstance& channel : frames_[pid].proctype->channels) {
        channels_.push_back({fmt::format("{}[{}].{}", frames_[pid].proctype->name, pid, channel.name),
                             type_of(channel), frames_[pid].offset + channel.offset});
      }
    }
  }

  const ChannelType* type_of(const ChannelInstance& channel) const {
    return channel.type < model_.channel_types.size() ? &model_.channel_types[channel.type] : nullptr;
  }

  std::string text_at(const ScalarType& type, size_t offset) const {
    if (offset + type.bytes > state_.size()) return "?";
    const int32_t value = load_scalar(type, state_.data() + offset);
    if (type.basic != BasicType::kChan) return value_text(model_, type, value);
    if (value == 0) return "none";
    const size_t index = static_cast<size_t>(value) - 1;
    return index < channels_.size() ? channels_[index].name : fmt::format("channel {}", value);
  }

  void add_variable(const Variable& variable, size_t base, std::vector<NamedValue>& to) const {
    add_elements(variable, variable.name + variable.distinction, 0, base + variable.offset, to);
  }

  void add_elements(const Variable& variable, const std::string& name, size_t dimension, size_t offset,
                    std::vector<NamedValue>& to) const {
    if (dimension == variable.dimensions.size()) {
      to.push_back({name, text_at(variable.type, offset)});
      return;
    }
    const Variable::Dimension& range = variable.dimensions[dimension];
    for (uint32_t i = 0; i < range.count; ++i) {
      add_elements(variable, fmt::format("{}[{}]{}", name, i, range.suffix), dimension + 1,
                   offset + size_t{i} * range.stride, to);
    }
  }

  void add_process(size_t pid) {
    const auto [offset, proctype] = frames_[pid];
    ProcessImage& process = image_.processes.emplace_back();
    process.pid = static_cast<uint32_t>(pid);
    process.proctype = proctype->name;
    process.priority = load<uint8_t>(state_.data() + offset + kFramePriority);
    process.location = load<LocationId>(state_.data() + offset + kFrameLocation);
    if (process.location < proctype->locations.size()) {
      process.place = proctype->locations[process.location].place;
    } else {
      damage(fmt::format("process {} is at the unknown location {}", pid, process.location));
    }
    for (const Variable& variable : proctype->variables) add_variable(variable, offset, process.locals);
  }

  void add_channel(const Channel& channel) {
    ChannelImage& image = image_.channels.emplace_back();
    image.id = static_cast<uint32_t>(image_.channels.size());
    image.name = channel.name;
    if (channel.type == nullptr || channel.offset + channel.type->bytes() > state_.size()) {
      damage(fmt::format("channel {} lies outside the state vector", channel.name));
      return;
    }
    const ChannelType& type = *channel.type;
    image.capacity = type.capacity;
    uint32_t length = load<uint16_t>(state_.data() + channel.offset);
    if (length > type.capacity) {
      damage(fmt::format("channel {} has {} messages, room for {}", channel.name, length, type.capacity));
      length = type.capacity;
    }
    for (uint32_t slot = 0; slot < length; ++slot) {
      const size_t message = channel.offset + kChannelHeaderBytes + size_t{slot} * type.message_bytes;
      std::string text;
      for (size_t field = 0; field < type.fields.size() && field < type.field_offsets.size(); ++field) {
        if (field > 0) text += ',';
        text += text_at(type.fields[field], message + type.field_offsets[field]);
      }
      image.messages.push_back(std::move(text));
    }
  }

  const Model& model_;
  ByteView state_;
  StateImage image_;
  std::vector<Frame> frames_;
  std::vector<Channel> channels_;
};

}  // namespace

std::string type_name(const Model& model, const ScalarType& type) {
  switch (type.basic) {
    case BasicType::kBit: return "bit";
    case BasicType::kByte: return "byte";
    case BasicType::kMtype:
      return type.mtype_set == 0 || type.mtype_set >= model.mtype_set_names.size()
                 ? "mtype"
                 : "mtype:" + model.mtype_set_names[type.mtype_set];
    case BasicType::kPid: return "pid";
    case BasicType::kChan: return "chan";
    case BasicType::kShort: return "short";
    case BasicType::kInt: return "int";
    case BasicType::kUnsigned: return fmt::format("unsigned:{}", type.bits);
  }
  return "?";
}

std::string mtype_name(const Model& model, uint32_t mtype_set, int32_t value) {
  if (mtype_set >= model.mtype_sets.size() || value < 1) return "";
  const std::vector<std::string>& names = model.mtype_sets[mtype_set];
  const size_t index = static_cast<size_t>(value) - 1;
  return index < names.size() ? names[index] : "";
}

std::string value_text(const Model& model, const ScalarType& type, int32_t value) {
  if (type.basic == BasicType::kMtype) {
    std::string name = mtype_name(model, type.mtype_set, value);
    if (!name.empty()) return name;
  }
  if (type.basic == BasicType::kUnsigned) return std::to_string(static_cast<uint32_t>(value));
  return std::to_string(value);
}

StateImage decode_state(const Model& model, ByteView state) { return Decoder(model, state).decode(); }

}  // namespace cmc
