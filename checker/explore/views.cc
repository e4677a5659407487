#include "checker/explore/views.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/trace/explain.h"
#include "checker/trace/step_text.h"

namespace cmc::explore {
namespace {

constexpr size_t kMostShownChoices = 200;  // that are shown
constexpr size_t kMostWaits = 20;

int file_number(const Model& model, const std::string& file) {
  const auto found = std::ranges::find(model.files, file);
  return file.empty() || found == model.files.end() ? -1 : static_cast<int>(found - model.files.begin());
}

Json actor_view(const Model& model, const StepText::Actor& actor) {
  return {{"pid", actor.pid},
          {"process", process_label(actor)},
          {"file", file_number(model, actor.file)},
          {"line", actor.line},
          {"text", actor.text}};
}

Json step_view(const Model& model, const TraceStep& step) {
  Json view = actor_view(model, step.text.actor);
  view["number"] = step.number;
  view["changes"] = change_texts(step);
  if (step.text.partner) view["with"] = actor_view(model, *step.text.partner);
  if (step.message) {
    view["message"] = {{"kind", static_cast<int>(step.message->kind)},
                       {"channel", step.message->channel},
                       {"fields", fmt::format("{}", fmt::join(step.message->fields, ","))},
                       {"from", step.message->sent_at}};
  }
  if (step.text.timeout) view["timeout"] = true;
  if (step.printed) view["printed"] = *step.printed;
  if (!step.notes.empty()) view["notes"] = step.notes;
  for (const RuntimeError& error : step.errors) view["errors"].push_back(error.message);
  return view;
}

Json steps_view(const Model& model, const std::vector<TraceStep>& steps) {
  Json view = step_view(model, steps.back());
  for (size_t i = 0; i + 1 < steps.size(); ++i) view["inside"].push_back(steps[i].text.actor.text);
  return view;
}

Json choices_view(session::Session& run) {
  Json list = Json::array();
  for (size_t i = 0; i < std::min(run.choices().size(), kMostShownChoices); ++i) {
    Json view = steps_view(run.model(), run.look_at(i));
    view["choice"] = i + 1;
    list.push_back(std::move(view));
  }
  return list;
}

Json waiting_view(session::Session& run) {
  Json list = Json::array();
  for (const ExplainedProcess& each : run.waiting()) {
    const size_t shown = std::min(each.waits.size(), kMostWaits);
    list.push_back({{"pid", each.pid},
                    {"process", each.process},
                    {"file", file_number(run.model(), each.file)},
                    {"line", each.line},
                    {"waits", std::vector<std::string>(each.waits.begin(),
                                                       each.waits.begin() + static_cast<ptrdiff_t>(shown))}});
  }
  return list;
}

const char* name_of(session::Session::End end) {
  using End = session::Session::End;
  switch (end) {
    case End::kNone: return "";
    case End::kEnded: return "ended";
    case End::kInvalidEnd: return "invalid";
    case End::kError: break;
  }
  return "error";
}

using Values = std::vector<std::pair<std::string, std::string>>;

// Values with those of another state that differ. Names of one section differ from each other.
Json values_view(const Values& values, const Values* other) {
  const std::map<std::string, std::string> known =
      other == nullptr ? std::map<std::string, std::string>() : std::map(other->begin(), other->end());
  Json list = Json::array();
  for (const auto& [name, value] : values) {
    Json row = {name, value};
    const auto old = known.find(name);
    if (old == known.end()) row.push_back(nullptr);
    if (old != known.end() && old->second != value) row.push_back(old->second);
    list.push_back(std::move(row));
  }
  return list;
}

Values values_of(const std::vector<NamedValue>& named) {
  Values values;
  for (const NamedValue& each : named) values.emplace_back(each.name, each.value);
  return values;
}

Values values_of(const ProcessImage& process) {
  Values values;
  for (const NamedValue& each : process.locals) {
    if (!names_own_channel(process, each)) values.emplace_back(each.name, each.value);
  }
  return values;
}

Values values_of(const std::vector<ChannelImage>& channels) {
  Values values;
  for (const ChannelImage& each : channels) {
    if (each.capacity > 0)
      values.emplace_back(fmt::format("{} ({} of {})", each.name, each.messages.size(), each.capacity),
                          contents_text(each.messages));
  }
  return values;
}

// Channels by name: what is written of them has their length in it.
Json channels_view(const StateImage& state, const StateImage& other) {
  Json list = values_view(values_of(state.channels), nullptr);
  size_t row = 0;
  for (const ChannelImage& channel : state.channels) {
    if (channel.capacity == 0) continue;
    Json& view = list[row++];
    view.erase(2);
    const auto old = std::ranges::find(other.channels, channel.name, &ChannelImage::name);
    if (old == other.channels.end()) view.push_back(nullptr);
    if (old != other.channels.end() && old->messages != channel.messages)
      view.push_back(contents_text(old->messages));
  }
  return list;
}

}  // namespace

Json position_view(session::Session& run) {
  const Model& model = run.model();
  Json view = {{"position", run.position()},   {"length", run.length()},
               {"steps", run.steps()},         {"end", name_of(run.end())},
               {"end_text", run.end_text()},   {"why", run.explain().lines},
               {"choices", choices_view(run)}, {"choice_count", run.choices().size()},
               {"waiting", waiting_view(run)}, {"processes", Json::array()}};
  if (run.loop_start()) view["loop"] = *run.loop_start();
  if (const Choice* const next = run.next()) view["next"] = next - run.choices().data() + 1;
  if (run.position() > 0) view["last"] = steps_view(model, run.last_steps());
  if (run.state().empty()) return view;
  for (const ProcessImage& each : decode_state(model, run.state()).processes) {
    const SourcePlace place = place_of_process(model, run.state(), static_cast<uint8_t>(each.pid));
    view["processes"].push_back({{"pid", each.pid},
                                 {"process", process_label(each)},
                                 {"file", place.line == 0 ? -1 : static_cast<int>(place.file)},
                                 {"line", place.line}});
  }
  return view;
}

Json state_view(const StateImage& state, const StateImage& other) {
  Json sections = Json::array();
  const auto add = [&](const std::string& title, int pid, Json values) {
    if (!values.empty() || pid >= 0)
      sections.push_back({{"title", title}, {"pid", pid}, {"values", std::move(values)}});
  };
  const Values globals = values_of(other.globals);
  add("globals", -1, values_view(values_of(state.globals), &globals));
  add("channels", -1, channels_view(state, other));
  for (const ProcessImage& process : state.processes) {
    const auto old = std::ranges::find_if(other.processes, [&](const ProcessImage& each) {
      return each.pid == process.pid && each.proctype == process.proctype;
    });
    const bool is_new = old == other.processes.end();
    const Values before = is_new ? Values() : values_of(*old);
    add(process_label(process), static_cast<int>(process.pid), values_view(values_of(process), &before));
    sections.back()["place"] = {process.place.line == 0 ? -1 : static_cast<int>(process.place.file),
                                process.place.line};
    if (is_new) sections.back()["is_new"] = true;
    if (!is_new && old->location != process.location) sections.back()["moved"] = true;
  }
  for (const ProcessImage& process : other.processes) {
    if (process.pid >= state.processes.size())
      add(process_label(process) + " has ended", -1, Json::array({Json::array({"", ""})}));
  }
  return sections;
}

Json rows_view(session::Session& run, uint64_t first, uint64_t count) {
  Json rows = Json::array();
  const uint64_t position = run.position();
  first = std::max<uint64_t>(first, 1);
  if (first <= run.length()) {
    const uint64_t end = std::min(run.length(), first + count - 1);
    run.go_to(first - 1);
    while (run.position() < end) {
      run.forward();
      Json row = steps_view(run.model(), run.last_steps());
      row["row"] = run.position();
      rows.push_back(std::move(row));
    }
    run.go_to(position);
  }
  return rows;
}

}  // namespace cmc::explore
