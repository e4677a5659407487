#include "checker/trace/views/trace_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "checker/report/explanation_json.h"
#include "checker/report/style/version.h"
#include "checker/trace/views/values.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

Json messages_json(const std::vector<std::string>& messages) {
  Json json = Json::array();
  for (const std::string& message : messages) json.push_back(message_value(fields_of(message)));
  return json;
}

Json values_json(const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const NamedValue& value : values) json[value.name] = value_of_text(value.value);
  return json;
}

void set_place(Json& json, const Model& model, const SourcePlace& place) {
  const bool known = place.line > 0 && place.file < model.files.size();
  json["file"] = known ? Json(model.files[place.file]) : Json(nullptr);
  json["line"] = known ? Json(place.line) : Json(nullptr);
}

Json process_json(const Model& model, const ProcessImage& process) {
  Json json;
  json["process"] = process_label(process);
  json["name"] = process.proctype;
  json["pid"] = process.pid;
  set_place(json, model, process.place);
  json["state"] = process.location;
  json["priority"] = process.priority;
  json["locals"] = values_json(process.locals);
  return json;
}

Json channel_json(const ChannelImage& channel) {
  return {{"capacity", channel.capacity}, {"messages", messages_json(channel.messages)}};
}

Json state_json(const Model& model, const StateImage& state) {
  Json json;
  json["globals"] = values_json(state.globals);
  json["channels"] = Json::object();
  for (const ChannelImage& channel : state.channels) json["channels"][channel.name] = channel_json(channel);
  json["processes"] = Json::array();
  for (const ProcessImage& process : state.processes) json["processes"].push_back(process_json(model, process));
  const bool held = state.atomic_holder < state.processes.size();
  json["atomic"] = held ? Json(process_label(state.processes[state.atomic_holder])) : Json(nullptr);
  return json;
}

Json actor_json(const StepText::Actor& actor) {
  Json json;
  json["process"] = process_label(actor);
  json["name"] = actor.process;
  json["pid"] = actor.pid == kNoProcess ? Json(nullptr) : Json(actor.pid);
  json["file"] = actor.file.empty() ? Json(nullptr) : Json(actor.file);
  json["line"] = actor.file.empty() ? Json(nullptr) : Json(actor.line);
  json["text"] = actor.text;
  return json;
}

const char* message_kind(TraceMessage::Kind kind) {
  switch (kind) {
    case TraceMessage::Kind::kSent: return "sent";
    case TraceMessage::Kind::kReceived: return "received";
    case TraceMessage::Kind::kRead: return "read";
    case TraceMessage::Kind::kHandedOver: return "handed over";
  }
  return "";
}

Json message_json(const TraceMessage& message) {
  Json json;
  json["kind"] = message_kind(message.kind);
  json["channel"] = message.channel;
  json["fields"] = message_value(message.fields);
  if (message.kind == TraceMessage::Kind::kReceived && message.sent_at > 0) json["sent_at"] = message.sent_at;
  return json;
}

Json change_json(const Model& model, const TraceStep& step, const TraceChange& change) {
  using Kind = TraceChange::Kind;
  Json json;
  switch (change.kind) {
    case Kind::kVariable:
    case Kind::kPriority:
      json["variable"] = change.name;
      json["old"] = value_of_text(change.old_value);
      json["new"] = value_of_text(change.new_value);
      break;
    case Kind::kChannel:
      json["channel"] = change.name;
      json["old"] = messages_json(change.old_messages);
      json["new"] = messages_json(change.new_messages);
      break;
    case Kind::kStart:
    case Kind::kEnd: {
      json["process"] = change.name;
      const auto started = std::ranges::find(step.started, change.pid, &ProcessImage::pid);
      const bool starts = change.kind == Kind::kStart && started != step.started.end();
      json["event"] = starts ? "starts" : "ends";
      if (starts) json["begins"] = process_json(model, *started);
      break;
    }
  }
  return json;
}

