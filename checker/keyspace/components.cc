#include "checker/keyspace/components.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace cmc {

namespace {

// Together they keep the number of components of 255 processes below 2^16.
constexpr uint32_t kMaxFrameParts = 112;
constexpr uint32_t kMaxFrameChannels = 128;

constexpr uint32_t kMaxArrayParts = 64;
constexpr uint32_t kCoarseBytes = 64;
constexpr uint32_t kFineArrayBytes = 8;

bool is_scalar(const Variable& variable) { return variable.dimensions.empty(); }

uint32_t extent(const Variable& variable) {
  return variable.dimensions.empty() ? variable.type.bytes
                                     : variable.dimensions.front().count * variable.dimensions.front().stride;
}

// Where a new piece may begin: at every scalar outside an array, at every element of the outermost dimension. The
// fields of a structure in an array lie inside its elements.
struct Cut {
  uint32_t offset = 0;
  bool is_scalar = false;
  bool operator==(const Cut& other) const { return offset == other.offset; }
};
std::vector<Cut> boundaries(const std::vector<Variable>& variables, uint32_t begin, uint32_t end) {
  std::vector<const Variable*> sorted;
  for (const Variable& variable : variables) {
    if (!variable.hidden && variable.offset >= begin && variable.offset < end) sorted.push_back(&variable);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Variable* a, const Variable* b) { return a->offset < b->offset; });
  std::vector<Cut> cuts;
  std::vector<bool> inside(end - begin, false);
  for (const Variable* variable : sorted) {
    const uint32_t size = extent(*variable);
    const uint32_t stride = variable->dimensions.empty() ? size : variable->dimensions.front().stride;
    for (uint32_t at = variable->offset; at < variable->offset + size && !inside[at - begin]; at += stride) {
      cuts.push_back({at, is_scalar(*variable)});
      for (uint32_t b = at + 1; b < std::min(at + stride, end); ++b) inside[b - begin] = true;
    }
  }
  if (cuts.empty() || cuts.front().offset != begin) cuts.insert(cuts.begin(), {begin, false});
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Where pieces begin, of which there are at most kMaxGlobalPieces. Each scalar is one, since scalars in one piece
// would have as many contents as they have combinations; of elements of arrays as many are one as it takes. Where
// there are more scalars and arrays than pieces, scalars are counted like elements.
std::vector<uint32_t> global_pieces(const std::vector<Cut>& cuts) {
  const auto begins_of = [&](size_t group, bool apart) {
    std::vector<uint32_t> begins;
    size_t has = group;  // of the last piece
    for (const Cut& cut : cuts) {
      const bool alone = apart && cut.is_scalar;
      if (has == group || alone) {
        begins.push_back(cut.offset);
        has = 0;
      }
      has = alone ? group : has + 1;
    }
    return begins;
  };
  const size_t least = (cuts.size() + Components::kMaxGlobalPieces - 1) / Components::kMaxGlobalPieces;
  for (size_t group = least; group <= cuts.size(); group += 1 + group / 8) {
    std::vector<uint32_t> begins = begins_of(group, true);
    if (begins.size() <= Components::kMaxGlobalPieces) return begins;
  }
  return begins_of(least, false);
}

}  // namespace

Components::Components(const Model& model, FrameDivision division) : model_(model), division_(std::move(division)) {
  divide_globals();
  for (ProctypeId number = 0; number < model.proctypes.size(); ++number) divide_frame(number);
}

std::optional<FrameDivision> Components::finer(ProctypeId proctype) const {
  const std::vector<Variable>& variables = model_.proctypes[proctype].variables;
  FrameDivision finer = division_;
  if (!finer.elements && std::ranges::any_of(variables, [](const Variable& variable) {
        return !is_scalar(variable) && extent(variable) > kFineArrayBytes;
      })) {
    finer.elements = true;
    return finer;
  }
  const auto place = std::ranges::lower_bound(finer.scalars, proctype);
  const bool is_divided = place != finer.scalars.end() && *place == proctype;
  if (is_divided || std::ranges::none_of(variables, is_scalar)) return std::nullopt;
  finer.scalars.insert(place, proctype);
  return finer;
}

