#include "checker/report/model_info.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "checker/properties/properties.h"
#include "checker/report/style/version.h"
#include "ir/print.h"
#include "ir/state_printer.h"

namespace cmc {
namespace {

ModelInfo::Variable describe_variable(const Model& model, const Variable& variable) {
  ModelInfo::Variable info{variable.name,   type_name(model, variable.type),
                           variable.offset, variable.type.bytes,
                           variable.hidden, variable.is_parameter};
  for (const Variable::Dimension& dimension : variable.dimensions) {
    info.name += fmt::format("[{}]{}", dimension.count, dimension.suffix);
    info.bytes *= dimension.count;
  }
  return info;
}

ModelInfo::Channel describe_channel(const Model& model, const ChannelInstance& channel) {
  const ChannelType& type = model.channel_types[channel.type];
  ModelInfo::Channel info{channel.name, type.capacity, {}, channel.offset, type.bytes()};
  for (const ScalarType& field : type.fields) info.fields.push_back(type_name(model, field));
  return info;
}

ModelInfo::Proctype describe_proctype(const Model& model, size_t id) {
  const Proctype& proctype = model.proctypes[id];
  ModelInfo::Proctype info;
  info.name = proctype.name;
  info.place = place_text(model, proctype.place);
  for (const ActiveProcess& process : model.active) info.active += process.proctype == id;
  info.locations = proctype.locations.empty() ? 0 : static_cast<uint32_t>(proctype.locations.size() - 1);
  for (const Location& location : proctype.locations) info.edges += static_cast<uint32_t>(location.edges.size());
  info.frame_bytes = proctype.frame_bytes;
  for (const Variable& variable : proctype.variables) info.variables.push_back(describe_variable(model, variable));
  for (const ChannelInstance& channel : proctype.channels) info.channels.push_back(describe_channel(model, channel));
  return info;
}

// Columns: offset, size, type, name.
std::string variable_line(const ModelInfo::Variable& variable) {
  std::string line =
      fmt::format("{:>6} {:>6}  {:<14} {}", variable.offset, variable.bytes, variable.type, variable.name);
  if (variable.hidden) line += "  (hidden: not part of a state's identity)";
  if (variable.parameter) line += "  (parameter)";
  return line + '\n';
}

std::string channel_line(const ModelInfo::Channel& channel) {
  const std::string kind = channel.capacity == 0 ? "rendezvous" : fmt::format("chan of {}", channel.capacity);
  return fmt::format("{:>6} {:>6}  {:<14} {} {{{}}}\n", channel.offset, channel.bytes, kind, channel.name,
                     fmt::join(channel.fields, ", "));
}

using Json = nlohmann::ordered_json;

Json variable_json(const ModelInfo::Variable& variable) {
  return {{"name", variable.name},   {"type", variable.type},     {"offset", variable.offset},
          {"bytes", variable.bytes}, {"hidden", variable.hidden}, {"parameter", variable.parameter}};
}

Json channel_json(const ModelInfo::Channel& channel) {
  return {{"name", channel.name},
          {"capacity", channel.capacity},
          {"fields", channel.fields},
          {"offset", channel.offset},
          {"bytes", channel.bytes}};
}

template <class T, class F>
Json list_json(const std::vector<T>& items, F convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

Json proctype_json(const ModelInfo::Proctype& proctype) {
  Json json;
  json["name"] = proctype.name;
  json["place"] = proctype.place;
  json["active"] = proctype.active;
  json["locations"] = proctype.locations;
  json["edges"] = proctype.edges;
  json["frame_bytes"] = proctype.frame_bytes;
  json["variables"] = list_json(proctype.variables, variable_json);
  json["channels"] = list_json(proctype.channels, channel_json);
  return json;
}

std::string cost_text(const ModelInfo::StateCost& cost) {
  if (cost.all) {
    return fmt::format("  {} in all; in the set of states {} bits each\n", plural(cost.states, "state"),
                       cost.key_bits);
  }
  std::string text =
      fmt::format("  about {:.1f} bytes a state in the set of states (of the first {}: keys of {} bits)\n",
                  cost.bytes, format_count(cost.states), cost.key_bits);
  if (cost.memory_bytes > 0) {
    const double fit = 0.8 * static_cast<double>(cost.memory_bytes) / cost.bytes;
    text +=
        fmt::format("  about {} million states fit into the {} that a check may take here; then it uses the disk\n",
                    format_count(static_cast<uint64_t>(fit / 1e6)), format_size(cost.memory_bytes));
  }
  return text;
}

}  // namespace

ModelInfo describe_model(const Model& model, std::string file, std::string sha1) {
  ModelInfo info;
  info.file = std::move(file);
  info.sha1 = std::move(sha1);
  for (const Variable& variable : model.globals) info.globals.push_back(describe_variable(model, variable));
  for (const ChannelInstance& channel : model.channels) info.channels.push_back(describe_channel(model, channel));
  for (size_t id = 0; id < model.proctypes.size(); ++id) info.proctypes.push_back(describe_proctype(model, id));
  for (const PropertyEntry& entry : properties_of(model)) {
    const bool is_formula = entry.kind == PropertyKind::kLtl;
    info.properties.push_back({property_kind_name(entry.kind), entry.name, place_text(model, entry.place),
                               is_formula ? build_formula_text(model, model.properties[entry.property].formula) : "",
                               entry.by_default});
  }
  for (const Property& property : model.properties) {
    if (property.kind != Property::Kind::kEmbeddedC) continue;
    info.undecided.push_back({cmc::info(property.kind).name, property.name, place_text(model, property.place), ""});
  }
  info.header_bytes = kHeaderBytes;
  info.global_bytes = model.global_bytes;
  info.initial_bytes = model.global_bytes;
  for (const ActiveProcess& process : model.active)
    info.initial_bytes += model.proctypes[process.proctype].frame_bytes;
  return info;
}

std::string info_text(const ModelInfo& info, const Palette& palette) {
  const auto heading = [&](std::string_view text) { return palette.paint(Tone::kStrong, text) + '\n'; };
  std::string text = fmt::format("{} (sha1 {})\n\n", printable(info.file), info.sha1);
  text += heading("state vector");
  text += fmt::format("  {} in the initial state: header {}, globals and their channels {}, processes {}\n",
                      plural(info.initial_bytes, "byte"), info.header_bytes, info.global_bytes - info.header_bytes,
                      info.initial_bytes - info.global_bytes);
  text += (info.cost ? cost_text(*info.cost) : "") + '\n';
  if (!info.globals.empty() || !info.channels.empty()) {
    text += heading("globals (offset, bytes, type, name)");
    for (const ModelInfo::Variable& variable : info.globals) text += variable_line(variable);
    for (const ModelInfo::Channel& channel : info.channels) text += channel_line(channel);
    text += '\n';
  }
  for (const ModelInfo::Proctype& proctype : info.proctypes) {
    text += heading(
        fmt::format("{} ({})", proctype.name == "init" ? "init" : "proctype " + proctype.name, proctype.place));
    text += fmt::format("  {} at the start, {}, {}, {} in the state vector\n",
                        proctype.active == 1 ? "1 process" : fmt::format("{} processes", proctype.active),
                        plural(proctype.locations, "location"), plural(proctype.edges, "edge"),
                        plural(proctype.frame_bytes, "byte"));
    for (const ModelInfo::Variable& variable : proctype.variables) text += variable_line(variable);
    for (const ModelInfo::Channel& channel : proctype.channels) text += channel_line(channel);
    text += '\n';
  }
  text += heading("properties");
  for (const ModelInfo::PropertyLine& property : info.properties) {
    text += fmt::format("  {}: {}{}{}{}\n", printable(property.name), property.kind,
                        property.place.empty() ? "" : fmt::format(" ({})", printable(property.place)),
                        property.formula.empty() ? "" : ": " + printable(property.formula),
                        property.by_default ? "" : ", decided only if --property asks for it");
  }
  for (const ModelInfo::PropertyLine& property : info.undecided) {
    const std::string name = property.name.empty() ? "" : " " + property.name;
    text += fmt::format("  {} {}{} ({})\n", palette.paint(Tone::kDoubtful, "not decided:"), property.kind, name,
                        property.place);
  }
  return text;
}

std::string info_json(const ModelInfo& info) {
  Json json;
  json["schema"] = "cmc.info/1";
  json["version"] = kVersion;
  json["model"] = {{"file", info.file}, {"hash", info.sha1}};
  json["header_bytes"] = info.header_bytes;
  json["global_bytes"] = info.global_bytes;
  json["initial_bytes"] = info.initial_bytes;
  json["state_cost"] = nullptr;
  if (const auto& cost = info.cost) {
    json["state_cost"] = {
        {"states", cost->states}, {"all", cost->all}, {"key_bits", cost->key_bits}, {"bytes", cost->bytes}};
  }
  json["globals"] = list_json(info.globals, variable_json);
  json["channels"] = list_json(info.channels, channel_json);
  json["proctypes"] = list_json(info.proctypes, proctype_json);
  const auto property_json = [](const ModelInfo::PropertyLine& property) {
    return Json{{"kind", property.kind}, {"name", property.name}, {"place", property.place}};
  };
  json["properties"] = list_json(info.properties, [&](const ModelInfo::PropertyLine& property) {
    Json line = property_json(property);
    if (!property.formula.empty()) line["formula"] = property.formula;
    line["by_default"] = property.by_default;
    return line;
  });
  json["undecided"] = list_json(info.undecided, property_json);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
