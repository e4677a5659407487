#include "checker/dap/target.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "checker/session/counterexample.h"
#include "checker/trace/trail.h"

namespace cmc::dap {
namespace {

constexpr double kPollSeconds = 0.1;

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  return error ? path : real;
}

std::string below(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).string();
}

std::vector<std::string> texts_in(const Json& arguments, const char* name) {
  return arguments.value(name, std::vector<std::string>());
}

// The trail of the first property that is violated.
std::string counterexample(const Json& arguments, const std::string& program, const std::string& model,
                           const std::atomic<bool>& interrupted) {
  session::CounterexampleRequest request;
  request.program = program;
  request.model = model;
  request.seconds = arguments.value("seconds", request.seconds);
  request.property = arguments.value("property", std::string());
  request.formula = arguments.value("ltl", std::string());
  for (const std::string& define : texts_in(arguments, "defines")) request.reading.push_back("-D" + define);
  for (const std::string& include : texts_in(arguments, "includes")) request.reading.push_back("-I" + include);
  Result<session::CounterexampleSearch> search = session::CounterexampleSearch::start(request);
  if (!search.ok()) throw Failure{search.error()};
  session::CounterexampleSearch running = std::move(search).value();
  while (!interrupted && !running.wait(kPollSeconds)) {
  }
  if (interrupted) throw Failure{"interrupted"};
  const Result<std::string> trail = running.trail();
  if (!trail.ok()) throw Failure{trail.error()};
  return trail.value();
}

}  // namespace

Target::Target(const Json& arguments, const std::string& program, std::function<void()> on_choice,
               const std::atomic<bool>& interrupted)
    : folder_(real_path(arguments.value("cwd", std::string(".")))) {
  std::string trail;
  std::string origin = "the counterexample";
  if (arguments.contains("trail")) {
    origin = arguments["trail"].get<std::string>();
    const Result<std::string> text = read_file(below(folder_, origin), kMostTrailBytes);
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
  if (const Status fits = run().load(trail); !fits.ok()) throw Failure{fmt::format("{}: {}", origin, fits.error())};
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
