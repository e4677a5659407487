#include "checker/mcp/walks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files/run_directory.h"
#include "base/lines.h"
#include "checker/mcp/answers.h"
#include "checker/session/walk.h"
#include "checker/trace/step_text.h"
#include "checker/trace/trace_printer.h"

namespace cmc::mcp {
namespace {

using rpc::Failure;
using rpc::Json;

constexpr size_t kMostSaid = 60;  // of what was said, the last ones
constexpr size_t kMostCommands = 20;

// The lines of a text, behind those that there are.
void add_lines(std::string_view text, std::deque<std::string>& lines, uint64_t& count) {
  for (const std::string_view line : lines_of(text)) {
    lines.push_back(bounded_line(line));
    ++count;
    if (lines.size() > kMostSaid) lines.pop_front();
  }
}

Json place_of(const std::string& file, uint32_t line) {
  return file.empty() ? Json() : Json(fmt::format("{}:{}", file, line));
}

Json choice_of(const session::Session& run, size_t index) {
  const TraceStep step = run.look_at(index).back();
  const StepText& text = step.text;
  Json choice = {
      {"number", index + 1},
      {"process", process_label(text.actor)},
      {"place", place_of(text.actor.file, text.actor.line)},
      {"text", bounded_line(text.actor.text)},
      {"changes", first_of(change_texts(step), [](const std::string& each) { return bounded_line(each); })}};
  if (text.partner) choice["with"] = process_label(*text.partner);
  return choice;
}

LoadedModel load(const AskedModel& asked) {
  ModelRequest request;
  for (const std::string& define : asked.preprocessor) {
    const Status added = add_macro(request.preprocessor, define.substr(2), false);
    if (!added.ok()) throw Failure{rpc::kInvalidParameters, added.error()};
  }
  Result<LoadedModel> loaded = session::read_model(asked.path, std::move(request));
  if (!loaded.ok()) throw Failure{rpc::kInvalidParameters, loaded.error()};
  return std::move(loaded).value();
}

}  // namespace

struct Walks::Kept {
  uint64_t number = 0;
  std::string folder;  // of a text
  std::unique_ptr<session::Walk> walk;
  Palette palette{false};
  std::optional<TracePrinter> printer;
  std::deque<std::string> said;  // since the last answer
  uint64_t said_count = 0;

