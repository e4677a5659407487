#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "promela/lower/lowering.h"

namespace cmc::promela {

using ast::ExpressionKind;

void Lowering::describe(const Symbol& symbol, Variable base, std::vector<Variable>& out) {
  if (symbol.is_array) base.dimensions.push_back({symbol.count, symbol.element_bytes(), ""});
  if (symbol.structure == nullptr) {
    base.type = symbol.type;
    out.push_back(std::move(base));
    return;
  }
  for (const Symbol& field : symbol.structure->fields) {
    Variable inner = base;
    inner.offset += field.offset;
    (inner.dimensions.empty() ? inner.name : inner.dimensions.back().suffix) += "." + field.name;
    describe(field, std::move(inner), out);
  }
}

void Lowering::describe(const Symbol& symbol, std::string distinction, std::vector<Variable>& out) {
  Variable variable;
  variable.name = symbol.name;
  variable.distinction = std::move(distinction);
  variable.space = symbol.proctype >= 0 ? Space::kLocal : Space::kGlobal;
  variable.offset = symbol.offset;
  variable.hidden = symbol.hidden;
  variable.is_parameter = symbol.parameter;
  variable.place = symbol.location.place;
  describe(symbol, std::move(variable), out);
}

std::string Lowering::distinction(const Symbol& symbol) const {
  std::string lines;  // of the calls, outermost first
  for (ExpansionId id = symbol.location.expansion; id != 0; id = sources_.expansion(id).parent) {
    const Expansion& expansion = sources_.expansion(id);
    if (expansion.kind != Expansion::Kind::kInline) continue;
    lines = fmt::format("{}{}{}", expansion.place.line, lines.empty() ? "" : "/", lines);
  }
  return fmt::format("@{}", lines.empty() ? std::to_string(symbol.location.place.line) : lines);
}

void Lowering::append_fields(const Symbol& symbol, ChannelType& type) {
  for (uint32_t i = 0; i < symbol.count; ++i) {
    if (symbol.structure == nullptr) {
      type.fields.push_back(symbol.type);
      if (symbol.type.basic == BasicType::kBit) type.fields.back().bits = 1;
      continue;
    }
    for (const Symbol& field : symbol.structure->fields) append_fields(field, type);
  }
}

uint32_t Lowering::channel_type(const ast::ChannelInit& channel) {
  if (const auto known = channel_types_.find(&channel); known != channel_types_.end()) return known->second;
  ChannelType type;
  type.capacity = static_cast<uint32_t>(channel.capacity);
  for (const ast::ChannelInit::Field& field : channel.fields) {
    Symbol symbol;
    const auto structure = analysis_.structure_names.find(field.type);
    if (structure != analysis_.structure_names.end()) {
      symbol.structure = structure->second;
    } else {
      const BasicType basic = field.type == "bit"     ? BasicType::kBit
                              : field.type == "mtype" ? BasicType::kMtype
                              : field.type == "chan"  ? BasicType::kChan
                              : field.type == "pid"   ? BasicType::kPid
                              : field.type == "short" ? BasicType::kShort
                              : field.type == "int"   ? BasicType::kInt
                                                      : BasicType::kByte;
      symbol.type = scalar_type(basic, basic == BasicType::kShort ? 16 : basic == BasicType::kInt ? 32 : 8);
      for (size_t set = 0; set < model_.mtype_set_names.size(); ++set) {
        if (field.type == "mtype" && model_.mtype_set_names[set] == field.mtype_set) {
          symbol.type.mtype_set = static_cast<uint8_t>(set);
        }
      }
    }
    append_fields(symbol, type);
  }
  // A lone bit field is stored as a byte.
  if (type.fields.size() == 1 && type.fields[0].basic == BasicType::kBit) type.fields[0].bits = 8;
  for (const ScalarType& field : type.fields) {
    type.field_offsets.push_back(type.message_bytes);
    type.message_bytes += field.bytes;
  }
  if (uint64_t{type.capacity} * type.message_bytes > kMaxStateBytes) {
    error(channel.location,
          fmt::format("a channel of {} messages of {} bytes is too large", type.capacity, type.message_bytes));
    type.capacity = 1;
  }
  model_.channel_types.push_back(std::move(type));
  const auto id = static_cast<uint32_t>(model_.channel_types.size() - 1);
  channel_types_.emplace(&channel, id);
  return id;
}

void Lowering::initialise(const Symbol& symbol, const VariableReference& base, const std::string& name,
                          Region region) {
  for (uint32_t i = 0; i < symbol.count; ++i) {
    VariableReference element = base;
    element.offset += i * symbol.element_bytes();
    const std::string element_name = symbol.is_array ? fmt::format("{}[{}]", name, i) : name;
    if (symbol.structure != nullptr) {
      for (const Symbol& field : symbol.structure->fields) {
        VariableReference inner = element;
        inner.offset += field.offset;
        inner.variable += field.first_leaf;
        initialise(field, inner, element_name + "." + field.name, region);
      }
      continue;
    }
    if (symbol.initializer == nullptr && symbol.channel == nullptr) continue;
    Initializer initializer;
    initializer.target = element;
    initializer.target.type = symbol.type;
    if (symbol.channel != nullptr) {
      initializer.channel = static_cast<int32_t>(region.channels->size());
      region.channels->push_back({element_name, channel_type(*symbol.channel), 0});
      if (region.channels->size() > kMaxChannels) {
        error(symbol.location, "more than 255 channels");
        return;
      }
    } else if (symbol.initializer->kind == ExpressionKind::kList) {
      const auto& values = symbol.initializer->operands;
      initializer.value = emit_.constant(values[std::min<size_t>(i, values.size() - 1)]->value);
    } else {
      initializer.value = emit_.lower(*symbol.initializer);
    }
    region.initializers->push_back(std::move(initializer));
  }
}

void Lowering::initialise(const Symbol& symbol, Region region) {
  VariableReference base;
  base.space = symbol.proctype >= 0 ? Space::kLocal : Space::kGlobal;
  base.offset = symbol.offset;
  base.variable = symbol.first_leaf;
  initialise(symbol, base, symbol.name, region);
}

uint32_t Lowering::place_channels(std::vector<ChannelInstance>& channels, uint64_t offset, const Location& location) {
  for (ChannelInstance& channel : channels) {
    DCHECK(channel.type < model_.channel_types.size());
    channel.offset = static_cast<uint32_t>(offset);
    offset += model_.channel_types[channel.type].bytes();
    if (offset > kMaxStateBytes) {
      error(location, fmt::format("the channels need more than {} bytes", kMaxStateBytes));
      return 0;
    }
  }
  return static_cast<uint32_t>(offset);
}

int Lowering::initialisation_rank(const Symbol& symbol) {
  if (symbol.structure != nullptr) return 7;
  switch (symbol.type.basic) {
    case BasicType::kUnsigned: return 0;
    case BasicType::kBit: return 1;
    case BasicType::kByte:
    case BasicType::kPid: return 2;
    case BasicType::kChan: return 3;
    case BasicType::kMtype: return 4;
    case BasicType::kShort: return 5;
    case BasicType::kInt: return 6;
  }
  return 7;
}

void Lowering::lower_globals() {
  uint64_t end = kHeaderBytes;
  for (const Symbol* symbol : analysis_.globals) {
    describe(*symbol, "", model_.globals);
    if (symbol->hidden) model_.hidden_bytes += static_cast<uint32_t>(symbol->bytes());
    end += symbol->bytes();
  }
  for (int rank = 0; rank <= 7; ++rank) {
    for (const Symbol* symbol : analysis_.globals) {
      if (initialisation_rank(*symbol) == rank) initialise(*symbol, {&model_.initializers, &model_.channels});
    }
  }
  model_.global_bytes = place_channels(model_.channels, end, {});
}

}  // namespace cmc::promela
