#include <filesystem>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/check/rank_runs.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/output_files.h"
#include "checker/report/run_info.h"

namespace cmc {
namespace {

// "--steps" of "--steps=path", "-D" of "-DN=3".
std::string option_of(const std::string& argument) {
  return argument.starts_with("--") ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
}

std::string why_fixed(const std::string& argument, const RunFile& run) {
  std::string then;
  for (const std::string& each : run.arguments) {
    if (option_of(each) == option_of(argument)) then += " " + each;
  }
  return fmt::format("{} cannot be given here: the run was begun {}", argument,
                     then.empty() ? "without " + option_of(argument) : "with" + then);
}

// Those of the check, and behind them what was given now. Error: a run of another version of CMC has options that
// this one does not know.
Result<Options> options_of_run(const Options& given, const RunFile& run) {
  std::vector<std::string> words = {"check"};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  words.insert(words.end(), given.resume.given.begin(), given.resume.given.end());
  words.insert(words.end(), {"--checkpoint=" + given.resume.directory, "--", "model"});
  std::variant<Options, Answer> parsed = parse_command_line(words);
  if (const auto* const answer = std::get_if<Answer>(&parsed)) return Error{answer->text};
  Options options = std::get<Options>(std::move(parsed));
  options.arguments = given.arguments;
  options.model = run.model;
  return options;
}

promela::Sources sources_of(const RunFile& run, bool complains) {
  promela::Sources now;
  promela::Sources sources;
  std::error_code ignored;
  for (const RunFile::Source& file : run.files) {
    sources.provide(file.name, file.text);
    if (!complains || !std::filesystem::is_regular_file(file.name, ignored)) continue;
    const Result<uint32_t> there = now.load(file.name);
    if (there.ok() && now.text(there.value()) != file.text)
      complain(fmt::format("'{}' has changed since; the run goes on with the text that it began with", file.name));
  }
  return sources;
}

// Whether a search that goes on beyond memory has no paths to what was found: a search in RAM keeps them
// otherwise, and only as many ranks as have written them can read them.
bool lacks_paths(const Manifest& last, const Ranks* ranks) {
  return (ranks != nullptr || last.is_of_disk()) &&
         (last.counter("trail") == 0 || last.ranks() != (ranks == nullptr ? 1 : ranks->count()));
}

int exit_code_of(const std::string& verdict) {
  return verdict == "holds" ? kExitHolds : verdict == "violated" ? kExitViolated : kExitIncomplete;
}

}  // namespace

int run_resume(const Session& session) {
  const std::string& directory = session.options.resume.directory;
  Ranks* const ranks = session.options.check.ranks;
  Result<std::unique_ptr<Checkpoints>> opened = reopen_run(ranks, directory, session.options.check.saving.mirror);
  const bool is_follower = ranks != nullptr && ranks->rank() > 0;  // rank 0 says it
  if (!opened.ok()) return is_follower ? kExitUsage : refuse(opened.error());
  const std::shared_ptr<Checkpoints> checkpoints = std::move(opened).value();
  const RunFile& run = checkpoints->run();
  const Manifest& last = *checkpoints->last();
  if (const std::vector<std::string>& fixed = session.options.resume.fixed; !fixed.empty())
    return is_follower ? kExitUsage : refuse(why_fixed(fixed.front(), run));
  if (!checkpoints->passed_over().empty())
    complain(fmt::format("going on from checkpoint {}, the one before: {}", last.epoch, checkpoints->passed_over()));
  if (last.complete) {
    if (session.options.output.json == kStandardOutput) {  // a file may have the results
      Result<RunOverview> looked = look_at_run(directory);
      if (!looked.ok()) return refuse(looked.error());
      RunOverview overview = std::move(looked).value();
      overview.user.clear();  // it is this process
      session.output.print(run_json(directory, overview));
    } else {
      session.output.print(fmt::format("the search of '{}' is over: verdict: {} ({}, {})\n", run.model, last.verdict,
                                       plural(last.states, "state"), plural(last.transitions, "transition")));
    }
    for (const OutputFile& file : output_files(session.options))
      complain(fmt::format("{} {}: nothing is written, since the search is over", file.option, file.path));
    return exit_code_of(last.verdict);
  }
  Result<Options> merged = options_of_run(session.options, run);
  if (!merged.ok()) return refuse(merged.error());
  Options options = std::move(merged).value();
  options.check.saving.run = checkpoints;
  if (ranks != nullptr) prepare_for_rank(options, ranks->rank());
  options.check.ranks = ranks;
  if (lacks_paths(last, ranks)) options.check.store.paths = false;
  // It knows its states in its own way.
  if (ranks != nullptr && last.engine != kRoundsEngine && options.check.proviso == SearchOptions::Proviso::kQueue) {
    return is_follower ? kExitUsage
                       : refuse("a search in RAM with --reductions por-queue does not go on among several ranks");
  }
  if (const Status outputs = check_outputs(options); !outputs.ok()) return refuse(outputs.error());
  promela::Sources sources = sources_of(run, !is_follower);
  const Result<uint32_t> file = sources.load(options.model);
  if (!file.ok()) return refuse(file.error());
  const std::optional<LoadedModel> loaded = load_source(options, std::move(sources), file.value(), nullptr);
  return loaded ? check_loaded({options, session.output, session.interrupted}, *loaded) : kExitUsage;
}

}  // namespace cmc