  void say(std::string_view text) { add_lines(text, said, said_count); }
  void show_choice() {
    for (const TraceStep& step : walk->run().last_steps()) printer->step(step);
    printer->flush();
  }
};

Walks::Walks(const Workspace& workspace, const std::atomic<bool>& interrupted)
    : workspace_(workspace), interrupted_(interrupted) {}
Walks::~Walks() = default;

Json Walks::list() {
  const Json session =
      property("integer", "a run that an earlier answer named; without it 'model' or 'text' begins one");
  const auto tool = [&](const char* name, const char* description, Json more, Json required) {
    more["session"] = session;
    more["seed"] = property("integer", "of a new run's random choices (1)");
    more.update(model_properties());
    return Json{{"name", name},
                {"description", description},
                {"inputSchema",
                 {{"type", "object"},
                  {"properties", std::move(more)},
                  {"required", std::move(required)},
                  {"additionalProperties", false}}},
                {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
  };
  const Json commands = {
      {"type", "array"},
      {"items", {{"type", "string"}}},
      {"description",
       "in this order: a number takes that choice; 'back 3', 'goto 17', 'run 20', 'break FILE:LINE', "
       "'watch x', 'print x + 1', 'state', 'why', 'help' says more"}};
  return {
      tool("step",
           "Walk through a run of a model, forwards and backwards: which steps can be taken and what they change, "
           "what the other processes wait for. Answers with a session that later calls go on with.",
           {{"commands", commands}}, Json::array()),
      tool("find",
           "Go to the nearest state, from where the run is, in which an expression holds: breadth first, up to ten "
           "seconds. Says also when it holds in no state that can be reached.",
           {{"expression", property("string", "of the model's language, e.g. len(q) == 2")},
            {"process", property("integer", "whose own variables may be named, too")}},
           Json::array({"expression"}))};
}

bool Walks::has(const std::string& tool) { return tool == "step" || tool == "find"; }

Walks::Kept& Walks::kept_for(const Json& arguments) {
  if (arguments.contains("session")) {
    const auto number = arguments["session"].get<uint64_t>();
    const auto found = std::ranges::find_if(kept_, [&](const auto& each) { return each->number == number; });
    if (found == kept_.end())
      throw Failure{rpc::kInvalidParameters,
                    fmt::format("there is no session {}; the last {} are kept", number, kMostKept)};
    return **found;
  }
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  if (!folder.ok()) throw Failure{rpc::kInvalidRequest, folder.error()};
  auto kept = std::make_unique<Kept>();
  kept->folder = folder.value().path();
  LoadedModel loaded = [&] {
    try {
      return load(workspace_.model(arguments, kept->folder));
    } catch (const Failure& failure) {
      throw Failure{failure.code, workspace_.shown(failure.message, kept->folder)};
    }
  }();
  Kept& self = *kept;
  Result<std::unique_ptr<session::Walk>> walk = session::Walk::make(
      std::move(loaded), arguments.value("seed", uint64_t{1}), [&self] { self.show_choice(); }, interrupted_);
  if (!walk.ok()) throw Failure{rpc::kInvalidRequest, walk.error()};
  self.walk = std::move(walk).value();
  TraceOptions options;
  options.show_printed = true;
  options.fold = false;
  self.printer.emplace(self.walk->model(), options, self.palette, [&self](std::string_view text) { self.say(text); });
  self.number = ++last_;
  kept_.push_back(std::move(kept));
  if (kept_.size() > kMostKept) kept_.pop_front();
  return self;
}

Json Walks::call(const std::string& tool, const Json& arguments) {
  const bool finds = tool == "find";
  std::vector<std::string> commands = arguments.value("commands", std::vector<std::string>());
  if (commands.size() > kMostCommands)
    throw Failure{rpc::kInvalidParameters, fmt::format("at most {} commands at a time", kMostCommands)};
  if (finds) commands = {"find " + arguments.at("expression").get<std::string>()};
  const auto pid = arguments.value("process", int64_t{kNoProcess});
  if (pid < 0 || pid > kNoProcess) throw Failure{rpc::kInvalidParameters, "there is no such process"};
  Kept& kept = kept_for(arguments);
  for (const std::string& command : commands) {
    const session::Console::Answer answer = kept.walk->console().execute(command, static_cast<uint8_t>(pid));
    kept.say(answer.is_known ? answer.text : fmt::format("  '{}' is no command, or no choice, here\n", command));
  }
  return answer_of(answer(kept), false);
}

Json Walks::answer(Kept& kept) const {
  session::Session& run = kept.walk->run();
  std::vector<size_t> numbers(run.choices().size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const std::vector<ExplainedProcess> waiting = run.waiting();
  const std::string end = run.end_text();
  Json found = {{"session", kept.number},
                {"position", run.position()},
                {"length", run.length()},
                {"end", end.empty() ? Json() : Json(end)},
                {"why", first_of(run.explain().lines, [](const std::string& line) { return bounded_line(line); })},
                {"said", std::exchange(kept.said, {})},
                {"said_count", std::exchange(kept.said_count, 0)},
                {"choices", first_of(numbers, [&](size_t index) { return choice_of(run, index); })},
                {"choice_count", numbers.size()},
                {"waiting", first_of(waiting,
                                     [](const ExplainedProcess& each) {
                                       return Json{{"process", each.process},
                                                   {"place", place_of(each.file, each.line)},
                                                   {"waits", first_of(each.waits, bounded_line)}};
                                     })},
                {"waiting_count", waiting.size()}};
  const std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(workspace_.shown(text, kept.folder));
}

}  // namespace cmc::mcp
