#include "checker/audit/state_vectors.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace cmc::audit {
namespace {

// The content of component 0: holder of atomicity, _last, the proctype of each process.
constexpr uint16_t kControl = 0;
constexpr size_t kProctypes = 2;

// Whether the ranges cover each byte of begin..end once, and no other one.
bool covers(std::vector<ComponentTable::Range> ranges, uint64_t begin, uint64_t end) {
  std::erase_if(ranges, [](const auto& range) { return range.size == 0; });
  std::ranges::sort(ranges, {}, &ComponentTable::Range::offset);
  for (const ComponentTable::Range& range : ranges) {
    if (range.offset != begin) return false;
    begin += range.size;
  }
  return begin == end;
}

uint64_t mask_of(const Field& field) { return ((uint64_t{1} << field.width) - 1) << field.shift; }

}  // namespace

StateVectors::StateVectors(const Model& model, const Certificate& certificate)
    : model_(model), certificate_(certificate), tables_(std::max<size_t>(certificate.contents.size(), 1)) {}

Verdict StateVectors::check() {
  if (Verdict refusal = check_table()) return refusal;
  for (const Field& field : certificate_.layout) {
    tables_[field.component].field = &field;
    used_[field.word] |= mask_of(field);
  }
  for (size_t component = 0; component < certificate_.contents.size(); ++component) {
    uint32_t number = 0;
    for (const ByteView content : certificate_.contents[component]) {
      const auto [same, is_new] = tables_[component].numbers.emplace(text_of(content), number);
      if (!is_new) {
        return refused("B", fmt::format("{}: contents {} and {} are equal", name(static_cast<uint16_t>(component)),
                                        same->second, number));
      }
      ++number;
    }
  }
  if (certificate_.contents.empty() || certificate_.contents[kControl].empty())
    return refused("A", "there is no content of control");
  for (const ByteView control : certificate_.contents[kControl]) {
    if (Verdict refusal = add_shape(control)) return refusal;
  }
  return std::nullopt;
}

// Else two states could have one key, and the closure of S would say nothing.
Verdict StateVectors::check_table() const {
  const ComponentTable& table = certificate_.table;
  const bool sizes = table.hidden_bytes == model_.hidden_bytes && table.global_bytes == model_.global_bytes &&
                     table.frames.size() == model_.proctypes.size();
  if (!sizes || !covers(table.globals, model_.header_offset() + kHeaderBytes, model_.global_bytes))
    return refused("A", "the components are not the global variables and channels of the model");
  for (size_t i = 0; i < table.frames.size(); ++i) {
    const ComponentTable::Frame& frame = table.frames[i];
    const Proctype& proctype = model_.proctypes[i];
    // The proctype's number, at offset 0, is in control.
    if (frame.bytes != proctype.frame_bytes || frame.pieces.size() > table.frame_pieces ||
        !covers(frame.pieces, kFramePriority, frame.bytes))
      return refused("A", fmt::format("the components are not the variables of a process {}", proctype.name));
  }
  return std::nullopt;
}

Verdict StateVectors::add_shape(ByteView control) {
  const auto wrong = [] { return refused("A", "a content of control names no processes of the model"); };
  if (control.size() < kProctypes || control.size() > kProctypes + kMaxProcesses) return wrong();
  const ByteView proctypes = control.subspan(kProctypes);
  const auto [place, is_new] = shapes_.try_emplace(std::string(text_of(proctypes)));
  Shape& shape = place->second;
  shape_of_.push_back(&shape);
  if (!is_new) return std::nullopt;
  const ComponentTable& table = certificate_.table;
  std::vector<bool> present(tables_.size());
  const auto add = [&](size_t component, const ComponentTable::Range& range, uint32_t base) {
    const bool known = component < tables_.size() && !tables_[component].numbers.empty();
    if (known) present[component] = true;
    shape.complete = shape.complete && known;
    shape.pieces.push_back({static_cast<uint16_t>(component), base + range.offset, range.size});
  };
  present[kControl] = true;
  shape.bytes = table.global_bytes;
  for (size_t i = 0; i < table.globals.size(); ++i) add(1 + i, table.globals[i], 0);
  for (size_t pid = 0; pid < proctypes.size(); ++pid) {
    const auto proctype = std::to_integer<size_t>(proctypes[pid]);
    if (proctype >= table.frames.size()) return wrong();
    const ComponentTable::Frame& frame = table.frames[proctype];
    const size_t first = 1 + table.globals.size() + pid * table.frame_pieces;
    shape.frames.push_back(shape.bytes);
    for (size_t i = 0; i < frame.pieces.size(); ++i) add(first + i, frame.pieces[i], shape.bytes);
    shape.bytes += frame.bytes;
  }
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (!present[i] && !tables_[i].numbers.empty()) shape.absent.push_back(static_cast<uint16_t>(i));
  }
  return std::nullopt;
}

