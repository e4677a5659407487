#include "checker/dap/target.h"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/child.h"
#include "base/file.h"
#include "base/run_directory.h"
#include "checker/trace/trail.h"

namespace cmc::dap {
namespace {

constexpr double kSeconds = 60;  // for a counterexample
constexpr double kGraceSeconds = 5;

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  return error ? path : real;
}

std::string below(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).string();
}

// The last line that says something.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

std::vector<std::string> texts_in(const Json& arguments, const char* name) {
  return arguments.value(name, std::vector<std::string>());
}

// The trail of the first property that is violated.
std::string counterexample(const Json& arguments, const std::string& program, const std::string& model,
                           const std::atomic<bool>& interrupted) {
  const Result<RunDirectory> folder = RunDirectory::create("", false);
  if (!folder.ok()) throw Failure{folder.error()};
  const std::string trail = folder.value().path() + "/trail";
  const double seconds = arguments.value("seconds", kSeconds);
  std::vector<std::string> command = {program,           "check",         "-q",
                                      "--progress=off",  "--color=never", fmt::format("--time={}", seconds),
                                      "--trail=" + trail};
  if (arguments.contains("property")) command.push_back("--property=" + arguments["property"].get<std::string>());
  if (arguments.contains("ltl")) command.push_back("--ltl=" + arguments["ltl"].get<std::string>());
  for (const std::string& define : texts_in(arguments, "defines")) command.push_back("-D" + define);
  for (const std::string& include : texts_in(arguments, "includes")) command.push_back("-I" + include);
  command.insert(command.end(), {"--", model});
  const Result<ChildOutput> ran = run_child(command, folder.value().path(), seconds + kGraceSeconds, interrupted);
  if (!ran.ok()) throw Failure{ran.error()};
  const Result<std::string> text = read_file(trail);
  const bool is_refused = ran.value().exit_code == 2;
  const std::string why = is_refused ? ran.value().error : last_line(ran.value().output + ran.value().error);
  if (!text.ok()) throw Failure{"there is no counterexample: " + why};
  return text.value();
}

}  // namespace

Target::Target(const Json& arguments, const std::string& program, std::function<void()> on_choice,
               const std::atomic<bool>& interrupted)
    : folder_(real_path(arguments.value("cwd", std::string(".")))) {
  std::string trail;
  if (arguments.contains("trail")) {
    const Result<std::string> text = read_file(below(folder_, arguments["trail"].get<std::string>()));
    if (!text.ok()) throw Failure{text.error()};
    trail = text.value();
  } else if (arguments.contains("property") || arguments.contains("ltl")) {
    const std::string model = below(folder_, arguments.at("program").get<std::string>());
    trail = counterexample(arguments, program, model, interrupted);
  }
  Result<std::unique_ptr<session::Walk>> walk = session::Walk::make(
      load(arguments, trail), arguments.value("seed", uint64_t{1}), std::move(on_choice), interrupted);
  if (!walk.ok()) throw Failure{walk.error()};
  walk_ = std::move(walk).value();
  if (trail.empty()) return;
  if (const Status fits = run().load(trail); !fits.ok()) throw Failure{fits.error()};
}

LoadedModel Target::load(const Json& arguments, const std::string& trail) const {
  ModelRequest request;
  const auto add = [&](const std::string& define) {
    if (const Status added = add_macro(request.preprocessor, define, false); !added.ok())
      throw Failure{added.error()};
  };
  for (const std::string& define : texts_in(arguments, "defines")) add(define);
  for (const std::string& include : texts_in(arguments, "includes"))
    request.preprocessor.include_directories.push_back(below(folder_, include));
  if (const Result<Trail> of_cmc = parse_trail(trail); of_cmc.ok()) add_options(of_cmc.value(), request);
  const std::string program = below(folder_, arguments.at("program").get<std::string>());
  Result<LoadedModel> loaded = session::read_model(program, std::move(request));
  if (!loaded.ok()) throw Failure{loaded.error()};
  return std::move(loaded).value();
}

std::optional<uint32_t> Target::find_file(const std::string& path) const {
  const std::string real = real_path(path);
  for (uint32_t file = 0; file < model().files.size(); ++file) {
    if (path_of(file) == real) return file;
  }
  return std::nullopt;
}

std::string Target::path_of(uint32_t file) const { return real_path(model().files[file]); }

}  // namespace cmc::dap