Json step_json(const Model& model, const TraceStep& step) {
  Json json;
  json["step"] = step.of_claim() ? Json(nullptr) : Json(step.number);
  json.update(actor_json(step.text.actor));
  json["kind"] = step.of_claim() ? "claim" : step.kind;
  if (step.text.partner) json["partner"] = actor_json(*step.text.partner);
  if (step.text.timeout) json["timeout"] = true;
  if (step.message) json["message"] = message_json(*step.message);
  json["changes"] = Json::array();
  for (const TraceChange& change : step.changes) json["changes"].push_back(change_json(model, step, change));
  for (const ChannelImage& channel : step.opened) json["opens"][channel.name] = channel_json(channel);
  if (!step.moves.empty()) {
    json["moves"] = Json::array();
    for (const TraceMove& move : step.moves) {
      Json entry = {{"pid", move.pid}};
      set_place(entry, model, move.place);
      entry["state"] = move.location;
      json["moves"].push_back(std::move(entry));
    }
  }
  if (step.atomic_holder != kNoProcess) json["atomic"] = step.atomic_holder;
  if (step.printed) json["printed"] = *step.printed;
  if (!step.notes.empty()) json["notes"] = step.notes;
  for (const RuntimeError& error : step.errors) json["errors"].push_back(error.message);
  if (!step.remarks.empty()) json["atoms"] = step.remarks;
  if (step.cut) json["cut"] = true;
  return json;
}

Json cause_json(const Trace& trace) {
  const Report::ErrorEntry& error = trace.error;
  Json json;
  json["kind"] = error.kind;
  json["message"] = error.message;
  json["file"] = error.file.empty() ? Json(nullptr) : Json(error.file);
  json["line"] = error.file.empty() ? Json(nullptr) : Json(error.line);
  json["depth"] = error.depth;
  json.update(explanation_json(trace.explanation));
  return json;
}

// The fields before the steps and those behind them; the steps are not made into one tree, as they can be many.
void append_trace(const Model& model, const Trace& trace, std::string& text) {
  Json head;
  head["property"] = trace.property;
  head["fairness"] = name_in(kFairnessNames, trace.fairness);
  head["cause"] = trace.error.kind.empty() ? Json(nullptr) : cause_json(trace);
  head["outcome"] = trace.outcome.empty() ? Json(nullptr) : Json(trace.outcome);
  head["left_out"] = trace.left_out;
  head["loop_start"] = trace.loop_start == 0 ? Json(nullptr) : Json(trace.loop_start);
  head["atoms"] = trace.atoms;
  head["initial"] = state_json(model, trace.initial);
  std::string opening = line_of_json(head);
  opening.pop_back();  // the closing brace
  text += "    " + opening + ",\n     \"steps\": [";
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    text += i == 0 ? "\n      " : ",\n      ";
    text += line_of_json(step_json(model, trace.steps[i]));
  }
  text += "],\n     \"final\": " + line_of_json(state_json(model, trace.final_state)) + "}";
}

}  // namespace

Json value_of_text(const std::string& text) {
  const std::optional<int64_t> number = parse_number<int64_t>(text);
  return number ? Json(*number) : Json(text);
}

Json message_value(const std::vector<std::string>& fields) {
  Json json = Json::array();
  for (const std::string& field : fields) json.push_back(value_of_text(field));
  return json;
}

std::string line_of_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string trace_json(const Model& model, std::span<const Trace* const> traces, const TraceSource& source) {
  Json head;
  head["schema"] = "cmc.trace/1";
  head["version"] = kVersion;
  head["model"] = {{"file", source.model_file}, {"hash", source.model_sha1}};
  std::string text = line_of_json(head);
  text.pop_back();
  text += ",\n  \"traces\": [\n";
  for (size_t i = 0; i < traces.size(); ++i) {
    if (i > 0) text += ",\n";
    append_trace(model, *traces[i], text);
  }
  return text + "\n  ]}\n";
}

}  // namespace cmc
