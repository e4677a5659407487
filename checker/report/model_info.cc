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

// With dimensions: "a[3].x".
std::string written_name(const Variable& variable) {
  std::string name = variable.name;
  for (const Variable::Dimension& each : variable.dimensions) name += fmt::format("[{}]{}", each.count, each.suffix);
  return name;
}

uint32_t bytes_of(const Variable& variable) {
  uint32_t bytes = variable.type.bytes;
  for (const Variable::Dimension& dimension : variable.dimensions) bytes *= dimension.count;
  return bytes;
}

std::vector<std::string> field_types(const Model& model, const ChannelType& type) {
  std::vector<std::string> types;
  for (const ScalarType& field : type.fields) types.push_back(type_name(model, field));
  return types;
}

uint32_t active_at_start(const Model& model, size_t proctype) {
  return static_cast<uint32_t>(std::ranges::count(model.active, proctype, &ActiveProcess::proctype));
}

// The first one, number 0, is none.
uint32_t locations_of(const Proctype& proctype) {
  return proctype.locations.empty() ? 0 : static_cast<uint32_t>(proctype.locations.size() - 1);
}

uint32_t edges_of(const Proctype& proctype) {
  uint32_t edges = 0;
  for (const Location& location : proctype.locations) edges += static_cast<uint32_t>(location.edges.size());
  return edges;
}

uint32_t initial_bytes(const Model& model) {
  uint32_t bytes = model.global_bytes;
  for (const ActiveProcess& process : model.active) bytes += model.proctypes[process.proctype].frame_bytes;
  return bytes;
}

struct PropertyLine {
  std::string kind;
  std::string name;
  std::string place;    // may be empty
  std::string formula;  // ltl: in SPIN's syntax
  bool by_default = true;
};

std::vector<PropertyLine> decided(const Model& model) {
  std::vector<PropertyLine> lines;
  for (const PropertyEntry& entry : properties_of(model)) {
    const bool is_formula = entry.kind == PropertyKind::kLtl;
    lines.push_back({property_kind_name(entry.kind), entry.name, place_text(model, entry.place),
                     is_formula ? build_formula_text(model, model.properties[entry.property].formula) : "",
                     entry.by_default});
  }
  return lines;
}

std::vector<PropertyLine> undecided(const Model& model) {
  std::vector<PropertyLine> lines;
  for (const Property& property : model.properties) {
    if (property.kind == Property::Kind::kEmbeddedC)
      lines.push_back({info(property.kind).name, property.name, place_text(model, property.place), ""});
  }
  return lines;
}

// Columns: offset, size, type, name.
std::string variables_text(const Model& model, const std::vector<Variable>& variables) {
  std::string text;
  for (const Variable& each : variables) {
    text += fmt::format("{:>6} {:>6}  {:<14} {}{}{}\n", each.offset, bytes_of(each), type_name(model, each.type),
                        written_name(each), each.hidden ? "  (hidden: not part of a state's identity)" : "",
                        each.is_parameter ? "  (parameter)" : "");
  }
  return text;
}

std::string channels_text(const Model& model, const std::vector<ChannelInstance>& channels) {
  std::string text;
  for (const ChannelInstance& each : channels) {
    const ChannelType& type = model.channel_types[each.type];
    const std::string kind = type.capacity == 0 ? "rendezvous" : fmt::format("chan of {}", type.capacity);
    text += fmt::format("{:>6} {:>6}  {:<14} {} {{{}}}\n", each.offset, type.bytes(), kind, each.name,
                        fmt::join(field_types(model, type), ", "));
  }
  return text;
}

using Json = nlohmann::ordered_json;

Json variables_json(const Model& model, const std::vector<Variable>& variables) {
  Json list = Json::array();
  for (const Variable& each : variables) {
    list.push_back({{"name", written_name(each)},
                    {"type", type_name(model, each.type)},
                    {"offset", each.offset},
                    {"bytes", bytes_of(each)},
                    {"hidden", each.hidden},
                    {"parameter", each.is_parameter}});
  }
  return list;
}

Json channels_json(const Model& model, const std::vector<ChannelInstance>& channels) {
  Json list = Json::array();
  for (const ChannelInstance& each : channels) {
    const ChannelType& type = model.channel_types[each.type];
    list.push_back({{"name", each.name},
                    {"capacity", type.capacity},
                    {"fields", field_types(model, type)},
                    {"offset", each.offset},
                    {"bytes", type.bytes()}});
  }
  return list;
}