const char* StateVectors::unpack(const uint64_t* key, State& state) const {
  const auto& contents = certificate_.contents;
  state.numbers.assign(tables_.size(), 0);
  for (unsigned i = 0; i < certificate_.words; ++i) {
    if ((key[i] & ~used_[i]) != 0) return "it has bits outside of all fields";
  }
  for (const Field& field : certificate_.layout) {
    const auto number = static_cast<uint32_t>((key[field.word] & mask_of(field)) >> field.shift);
    if (number >= std::max<size_t>(contents[field.component].size(), 1)) return "it has the number of no content";
    state.numbers[field.component] = number;
  }
  const ByteView control = contents[kControl][state.numbers[kControl]];
  const Shape& shape = *shape_of_[state.numbers[kControl]];
  if (!shape.complete) return "a component of it has no contents";
  state.shape = &shape;
  Bytes& vector = state.vector;
  vector.assign(shape.bytes, std::byte{0});
  store(vector.data() + model_.process_count_offset(), static_cast<uint8_t>(shape.frames.size()));
  vector[model_.atomic_holder_offset()] = control[0];
  vector[model_.last_offset()] = control[1];
  for (size_t pid = 0; pid < shape.frames.size(); ++pid)
    vector[shape.frames[pid] + kFrameProctype] = control[kProctypes + pid];
  for (const Shape::Piece& piece : shape.pieces) {
    const ByteView content = contents[piece.component][state.numbers[piece.component]];
    if (content.size() != piece.size) return "a content of it has another length than its component";
    std::copy(content.begin(), content.end(), vector.begin() + piece.offset);
  }
  for (const uint16_t component : shape.absent) {
    if (!contents[component][state.numbers[component]].empty())
      return "it has a content of a process that is not there";
  }
  return damage(state);
}

// Whatever a state of the model cannot be, and the interpreter relies on.
const char* StateVectors::damage(const State& state) const {
  const std::byte* const vector = state.vector.data();
  const auto holder = load<uint8_t>(vector + model_.atomic_holder_offset());
  if (holder != kNoProcess && holder >= state.shape->frames.size())
    return "a process holds atomicity that is not there";
  const auto fits = [&](const ChannelInstance& channel, uint32_t base) {
    return load<uint16_t>(vector + base + channel.offset) <= model_.channel_types[channel.type].capacity;
  };
  for (const ChannelInstance& channel : model_.channels) {
    if (!fits(channel, 0)) return "a channel has more messages than it can have";
  }
  for (const uint32_t frame : state.shape->frames) {
    const Proctype& proctype = model_.proctypes[load<ProctypeId>(vector + frame + kFrameProctype)];
    const auto location = load<LocationId>(vector + frame + kFrameLocation);
    if (location == 0 || location >= proctype.locations.size()) return "a process is nowhere";
    for (const ChannelInstance& channel : proctype.channels) {
      if (!fits(channel, frame)) return "a channel has more messages than it can have";
    }
  }
  return nullptr;
}

// False: the number fits no field. REQUIRES: the field is zero.
bool StateVectors::put(uint16_t component, uint32_t number, uint64_t* key) const {
  const Field* const field = tables_[component].field;
  if (field == nullptr) return number == 0;
  if (number >> field->width != 0) return false;
  key[field->word] |= uint64_t{number} << field->shift;
  return true;
}

bool StateVectors::put(uint16_t component, ByteView content, uint64_t* key) const {
  const auto known = tables_[component].numbers.find(text_of(content));
  return known != tables_[component].numbers.end() && put(component, known->second, key);
}

// The number of a state vector's content of control. False: there is none.
bool StateVectors::control_number(ByteView vector, const State& before, uint32_t& number) const {
  const auto is_as_before = [&](uint32_t offset) { return vector[offset] == before.vector[offset]; };
  const bool same = vector.size() == before.vector.size() && is_as_before(model_.process_count_offset()) &&
                    is_as_before(model_.atomic_holder_offset()) && is_as_before(model_.last_offset()) &&
                    std::ranges::all_of(before.shape->frames, is_as_before);
  if (same) {
    number = before.numbers[kControl];
    return true;
  }
  Bytes control = {vector[model_.atomic_holder_offset()], vector[model_.last_offset()]};
  uint32_t frame = model_.global_bytes;
  for (auto pid = load<uint8_t>(vector.data() + model_.process_count_offset()); pid > 0; --pid) {
    control.push_back(vector[frame + kFrameProctype]);
    frame += model_.proctypes[load<ProctypeId>(vector.data() + frame + kFrameProctype)].frame_bytes;
  }
  const auto known = tables_[kControl].numbers.find(text_of(control));
  if (known == tables_[kControl].numbers.end()) return false;
  number = known->second;
  return true;
}

bool StateVectors::pack(ByteView vector, const State& before, uint64_t* key, uint16_t& missing) const {
  std::fill_n(key, certificate_.words, 0);
  missing = kControl;
  uint32_t control = 0;
  if (!control_number(vector, before, control) || !put(kControl, control, key)) return false;
  const Shape& shape = *shape_of_[control];
  if (!shape.complete) return false;
  // What is as before has the number that it had.
  const bool same_shape = before.shape == &shape;
  for (const Shape::Piece& piece : shape.pieces) {
    const std::byte* const content = vector.data() + piece.offset;
    if (same_shape && std::memcmp(content, before.vector.data() + piece.offset, piece.size) == 0) {
      static_cast<void>(put(piece.component, before.numbers[piece.component], key));
      continue;
    }
    missing = piece.component;
    if (!put(piece.component, ByteView(content, piece.size), key)) return false;
  }
  for (const uint16_t component : shape.absent) {
    missing = component;
    if (!put(component, ByteView(), key)) return false;
  }
  return true;
}

std::string StateVectors::name(uint16_t component) const {
  if (component == kControl) return "control (component 0)";
  const size_t globals = certificate_.table.globals.size();
  if (component <= globals) return fmt::format("global component {}", component);
  const size_t index = component - 1u - globals;
  const size_t pieces = std::max(certificate_.table.frame_pieces, 1u);
  return fmt::format("piece {} of process {} (component {})", index % pieces, index / pieces, component);
}

}  // namespace cmc::audit
