#include "checker/dap/views.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/trace/explain.h"
#include "checker/trace/step_text.h"
#include "ir/state_printer.h"

namespace cmc::dap {
namespace {

// The variables that are shown together. Their number is a part of variablesReference.
enum class Scope : uint32_t { kGlobals = 1, kChannels, kLastStep, kChoices, kWaiting, kLocals };  // kLocals + pid
constexpr uint32_t kScopeShift = 20;  // below: 1 + index of the first element of an array or structure, or 0

struct Row {
  std::string name;
  std::string value;
};

int64_t reference_of(Scope scope, uint32_t more = 0) {
  return static_cast<int64_t>(static_cast<uint32_t>(scope) + more) << kScopeShift;
}

StateImage image_of(Target& target) { return decode_state(target.model(), target.run().state()); }

std::vector<Row> rows_of(const std::vector<NamedValue>& values) {
  std::vector<Row> rows;
  for (const NamedValue& each : values) rows.push_back({each.name, each.value});
  return rows;
}

std::string text_of_choice(const std::vector<TraceStep>& steps) {
  const StepText& text = steps.back().text;
  std::string line = text.actor.text;
  if (text.partner) line += fmt::format("  =>  {} {}", process_label(*text.partner), text.partner->text);
  return line;
}

std::vector<Row> rows_of(Target& target, uint32_t scope) {
  session::Session& run = target.run();
  std::vector<Row> rows;
  if (run.state().empty()) return rows;
  if (scope >= static_cast<uint32_t>(Scope::kLocals)) {
    const StateImage image = image_of(target);
    const uint32_t pid = scope - static_cast<uint32_t>(Scope::kLocals);
    return pid < image.processes.size() ? rows_of(image.processes[pid].locals) : rows;
  }
  switch (static_cast<Scope>(scope)) {
    case Scope::kGlobals: return rows_of(image_of(target).globals);
    case Scope::kChannels:
      for (const ChannelImage& channel : image_of(target).channels) {
        rows.push_back({channel.name, fmt::format("{} of {}: {}", channel.messages.size(), channel.capacity,
                                                  contents_text(channel.messages))});
      }
      break;
    case Scope::kLastStep:
      if (run.position() == 0) break;
      for (const TraceStep& step : run.last_steps()) {
        rows.push_back(
            {fmt::format("step {}, {}", step.number, process_label(step.text.actor)), step.text.actor.text});
        for (const TraceChange& change : step.changes) {
          if (change.kind == TraceChange::Kind::kVariable)
            rows.push_back({change.name, fmt::format("{} -> {}", change.old_value, change.new_value)});
        }
        for (const RuntimeError& error : step.errors) rows.push_back({"error", error.message});
      }
      break;
    case Scope::kChoices:
      for (size_t i = 0; i < run.choices().size(); ++i) {
        const std::vector<TraceStep> steps = run.look_at(i);
        std::vector<std::string> parts = change_texts(steps.back());
        parts.insert(parts.begin(), text_of_choice(steps));
        rows.push_back({fmt::format("{}: {}", i + 1, process_label(steps.back().text.actor)),
                        fmt::format("{}", fmt::join(parts, ", "))});
      }
      break;
    case Scope::kWaiting:
      for (const ExplainedProcess& each : run.waiting())
        rows.push_back({each.process, fmt::format("waits for {}", fmt::join(each.waits, "; or for "))});
      break;
    default: break;
  }
  return rows;
}

bool has_parts(uint32_t scope) {
  return scope == static_cast<uint32_t>(Scope::kGlobals) || scope >= static_cast<uint32_t>(Scope::kLocals);
}

// "a" of "a[2].n"
std::string_view base_of(const Row& row) {
  return std::string_view(row.name).substr(0, row.name.find_first_of("[."));
}

// How many rows, from this one on, are parts of the same variable; 1: it has none.
size_t parts_from(const std::vector<Row>& rows, size_t first) {
  const std::string_view base = base_of(rows[first]);
  if (base == rows[first].name) return 1;
  size_t end = first;
  while (end < rows.size() && base_of(rows[end]) == base) ++end;
  return end - first;
}

std::string values_of(const std::vector<Row>& rows, size_t first, size_t count) {
  constexpr size_t kShown = 12;
  std::vector<std::string> values;
  for (size_t i = first; i < first + std::min(count, kShown); ++i) values.push_back(rows[i].value);
  if (count > kShown) values.emplace_back("...");
  return fmt::format("[{}]", fmt::join(values, ", "));
}

Json variable_of(const Row& row, bool is_expression) {
  Json variable = {{"name", row.name}, {"value", row.value}, {"variablesReference", 0}};
  if (is_expression) variable["evaluateName"] = row.name;
  return variable;
}

// The expression that watches what is shown under this name; none: it cannot be watched.
std::optional<std::string> watchable(uint32_t scope, const std::string& name) {
  if (name.empty() || name.find('@') != std::string::npos) return std::nullopt;
  if (has_parts(scope)) return name;
  if (scope == static_cast<uint32_t>(Scope::kChannels) && name.find('.') == std::string::npos)
    return fmt::format("len({})", name);
  return std::nullopt;
}

}  // namespace

uint8_t process_of(Target& target, const Json& thread) {
  const auto number = thread.get<int64_t>();
  const ByteView state = target.run().state();
  const int64_t count = state.empty() ? 0 : load<uint8_t>(state.data() + target.model().process_count_offset());
  if (number < 1 || number > count) throw Failure{"there is no such process any more"};
  return static_cast<uint8_t>(number - 1);
}

int64_t thread_in_focus(Target& target) {
  session::Session& run = target.run();
  const int64_t count =
      run.state().empty() ? 0 : load<uint8_t>(run.state().data() + target.model().process_count_offset());
  if (count == 0) return kNoThread;
  if (run.next() != nullptr) return run.next()->step.pid + 1;
  if (run.position() > 0 && run.last_choice().back().pid < count) return run.last_choice().back().pid + 1;
  return 1;
}

Json threads(Target& target) {
  Json list = Json::array();
  if (!target.run().state().empty()) {
    for (const ProcessImage& process : image_of(target).processes)
      list.push_back({{"id", process.pid + 1}, {"name", process_label(process)}});
  }
  if (list.empty()) list.push_back({{"id", kNoThread}, {"name", "no process"}});
  return {{"threads", std::move(list)}};
}

Json stack_trace(Target& target, const Json& arguments, const Counting& counting) {
  if (arguments.at("threadId") == kNoThread) return {{"stackFrames", Json::array()}, {"totalFrames", 0}};
  session::Session& run = target.run();
  const Model& model = target.model();
  const uint8_t pid = process_of(target, arguments.at("threadId"));
  SourcePlace place = place_of_process(model, run.state(), pid);
  const auto look = [&](uint8_t who, LocationId location, uint16_t number) {
    const Edge* const edge = who == pid ? find_edge(model, run.state(), pid, location, number) : nullptr;
    if (edge != nullptr && model.statements[edge->statement].place.line > 0)
      place = model.statements[edge->statement].place;
  };
  if (const Choice* const next = run.next()) {
    look(next->step.pid, next->step.location, next->step.edge);
    look(next->step.partner, next->step.partner_location, next->step.partner_edge);
  }
  Json frame = {{"id", pid + 1}, {"name", process_label(model, run.state(), pid)}, {"line", 0}, {"column", 0}};
  if (place.line > 0 && place.file < model.files.size()) {
    const std::string path = target.path_of(place.file);
    frame["line"] = place.line - 1 + counting.first_line;
    frame["column"] = place.column - (place.column > 0 ? 1 : 0) + counting.first_column;
    frame["source"] = {{"name", std::filesystem::path(path).filename().string()}, {"path", path}};
  }
  return {{"stackFrames", {std::move(frame)}}, {"totalFrames", 1}};
}

Json scopes(Target& target, const Json& arguments) {
  const uint8_t pid = process_of(target, arguments.at("frameId"));
  Json list = Json::array();
  const auto add = [&](const char* name, Scope scope, uint32_t more) {
    list.push_back({{"name", name}, {"variablesReference", reference_of(scope, more)}, {"expensive", false}});
  };
  add("Local", Scope::kLocals, pid);
  list.back()["presentationHint"] = "locals";
  add("Global", Scope::kGlobals, 0);
  add("Channels", Scope::kChannels, 0);
  add("Last step", Scope::kLastStep, 0);
  add("Steps that can be taken", Scope::kChoices, 0);
  add("Processes that wait", Scope::kWaiting, 0);
  return {{"scopes", std::move(list)}};
}

Json variables(Target& target, const Json& arguments) {
  const auto reference = arguments.at("variablesReference").get<uint32_t>();
  const uint32_t scope = reference >> kScopeShift;
  const uint32_t part = reference & ((1U << kScopeShift) - 1);
  const std::vector<Row> rows = rows_of(target, scope);
  Json list = Json::array();
  if (part > 0) {
    const size_t first = part - 1;
    const size_t count = first < rows.size() ? parts_from(rows, first) : 0;
    for (size_t i = first; i < first + count; ++i) list.push_back(variable_of(rows[i], true));
  } else {
    for (size_t i = 0; i < rows.size();) {
      const size_t count = has_parts(scope) ? parts_from(rows, i) : 1;
      if (count == 1) {
        list.push_back(variable_of(rows[i], has_parts(scope)));
      } else {
        list.push_back({{"name", base_of(rows[i])},
                        {"value", values_of(rows, i, count)},
                        {"variablesReference", (int64_t{scope} << kScopeShift) + static_cast<int64_t>(i) + 1},
                        {"namedVariables", count}});
      }
      i += count;
    }
  }
  const auto start = arguments.value("start", size_t{0});
  const auto wanted = arguments.value("count", size_t{0});
  if (start > 0 || wanted > 0) {
    const size_t begin = std::min(start, list.size());
    const size_t end = wanted == 0 ? list.size() : begin + std::min(wanted, list.size() - begin);
    list = Json(
        std::vector<Json>(list.begin() + static_cast<ptrdiff_t>(begin), list.begin() + static_cast<ptrdiff_t>(end)));
  }
  return {{"variables", std::move(list)}};
}

Json step_in_targets(Target& target, const Json& arguments) {
  const uint8_t pid = process_of(target, arguments.at("frameId"));
  session::Session& run = target.run();
  Json own = Json::array();
  Json others = Json::array();
  for (size_t i = 0; i < run.choices().size(); ++i) {
    const std::vector<TraceStep> steps = run.look_at(i);
    const StepText::Actor& actor = steps.back().text.actor;
    Json& list = actor.pid == pid ? own : others;
    list.push_back({{"id", i + 1}, {"label", fmt::format("{}: {}", process_label(actor), text_of_choice(steps))}});
  }
  own.insert(own.end(), others.begin(), others.end());
  return {{"targets", std::move(own)}};
}

Json data_breakpoint_info(Target& target, const Json& arguments) {
  const auto name = arguments.at("name").get<std::string>();
  WatchedData data;
  std::optional<std::string> expression = name;  // of a watch, or a global
  if (arguments.contains("variablesReference")) {
    const uint32_t scope = arguments["variablesReference"].get<uint32_t>() >> kScopeShift;
    expression = watchable(scope, name);
    if (scope >= static_cast<uint32_t>(Scope::kLocals))
      data.pid = process_of(target, int64_t{scope} - static_cast<int64_t>(Scope::kLocals) + 1);
  } else if (arguments.contains("frameId")) {
    data.pid = process_of(target, arguments["frameId"]);
  }
  std::string why = "this is no variable";
  if (expression) {
    const Result<session::Expression> read = target.run().read(*expression, data.pid);
    if (read.ok()) {
      const int owner = data.pid == kNoProcess ? -1 : data.pid;
      return {{"dataId", Json{{"process", owner}, {"expression", *expression}}.dump()},
              {"description", *expression},
              {"accessTypes", {"write"}},
              {"canPersist", false}};
    }
    why = read.error();
  }
  return {{"dataId", nullptr}, {"description", why}};
}

WatchedData watched_data(const std::string& data_id) {
  const Json data = Json::parse(data_id, nullptr, false);
  if (!data.is_object()) throw Failure{"this is no dataId of this adapter"};
  const auto process = data.at("process").get<int>();
  if (process < -1 || process >= kNoProcess) throw Failure{"this is no dataId of this adapter"};
  return {process < 0 ? kNoProcess : static_cast<uint8_t>(process), data.at("expression").get<std::string>()};
}

}  // namespace cmc::dap
