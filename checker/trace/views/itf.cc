#include "checker/trace/views/itf.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"
#include "checker/trace/views/values.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

// Puts the value where a name like "a[1].b[0]" says: arrays are lists, fields are members of objects.
void put(Json& json, std::string_view name, Json value) {
  Json* at = &json;
  while (!name.empty()) {
    if (name.front() == '[') {
      const size_t end = name.find(']');
      size_t index = 0;
      std::from_chars(name.data() + 1, name.data() + end, index);
      at = &(*at)[index];
      name.remove_prefix(end + 1);
    } else {
      if (name.front() == '.') name.remove_prefix(1);
      const size_t end = std::min(name.find_first_of("[."), name.size());
      at = &(*at)[std::string(name.substr(0, end))];
      name.remove_prefix(end);
    }
  }
  *at = std::move(value);
}

Json record_of(const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const NamedValue& value : values) put(json, value.name, value_of_text(value.value));
  return json;
}

Json channels_of(const StateImage& state) {
  Json json = Json::object();
  for (const ChannelImage& channel : state.channels) {
    Json& messages = json[channel.name] = Json::array();
    for (const std::string& message : channel.messages)
      messages.push_back({{"#tup", message_value(fields_of(message))}});
  }
  return json;
}

Json processes_of(const StateImage& state) {
  Json json = Json::array();
  for (const ProcessImage& process : state.processes) {
    json.push_back({{"name", process.proctype},
                    {"pid", process.pid},
                    {"line", process.place.line},
                    {"state", process.location},
                    {"locals", record_of(process.locals)}});
  }
  return json;
}

// Names of what stands beside the globals; a global of the same name keeps it.
struct Names {
  std::string channels = "channels";
  std::string processes = "processes";
  std::string step = "step";

  explicit Names(const Json& globals) {
    for (std::string* name : {&channels, &processes, &step}) {
      while (globals.contains(*name)) *name += '_';
    }
  }
};

std::string state_json(const StateImage& state, uint64_t index, const std::string& step) {
  const Json globals = record_of(state.globals);
  const Names names(globals);
  Json json;
  json["#meta"] = {{"index", index}};
  json.update(globals);
  json[names.channels] = channels_of(state);
  json[names.processes] = processes_of(state);
  json[names.step] = step;
  return line_of_json(json);
}

std::string step_text(const TraceStep& step) {
  return fmt::format("{}: {}", process_label(step.text.actor), step.text.actor.text);
}

}  // namespace

std::string itf_trace(const Trace& trace, const TraceSource& source) {
  Json head;
  head["#meta"] = {{"format", "ITF"},
                   {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
                   {"source", source.model_file},
                   {"description", fmt::format("made by cmc {}", kVersion)}};
  head["vars"] = Json::array();
  const Json globals = record_of(trace.initial.globals);
  for (const auto& [name, value] : globals.items()) head["vars"].push_back(name);
  const Names names(globals);
  for (const std::string& name : {names.channels, names.processes, names.step}) head["vars"].push_back(name);
  std::string states = state_json(trace.initial, 0, "");
  StateImage state = trace.initial;
  uint64_t index = 0;
  uint64_t loop = UINT64_MAX;
  for (const TraceStep& step : trace.steps) {
    apply(step, state);
    if (step.of_claim() || step.cut) continue;
    if (trace.loop_start > 0 && step.number == trace.loop_start) loop = index;
    states += ",\n" + state_json(state, ++index, step_text(step));
  }
  if (trace.loop_start > 0 && loop == UINT64_MAX) loop = index;  // it is blocked in its last state
  if (loop != UINT64_MAX) head["loop"] = loop;
  std::string text = line_of_json(head);
  text.pop_back();
  return text + ",\n\"states\": [\n" + states + "\n]}\n";
}

}  // namespace cmc