void Components::divide_globals() {
  const uint32_t begin = model_.header_offset() + kHeaderBytes;
  uint32_t end = model_.global_bytes;
  for (const ChannelInstance& channel : model_.channels) end = std::min(end, channel.offset);
  if (end > begin) {
    // Observers lie behind the variables.
    uint32_t variables_end = end;
    for (const Observer* observer : {&model_.claim, &model_.trace}) {
      if (observer->exists()) variables_end = std::min(variables_end, observer->offset);
    }
    if (variables_end > begin) {
      const std::vector<uint32_t> begins = global_pieces(boundaries(model_.globals, begin, variables_end));
      for (size_t i = 0; i < begins.size(); ++i)
        globals_.push_back({begins[i], (i + 1 < begins.size() ? begins[i + 1] : variables_end) - begins[i]});
    }
    for (const Observer* observer : {&model_.claim, &model_.trace}) {
      if (observer->exists()) globals_.push_back({observer->offset, model_.claims[observer->claim].frame_bytes});
    }
  }
  for (const ChannelInstance& channel : model_.channels) {
    globals_.push_back({channel.offset, model_.channel_types[channel.type].bytes()});
  }
  pieces_.global_component.assign(model_.global_bytes, kControlComponent);
  pieces_.global_pieces = static_cast<uint16_t>(globals_.size());
  for (size_t i = 0; i < globals_.size(); ++i) {
    for (uint32_t b = 0; b < globals_[i].size; ++b) {
      pieces_.global_component[globals_[i].offset + b] = static_cast<ComponentId>(1 + i);
    }
  }
}

void Components::divide_frame(ProctypeId number) {
  const Proctype& proctype = model_.proctypes[number];
  // The proctype's number, at offset 0, is known from control.
  uint32_t end = proctype.frame_bytes;
  for (const ChannelInstance& channel : proctype.channels) end = std::min(end, channel.offset);
  const bool fine = division_.elements;
  const bool apart = std::ranges::binary_search(division_.scalars, number);
  std::vector<const Variable*> variables;  // that may be pieces
  for (const Variable& variable : proctype.variables) {
    if (apart || !is_scalar(variable)) variables.push_back(&variable);
  }
  std::ranges::sort(variables, {}, &Variable::offset);
  std::vector<Range> ranges;
  uint32_t begin = kFramePriority;  // of what is not divided yet
  for (const Variable* variable : variables) {
    if (variable->offset < begin) continue;  // a field of the structures in an array
    const uint32_t size = extent(*variable);
    const uint32_t variable_end = variable->offset + size;
    uint32_t part = size;
    if (!is_scalar(*variable)) {
      if (size <= (fine ? kFineArrayBytes : kCoarseBytes)) continue;
      const uint32_t stride = variable->dimensions.front().stride;
      const uint32_t least = fine ? 1 : std::max(kCoarseBytes / stride, 1u);
      part = std::max((size / stride + kMaxArrayParts - 1) / kMaxArrayParts, least) * stride;
    }
    if (ranges.size() + size / part + 2 > kMaxFrameParts) break;
    if (variable->offset > begin || ranges.empty()) ranges.push_back({begin, variable->offset - begin});
    for (uint32_t at = variable->offset; at < variable_end; at += part)
      ranges.push_back({at, std::min(part, variable_end - at)});
    begin = variable_end;
  }
  if (end > begin || ranges.empty()) ranges.push_back({begin, end - begin});
  local_pieces_.push_back(static_cast<uint32_t>(ranges.size()));
  if (proctype.channels.size() <= kMaxFrameChannels) {
    for (const ChannelInstance& channel : proctype.channels) {
      ranges.push_back({channel.offset, model_.channel_types[channel.type].bytes()});
    }
  } else {
    ranges.push_back({end, proctype.frame_bytes - end});
  }
  std::vector<uint16_t>& piece = pieces_.frame_piece.emplace_back(proctype.frame_bytes, uint16_t{0});
  for (size_t i = 0; i < ranges.size(); ++i) {
    for (uint32_t b = 0; b < ranges[i].size; ++b) piece[ranges[i].offset + b] = static_cast<uint16_t>(i);
  }
  const uint16_t count = static_cast<uint16_t>(ranges.size());
  pieces_.frame_pieces.push_back(count);
  pieces_.most_frame_pieces = std::max(pieces_.most_frame_pieces, count);
  frames_.push_back(std::move(ranges));
  frame_bytes_.push_back(proctype.frame_bytes);
}

