#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "checker/report/style/style.h"
#include "checker/report/style/version.h"
#include "checker/trace/views/page.h"
#include "checker/trace/views/values.h"

// The data of the page. Names are short and texts stand once, because the whole is one file; page.js reads it.
//
//   sources  [{name, text}]
//   texts    of statements
//   traces   [{title, bad, property, outcome, left, loop, why, initial, steps}]
//   state    {g: globals [[name, value]], c: channels [[name, capacity, messages]],
//             p: processes by pid [[label, file, line, locals [[name, value]]]]}
//   step     n number (0: the claim), p pid (255: the claim, x its name), t text, f file, l line, k kind
//            q partner [pid, file, line, text], m message [kind, channel, fields, number of the step that sent it]
//            v new values [[pid (-1: a global), index, value]], c channels [[index, position, removed, added]]
//            s processes that start, from pid b on; o their channels; e how many end; w places [[pid, file, line]]
//            pr printed, no notes, er errors, at atoms, to timeout, lo local, lp the loop begins

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  Writer(const Model& model, std::span<const SourceText> sources) : model_(model), sources_(sources) {}

  Json write(std::span<const Trace* const> traces, const TraceSource& source) {
    Json json;
    json["version"] = kVersion;
    json["file"] = source.model_file;
    Json list = Json::array();
    for (const Trace* const trace : traces) list.push_back(trace_of(*trace));
    json["sources"] = Json::array();
    for (const SourceText& each : sources_) json["sources"].push_back({{"name", each.name}, {"text", each.text}});
    json["texts"] = texts_;
    json["traces"] = std::move(list);
    return json;
  }

 private:
  uint32_t text(const std::string& content) {
    const auto [found, is_new] = numbers_.try_emplace(content, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(content);
    return found->second;
  }

  [[nodiscard]] int file_of(const StepText::Actor& actor) const {
    const auto found = std::ranges::find(model_.files, actor.file);
    return actor.file.empty() || found == model_.files.end() ? -1 : static_cast<int>(found - model_.files.begin());
  }

  static Json values(const std::vector<NamedValue>& named) {
    Json json = Json::array();
    for (const NamedValue& each : named) json.push_back({each.name, each.value});
    return json;
  }

  static Json process(const ProcessImage& image) {
    return {process_label(image), image.place.file, image.place.line, values(image.locals)};
  }

  static Json channel(const ChannelImage& image) { return {image.name, image.capacity, image.messages}; }

  static Json state(const StateImage& image) {
    Json json = {{"g", values(image.globals)}, {"c", Json::array()}, {"p", Json::array()}};
    for (const ChannelImage& each : image.channels) json["c"].push_back(channel(each));
    for (const ProcessImage& each : image.processes) json["p"].push_back(process(each));
    return json;
  }

  // Only what differs in the middle.
  static Json splice(const TraceChange& change) {
    const std::vector<std::string>& old = change.old_messages;
    const std::vector<std::string>& now = change.new_messages;
    const size_t most = std::min(old.size(), now.size());
    size_t front = 0;
    while (front < most && old[front] == now[front]) ++front;
    size_t back = 0;
    while (back < most - front && old[old.size() - 1 - back] == now[now.size() - 1 - back]) ++back;
    const std::vector<std::string> added(now.begin() + static_cast<ptrdiff_t>(front),
                                         now.end() - static_cast<ptrdiff_t>(back));
    return {change.index, front, old.size() - front - back, added};
  }

  void add_changes(const TraceStep& step, Json& json) {
    using Kind = TraceChange::Kind;
    int ended = 0;
    for (const TraceChange& change : step.changes) {
      if (change.kind == Kind::kVariable) {
        const int owner = change.pid == kNoProcess ? -1 : static_cast<int>(change.pid);
        json["v"].push_back({owner, change.index, change.new_value});
      }
      if (change.kind == Kind::kChannel) json["c"].push_back(splice(change));
      if (change.kind == Kind::kEnd) ++ended;
    }
    if (ended > 0) json["e"] = ended;
    if (!step.started.empty()) json["b"] = step.started.front().pid;
    for (const ProcessImage& each : step.started) json["s"].push_back(process(each));
    for (const ChannelImage& each : step.opened) json["o"].push_back(channel(each));
    for (const TraceMove& move : step.moves) json["w"].push_back({move.pid, move.place.file, move.place.line});
  }

  Json step_of(const TraceStep& step) {
    const StepText::Actor& actor = step.text.actor;
    Json json = {{"n", step.number},    {"p", actor.pid},  {"t", text(actor.text)},
                 {"f", file_of(actor)}, {"l", actor.line}, {"k", step.kind}};
    if (step.of_claim()) json["x"] = actor.process;
    if (step.text.partner) {
      const StepText::Actor& partner = *step.text.partner;
      json["q"] = {partner.pid, file_of(partner), partner.line, text(partner.text)};
    }
    if (step.message) {
      std::string fields;
      for (const std::string& field : step.message->fields) fields += (fields.empty() ? "" : ",") + field;
      json["m"] = {static_cast<int>(step.message->kind), step.message->channel, fields, step.message->sent_at};
    }
    add_changes(step, json);
    if (step.printed) json["pr"] = *step.printed;
    if (!step.notes.empty()) json["no"] = step.notes;
    for (const RuntimeError& error : step.errors) json["er"].push_back(error.message);
    if (!step.remarks.empty()) json["at"] = step.remarks;
    if (step.text.timeout) json["to"] = 1;
    if (is_local(step)) json["lo"] = 1;
    return json;
  }

  Json trace_of(const Trace& trace) {
    Json json;
    json["title"] = trace_title(trace);
    json["bad"] = !trace.error.kind.empty();
    json["property"] = trace.property;
    json["outcome"] = trace.outcome;
    json["left"] = trace.left_out;
    json["loop"] = trace.loop_start;
    json["why"] = trace.explanation.lines;
    json["initial"] = state(trace.initial);
    json["steps"] = Json::array();
    bool loop_begins = false;
    for (const TraceStep& step : trace.steps) {
      loop_begins = loop_begins || step.begins_loop;
      // A move of the claim that changes nothing is no row.
      if (step.of_claim() && step.changes.empty() && step.errors.empty()) continue;
      json["steps"].push_back(step_of(step));
      if (loop_begins) json["steps"].back()["lp"] = 1;
      loop_begins = false;
    }
    return json;
  }

  const Model& model_;
  std::span<const SourceText> sources_;
  std::vector<std::string> texts_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace

std::string page_data(const Model& model, std::span<const Trace* const> traces, const TraceSource& source,
                      std::span<const SourceText> sources) {
  const Json json = Writer(model, sources).write(traces, source);
  return replaced(line_of_json(json), '<', "\\u003c");
}

}  // namespace cmc
