#include "checker/cli/commands/test_cases.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/load_model.h"
#include "checker/cli/output_files.h"
#include "checker/report/unreached.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelSuffix = ".pml";

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.size() > 1 && name[0] == '.' && name != "..";
}

// "cmc check: --steps: 'x' is none of ..." without who says it, and without the hint to --help.
std::string usage_message(const std::string& answer) {
  constexpr const char* kCommands[] = {"cmc check: ", "cmc mutate: ", "cmc conform: "};
  const bool says_who = std::ranges::any_of(kCommands, [&](const char* who) { return answer.starts_with(who); });
  const size_t begin = says_who ? answer.find(' ', 4) + 1 : 0;
  return answer.substr(begin, answer.find('\n') - begin);
}

using Claim = suite::Expectation::Claim;

bool is_accepted(const char* command, const std::string& option) {
  return std::holds_alternative<Options>(parse_command_line({command, option, "model", "log"})) ||
         std::holds_alternative<Options>(parse_command_line({command, option, "model"}));
}

// Whether a check lists anything on this line of the model if no process comes there. A model with mistakes: true,
// the check will tell.
bool is_ever_listed(const Options& check, const std::string& path, uint64_t line) {
  promela::Sources sources;
  const Result<uint32_t> file = sources.load(path);
  if (!file.ok()) return true;
  std::string messages;
  const auto loaded = compile_model(model_request(check), std::move(sources), file.value(), messages);
  if (!loaded) return true;
  return std::ranges::any_of(loaded->model.proctypes, [&](const Proctype& proctype) {
    return std::ranges::any_of(
        unreached_statements(loaded->model, proctype, {}), [&](const UnreachedStatement& each) {
          return each.statement->place.file == file.value() && each.statement->place.line == line;
        });
  });
}

class Collector {
 public:
  explicit Collector(const TestOptions& options) : options_(options) {}

  TestCases run() {
    for (const std::string& path : options_.paths) {
      std::error_code error;
      if (fs::is_directory(path, error)) {
        add_folder(path);
      } else {
        add_model(path);
      }
    }
    return std::move(found_);
  }

 private:
  void add_folder(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> models;
    auto entries = fs::recursive_directory_iterator(folder, error);
    for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
      std::error_code unknown;
      const bool is_folder = entries->is_directory(unknown);
      if (is_folder && is_hidden(entries->path())) {
        entries.disable_recursion_pending();
      } else if (!is_folder && entries->path().extension() == kModelSuffix && !is_hidden(entries->path()) &&
                 !is_special_file(entries->path().string())) {
        models.push_back(entries->path().lexically_normal().string());
      }
    }
    if (error) add_error(folder, 0, "", fmt::format("cannot read the folder: {}", error.message()));
    if (!error && models.empty()) add_error(folder, 0, "", fmt::format("there is no file *{} in it", kModelSuffix));
    std::ranges::sort(models);
    for (const std::string& model : models) add_model(model);
  }

  void add_model(const std::string& model) {
    const Result<std::string> text = read_file(model);
    if (!text.ok()) return add_error(model, 0, "", text.error());
    const suite::ExpectLines found = suite::find_expectations(text.value());
    if (found.lines.empty() && !found.nothing) {
      return add_error(model, 0, "",
                       "there is no line 'expect: ...' in it (if it is no model to test: 'expect: nothing')");
    }
    for (const suite::ExpectLine& line : found.lines) {
      if (line.expectation.ok()) {
        add_case(model, line);
      } else {
        add_error(model, line.line, line.text, line.expectation.error());
      }
    }
  }

  void add_case(const std::string& model, const suite::ExpectLine& line) {
    const suite::Expectation& expectation = line.expectation.value();
    suite::Case each;
    each.model = model;
    each.line = line.line;
    each.text = line.text;
    const char* const name = expectation.command();
    for (const std::string& option : options_.check_arguments) {
      if (name == std::string_view("check") || is_accepted(name, option)) each.arguments.push_back(option);
    }
    const std::vector<std::string> own = expectation.arguments();
    each.arguments.insert(each.arguments.end(), own.begin(), own.end());
    each.expectation = expectation;
    std::vector<std::string> command = {name};
    command.insert(command.end(), each.arguments.begin(), each.arguments.end());
    for (const std::string& path : each.paths()) command.push_back(path_argument(path));
    const std::variant<Options, Answer> parsed = parse_command_line(command);
    if (const Answer* const answer = std::get_if<Answer>(&parsed)) {
      return add_error(model, line.line, line.text, usage_message(answer->text));
    }
    if (expectation.claim == Claim::kReached &&
        !is_ever_listed(std::get<Options>(parsed), model, expectation.number)) {
      return add_error(model, line.line, line.text,
                       fmt::format("there is no statement on line {} whose reaching is known", expectation.number));
    }
    const bool wanted = expectation.slow ? options_.slow != SlowCases::kSkip : options_.slow != SlowCases::kOnly;
    if (!wanted && options_.slow == SlowCases::kOnly) return;
    if (!wanted) each.status = suite::Case::Status::kLeftOut;
    found_.cases.push_back(std::move(each));
    found_.checks.push_back(std::get<Options>(parsed));
  }

  void add_error(const std::string& model, uint32_t line, const std::string& text, const std::string& message) {
    suite::Case each;
    each.model = model;
    each.line = line;
    each.text = text;
    each.status = suite::Case::Status::kError;
    each.messages.push_back(message);
    found_.cases.push_back(std::move(each));
    found_.checks.emplace_back();
  }

  const TestOptions& options_;
  TestCases found_;
};

}  // namespace

TestCases collect_cases(const TestOptions& options) { return Collector(options).run(); }

}  // namespace cmc