std::string cost_text(const StateCost& cost) {
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

std::string info_text(const ModelInfo& info, const Palette& palette) {
  const Model& model = info.model;
  const auto heading = [&](std::string_view text) { return palette.paint(Tone::kStrong, text) + '\n'; };
  std::string text = fmt::format("{} (sha1 {})\n\n", printable(info.file), info.sha1);
  text += heading("state vector");
  text += fmt::format("  {} in the initial state: header {}, globals and their channels {}, processes {}\n",
                      plural(initial_bytes(model), "byte"), kHeaderBytes, model.global_bytes - kHeaderBytes,
                      initial_bytes(model) - model.global_bytes);
  text += (info.cost ? cost_text(*info.cost) : "") + '\n';
  if (!model.globals.empty() || !model.channels.empty()) {
    text += heading("globals (offset, bytes, type, name)");
    text += variables_text(model, model.globals) + channels_text(model, model.channels) + '\n';
  }
  for (size_t id = 0; id < model.proctypes.size(); ++id) {
    const Proctype& proctype = model.proctypes[id];
    const uint32_t active = active_at_start(model, id);
    text += heading(fmt::format("{} ({})", proctype.name == "init" ? "init" : "proctype " + proctype.name,
                                place_text(model, proctype.place)));
    text += fmt::format("  {} at the start, {}, {}, {} in the state vector\n",
                        active == 1 ? "1 process" : fmt::format("{} processes", active),
                        plural(locations_of(proctype), "location"), plural(edges_of(proctype), "edge"),
                        plural(proctype.frame_bytes, "byte"));
    text += variables_text(model, proctype.variables) + channels_text(model, proctype.channels) + '\n';
  }
  text += heading("properties");
  for (const PropertyLine& property : decided(model)) {
    text += fmt::format("  {}: {}{}{}{}\n", printable(property.name), property.kind,
                        property.place.empty() ? "" : fmt::format(" ({})", printable(property.place)),
                        property.formula.empty() ? "" : ": " + printable(property.formula),
                        property.by_default ? "" : ", decided only if --property asks for it");
  }
  for (const PropertyLine& property : undecided(model)) {
    const std::string name = property.name.empty() ? "" : " " + property.name;
    text += fmt::format("  {} {}{} ({})\n", palette.paint(Tone::kDoubtful, "not decided:"), property.kind, name,
                        property.place);
  }
  return text;
}

std::string info_json(const ModelInfo& info) {
  const Model& model = info.model;
  Json json;
  json["schema"] = "cmc.info/1";
  json["version"] = kVersion;
  json["model"] = {{"file", info.file}, {"hash", info.sha1}};
  json["header_bytes"] = kHeaderBytes;
  json["global_bytes"] = model.global_bytes;
  json["initial_bytes"] = initial_bytes(model);
  json["state_cost"] = nullptr;
  if (const auto& cost = info.cost) {
    json["state_cost"] = {
        {"states", cost->states}, {"all", cost->all}, {"key_bits", cost->key_bits}, {"bytes", cost->bytes}};
  }
  json["globals"] = variables_json(model, model.globals);
  json["channels"] = channels_json(model, model.channels);
  json["proctypes"] = Json::array();
  for (size_t id = 0; id < model.proctypes.size(); ++id) {
    const Proctype& proctype = model.proctypes[id];
    json["proctypes"].push_back({{"name", proctype.name},
                                 {"place", place_text(model, proctype.place)},
                                 {"active", active_at_start(model, id)},
                                 {"locations", locations_of(proctype)},
                                 {"edges", edges_of(proctype)},
                                 {"frame_bytes", proctype.frame_bytes},
                                 {"variables", variables_json(model, proctype.variables)},
                                 {"channels", channels_json(model, proctype.channels)}});
  }
  json["properties"] = Json::array();
  for (const PropertyLine& property : decided(model)) {
    Json line = {{"kind", property.kind}, {"name", property.name}, {"place", property.place}};
    if (!property.formula.empty()) line["formula"] = property.formula;
    line["by_default"] = property.by_default;
    json["properties"].push_back(std::move(line));
  }
  json["undecided"] = Json::array();
  for (const PropertyLine& property : undecided(model))
    json["undecided"].push_back({{"kind", property.kind}, {"name", property.name}, {"place", property.place}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
