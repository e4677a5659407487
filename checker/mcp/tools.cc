#include "checker/mcp/tools.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/child.h"
#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/lines.h"
#include "checker/mcp/answers.h"

namespace cmc::mcp {
namespace {

using rpc::Failure;
using rpc::Json;

// Bounds of what is asked, and of an answer.
constexpr double kSeconds = 10;
constexpr double kMostSeconds = 3600;
constexpr uint64_t kMegabytes = 1024;
constexpr uint64_t kMostMegabytes = 65536;
constexpr uint64_t kUsualLines = 80;
constexpr uint64_t kMostLines = 400;
constexpr size_t kMostSentences = 8;
constexpr double kStartSeconds = 10;  // for a process to begin and to say what it found

// --- what is asked

double seconds_in(const Json& arguments) {
  const double seconds = arguments.value("seconds", kSeconds);
  if (!(seconds > 0) || seconds > kMostSeconds)
    throw Failure{rpc::kInvalidParameters, fmt::format("'seconds' is more than 0 and at most {}", kMostSeconds)};
  return seconds;
}

uint64_t whole_in(const Json& arguments, const char* name, uint64_t usual, uint64_t least, uint64_t most) {
  const uint64_t value = arguments.value(name, usual);
  if (value < least || value > most)
    throw Failure{rpc::kInvalidParameters, fmt::format("'{}' is from {} to {}", name, least, most)};
  return value;
}

using Words = std::vector<std::string>;

void add_limits(Words& command, const Json& arguments) {
  command.push_back(fmt::format("--time={}", seconds_in(arguments)));
  command.push_back(fmt::format("--memory={}M", whole_in(arguments, "megabytes", kMegabytes, 4, kMostMegabytes)));
}

// Texts of arguments as files, behind the model; what is said of them.
void add_files(Words& command, const Json& arguments, const std::string& folder) {
  const auto write = [&](const char* name) {
    const std::string path = fmt::format("{}/{}", folder, name);
    const Status written = write_file_atomically(path, arguments.at(name).get<std::string>());
    if (!written.ok()) throw Failure{rpc::kInvalidRequest, written.error()};
    return path;
  };
  if (arguments.contains("map")) command.push_back("--map=" + write("map"));
  if (!arguments.contains("log")) throw Failure{rpc::kInvalidParameters, "'log' is missing"};
  static_cast<void>(write("log"));
}

// --- bounded answers

Json place_of(const Json& item) {
  if (!item.contains("line") || !item["line"].is_number() || item["line"] == 0) return nullptr;
  return fmt::format("{}:{}", item["file"].get<std::string>(), item["line"].get<uint64_t>());
}

Json sentences(const Json& list) {
  Json some = Json::array();
  for (const Json& each : list) {
    if (some.size() < kMostSentences) some.push_back(each);
  }
  return some;
}

Json mistakes_of(const Json& found) {
  Json errors = Json::array();
  for (const Json& each : found.at("diagnostics")) {
    if (each.at("severity") == "error") errors.push_back(each);
  }
  return {{"verdict", "none"},
          {"mistakes", first_of(errors,
                                [](const Json& each) {
                                  return Json{{"message", each.at("message")}, {"place", place_of(each)}};
                                })},
          {"mistake_count", found.at("error_count")}};
}

// What matters of a result (cmc.result/1).
Json summary_of(const Json& found) {
  if (found.at("schema") == "cmc.diagnostics/1") return mistakes_of(found);
  Json properties = first_of(found.at("properties"), [](const Json& each) {
    Json property = {{"name", each.at("name")},
                     {"kind", each.at("kind")},
                     {"verdict", each.at("verdict")},
                     {"states", each.at("states_stored")}};
    if (!each.at("counterexample").is_null()) property["counterexample_steps"] = each["counterexample"]["steps"];
    return property;
  });
  Json errors = first_of(found.at("errors"), [](const Json& each) {
    return Json{{"message", each.at("message")},
                {"property", each.at("property")},
                {"place", place_of(each)},
                {"steps", each.at("depth")},
                {"why", sentences(each.at("explanation"))}};
  });
  return {{"verdict", found.at("verdict")},
          {"complete", found.at("complete")},
          {"reasons", first_of(found.at("reasons"), [](const Json& each) { return each.at("text"); })},
          {"properties", std::move(properties)},
          {"property_count", found.at("properties").size()},
          {"errors", std::move(errors)},
          {"error_count", found.at("error_count")},
          {"states", found.at("states_stored")},
          {"transitions", found.at("transitions")},
          {"seconds", found.at("wall_seconds")}};
}

// Some lines of a text, and where to go on.
Json window_of(std::string_view text, const Json& arguments) {
  const uint64_t first = arguments.value("from_line", uint64_t{0});
  const uint64_t count = whole_in(arguments, "lines", kUsualLines, 1, kMostLines);
  std::string shown;
  uint64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    if (number >= first && number - first < count) shown += bounded_line(line) + '\n';
    ++number;
  }
  Json window = {{"text", std::move(shown)}, {"line_count", number}, {"next_line", nullptr}};
  if (first < number && number - first > count) window["next_line"] = first + count;
  return window;
}

// --- the tools

enum class Shape : uint8_t { kSummary, kLines };

// What some tools can be told.
struct Argument {
  const char* name;
  const char* type;
  const char* description;
  const char* option;                  // which it becomes; null: it is a text, for a file
  std::optional<uint64_t> usual = {};  // of a number that is always given
  uint64_t least = 0;                  // of a number
  uint64_t most = 0;
};

struct Tool {
  const char* name;
  const char* description;
  Words words;  // the command, and what is always asked of it
  Shape shape;
  bool is_limited;  // has `seconds` and `megabytes`
  std::vector<Argument> more;
};

const std::vector<Tool>& all_tools() {
  static const Argument kProperty = {
      "property", "string", "only this property: safety, or the name of an ltl formula or never claim (default: all)",
      "--property"};
  static const Argument kLtl = {"ltl", "string", "one more LTL formula, e.g. [] (x < 3)", "--ltl"};
  static const std::vector<Tool> kTools = {
      {"check",
       "Explore all states of a Promela model. Verdict of each property (holds, violated, incomplete), where it "
       "fails and why. 'why' shows the steps of a counterexample.",
       {"check", "--json", "--progress=off", "--color=never"},
       Shape::kSummary,
       true,
       {kProperty, kLtl}},
      {"why",
       "Check, and show the counterexample of the first violated property: each step with what it changes, the last "
       "state, and what every process waits for.",
       {"check", "--progress=off", "--color=never"},
       Shape::kLines,
       true,
       {kProperty, kLtl}},
      {"simulate",
       "Run a model once with random choices; proves nothing.",
       {"simulate", "--color=never"},
       Shape::kLines,
       false,
       {{"seed", "integer", "the same seed gives the same run", "--seed", 1, 0, UINT32_MAX},
        {"steps", "integer", "at most so many (200)", "--max-steps", 200, 1, 100'000}}},
      {"info",
       "What is in a model: processes, variables, channels, properties, size of a state.",
       {"info", "--color=never"},
       Shape::kLines,
       false,
       {}},
      {"lint",
       "Find guards that are never true, always true, or overlap.",
       {"lint", "--color=never"},
       Shape::kLines,
       false,
       {}},
      {"automaton",
       "The Büchi automaton that an LTL formula is translated to.",
       {"automaton", "--color=never"},
       Shape::kLines,
       false,
       {kProperty, kLtl}},
      {"mutate",
       "Would the properties notice a mistake? Changes the model in small ways and says which changes no property "
       "notices.",
       {"mutate", "--color=never"},
       Shape::kLines,
       true,
       {kProperty,
        {"mutants", "integer", "a sample of so many (50)", "--mutants", 50, 1, 10'000},
        {"show",
         "integer",
         "only this mutant: what it changes, and a run that only it has",
         "--show",
         {},
         1,
         UINT32_MAX}}},
      {"conform",
       "Whether the model has a run that explains what a program logged; if not, the first event that no run has, "
       "and what the model can do instead. docs/conformance.md has the language of maps.",
       {"conform", "--color=never"},
       Shape::kLines,
       true,
       {{"log", "string", "the log: a line of JSON for each event, {\"event\": NAME, FIELD: VALUE, ...}", nullptr},
        {"map", "string",
         "which event is which step, e.g. event send(m) at P : q ! m (default: //@ lines of the model)", nullptr}}},
  };
  return kTools;
}

Words command_of(const Tool& tool, const Json& arguments) {
  Words command = tool.words;
  if (tool.is_limited) add_limits(command, arguments);
  for (const Argument& each : tool.more) {
    if (each.option == nullptr || (!each.usual && !arguments.contains(each.name))) continue;
    const std::string value =
        each.most == 0
            ? arguments[each.name].get<std::string>()
            : std::to_string(whole_in(arguments, each.name, each.usual.value_or(1), each.least, each.most));
    command.push_back(fmt::format("{}={}", each.option, value));
  }
  return command;
}

Json schema_of(const Tool& tool) {
  Json properties = model_properties();
  if (tool.is_limited) {
    properties["seconds"] = property("number", "at most this long (10)");
    properties["megabytes"] =
        property("integer", "at most so much memory (1024); states that do not fit go to the disk");
  }
  if (tool.shape == Shape::kLines) {
    properties["from_line"] = property("integer", "the first line of the answer that is shown (0)");
    properties["lines"] = property("integer", "at most so many lines (80, at most 400)");
  }
  for (const Argument& each : tool.more) properties[each.name] = property(each.type, each.description);
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace

Json Tools::list() {
  Json all = Json::array();
  for (const Tool& tool : all_tools()) {
    all.push_back({{"name", tool.name},
                   {"description", tool.description},
                   {"inputSchema", schema_of(tool)},
                   {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  for (const Json& walking : Walks::list()) all.push_back(walking);
  return all;
}

void Tools::refuse_unknown(const std::string& name, const Json& arguments) {
  for (const Json& tool : list()) {
    if (tool["name"] != name) continue;
    for (const auto& [argument, value] : arguments.items()) {
      if (!tool["inputSchema"]["properties"].contains(argument))
        throw Failure{rpc::kInvalidParameters, fmt::format("the tool '{}' has no argument '{}'", name, argument)};
    }
    return;
  }
  throw Failure{rpc::kInvalidParameters, fmt::format("there is no tool '{}'", name)};
}

Json Tools::call(const std::string& name, const Json& arguments) {
  if (!arguments.is_object()) throw Failure{rpc::kInvalidParameters, "'arguments' is an object"};
  refuse_unknown(name, arguments);
  if (Walks::has(name)) return walks_.call(name, arguments);
  const auto tool = std::ranges::find(all_tools(), std::string_view(name),
                                      [](const Tool& each) { return std::string_view(each.name); });
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  if (!folder.ok()) throw Failure{rpc::kInvalidRequest, folder.error()};
  const std::string& path = folder.value().path();
  const AskedModel model = workspace_.model(arguments, path);
  Words command = command_of(*tool, arguments);
  command.insert(command.begin(), program_);
  command.insert(command.end(), model.preprocessor.begin(), model.preprocessor.end());
  const bool has_log = std::string_view(tool->name) == "conform";
  if (has_log) add_files(command, arguments, path);
  command.insert(command.end(), {"--", model.path});
  if (has_log) command.push_back(path + "/log");
  const double seconds = (tool->is_limited ? seconds_in(arguments) : kSeconds) + kStartSeconds;
  const Result<ChildOutput> ran = run_child(command, path, seconds, interrupted_);
  if (!ran.ok()) throw Failure{rpc::kInvalidRequest, ran.error()};
  const ChildOutput& child = ran.value();
  if (tool->shape == Shape::kSummary) {
    const Json found = Json::parse(workspace_.shown(child.output, path), nullptr, false);
    if (found.is_object() && found.contains("schema")) {
      Json summary = summary_of(found);
      const bool is_error = summary["verdict"] == "none";
      return answer_of(std::move(summary), is_error);
    }
  }
  // Lines; also of a command that says why it did not do what was asked.
  const bool failed = child.signal != 0 || child.exit_code == 2 || child.exit_code == 4 || child.output.empty();
  std::string text = workspace_.shown(failed ? child.output + child.error : child.output, path);
  if (child.signal != 0 && !child.late) text += fmt::format("\nthe process was ended by signal {}", child.signal);
  if (child.late) text += "\nthis took longer than it was given, and was ended";
  return answer_of(window_of(text, arguments), failed);
}

}  // namespace cmc::mcp