void Components::control_of(ByteView state, Bytes& content) const {
  content.clear();
  content.push_back(state[model_.atomic_holder_offset()]);
  content.push_back(state[model_.last_offset()]);
  const uint32_t count = load<uint8_t>(state.data() + model_.process_count_offset());
  size_t frame = model_.global_bytes;
  for (uint32_t pid = 0; pid < count; ++pid) {
    content.push_back(state[frame + kFrameProctype]);
    frame += model_.proctypes[static_cast<ProctypeId>(state[frame + kFrameProctype])].frame_bytes;
  }
  DCHECK(frame == state.size());
}

bool Components::may_contain(uint32_t component, ByteView content) const {
  if (component == kControlComponent) {
    const size_t most = kControlProctypes + kMaxProcesses;
    if (content.size() < kControlProctypes || content.size() > most) return false;
    return std::ranges::all_of(content.subspan(kControlProctypes),
                               [&](std::byte proctype) { return static_cast<size_t>(proctype) < frames_.size(); });
  }
  if (component <= pieces_.global_pieces) return content.size() == globals_[component - 1].size;
  const uint32_t piece = (component - 1 - pieces_.global_pieces) % pieces_.most_frame_pieces;
  const auto has_it = [&](const std::vector<Range>& ranges) {
    return piece < ranges.size() && ranges[piece].size == content.size();
  };
  return content.empty() || std::ranges::any_of(frames_, has_it);  // empty: there is no such process
}

std::string Components::name(ComponentId component, ByteView control) const {
  if (component == kControlComponent) return "control";
  if (component <= pieces_.global_pieces) {
    const Range& range = globals_[component - 1u];
    for (const ChannelInstance& channel : model_.channels) {
      if (channel.offset == range.offset) return channel.name;
    }
    for (const Observer* observer : {&model_.claim, &model_.trace}) {
      if (observer->exists() && observer->offset == range.offset) return model_.claims[observer->claim].name;
    }
    std::string text;
    for (const Variable& variable : model_.globals) {
      if (variable.hidden || variable.offset >= range.offset + range.size) continue;
      if (variable.offset + extent(variable) <= range.offset) continue;
      std::string name = variable.name;
      if (!variable.dimensions.empty()) {
        const uint32_t stride = variable.dimensions.front().stride;
        const uint32_t first = range.offset > variable.offset ? (range.offset - variable.offset) / stride : 0;
        const uint32_t last = std::min(variable.dimensions.front().count,
                                       (range.offset + range.size - variable.offset + stride - 1) / stride) -
                              1;
        name += first == last ? fmt::format("[{}]", first) : fmt::format("[{}..{}]", first, last);
        name += variable.dimensions.front().suffix;
      }
      text += text.empty() ? name : ", " + name;
    }
    return text.empty() ? "globals" : text;
  }
  const uint32_t index = component - 1u - pieces_.global_pieces;
  const uint32_t pid = index / pieces_.most_frame_pieces;
  const uint32_t piece = index % pieces_.most_frame_pieces;
  std::string text = fmt::format("process {}", pid);
  if (pid < process_count(control)) {
    text =
        fmt::format("{}[{}]", model_.proctypes[static_cast<ProctypeId>(control[kControlProctypes + pid])].name, pid);
  }
  return piece == 0 ? text : fmt::format("{} part {}", text, piece);
}

}  // namespace cmc
