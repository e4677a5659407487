#include <algorithm>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include "base/file.h"
#include "checker/cli/commands.h"
#include "checker/cli/spin_verifier.h"
#include "checker/report/version.h"
#include "checker/search/replay.h"
#include "checker/search/simulate.h"
#include "checker/spin/arguments.h"
#include "checker/spin/run_text.h"
#include "checker/spin/trail.h"
#include "checker/spin/verifier_source.h"

// `cmc spin`: one function for each thing that SPIN's command line can ask for. SPIN ends with status 0 whatever it
// found, and with 1 if it could not do what was asked for.

namespace cmc {
namespace {

using spin::Action;
using spin::SpinArguments;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr const char* kSpinVersion = "Spin Version 6.5.2 -- 6 December 2019\n";

// A number in front of ".trail": MODEL1.trail is the first of several.
std::string trail_name(const SpinArguments& arguments) {
  if (!arguments.trail_file.empty()) return arguments.trail_file;
  const std::string number = arguments.trail_number == 0 ? "" : std::to_string(arguments.trail_number);
  const std::string file = arguments.model + number + ".trail";
  const std::filesystem::path path(arguments.model);
  const std::string stem = (path.parent_path() / path.stem()).string() + number + ".trail";
  return !std::filesystem::exists(file) && std::filesystem::exists(stem) ? stem : file;
}

std::optional<LoadedModel> load(const SpinArguments& arguments, Options& options, Output& output) {
  options = spin_options(arguments, {});
  return load_model(options, [&](const std::string& file, uint32_t line, const std::string& message) {
    output.print(fmt::format("spin: {}:{}, Error: {}\n", file, line, message));
  });
}

// The depth behind a step, as SPIN counts: a rendezvous is two steps.
uint64_t next_depth(uint64_t depth, const Step& step) { return depth + (step.partner == kNoProcess ? 1 : 2); }

int follow(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  const std::string file = trail_name(arguments);
  const Result<std::string> text = read_file(file);
  if (!text.ok()) {
    output.print("spin: cannot find trail file\n");
    complain(text.error());
    return kFailed;
  }
  const auto refuse = [&](const std::string& message) {
    output.print(fmt::format("spin: {}: {}\n", file, message));
    return kFailed;
  };
  const Result<spin::Trail> trail = spin::parse_trail(text.value());
  if (!trail.ok()) return refuse(trail.error());
  const Session session{options, output, interrupted};
  const Decider decider = make_decider(session, loaded->model);
  if (!decider.ok) return kFailed;
  const std::unique_ptr<SuccessorGenerator> statements =
      make_statement_generator(options, loaded->model, decider.get());
  const Result<spin::FollowedTrail> followed = spin::follow_trail(trail.value(), loaded->model, *statements);
  if (!followed.ok()) return refuse(followed.error());

  const spin::FollowedTrail& run = followed.value();
  if (run.ignored_line != 0) {
    complain(fmt::format("{}: line {}, the last one, cannot be executed and is left out", file, run.ignored_line));
  }
  spin::RunText printer(loaded->model, arguments.text, [&](std::string_view line) { output.print(line); });
  bool started = false;
  uint64_t depth = 0;
  const Result<ReplayEnd> end = replay_path(*statements, run.path, [&](const ReplayEvent& event) {
    if (!std::exchange(started, true)) printer.start(event.before);
    if (event.index == run.loop_start) printer.begin_cycle();
    const auto at = static_cast<uint64_t>(run.depths[event.index]);
    if (arguments.most_steps > 0 && at >= arguments.most_steps) return;
    depth = next_depth(at, event.step) - 1;
    printer.step(at, event.step, event.before, event.after, event.errors);
  });
  if (!end.ok()) return refuse(end.error());
  if (!started) printer.start(end.value().state);
  if (run.loop_start == run.path.size()) printer.begin_cycle();
  printer.finish(end.value().state, depth);
  return kDone;
}

int simulate_once(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  if (arguments.interactive) {
    options.command = Command::kSimulate;
    options.interactive = true;
    return run_simulate({options, output, interrupted}) == kExitUsage ? kFailed : kDone;
  }
  const Session session{options, output, interrupted};
  const Decider decider = make_decider(session, loaded->model);
  if (!decider.ok) return kFailed;
  const std::unique_ptr<SuccessorGenerator> statements =
      make_statement_generator(options, loaded->model, decider.get());
  spin::RunText printer(loaded->model, arguments.text, [&](std::string_view line) { output.print(line); });
  uint64_t depth = 0;
  std::atomic<bool> stop = false;
  SimulationOptions run;
  run.seed = arguments.seed_given ? arguments.seed : std::random_device{}() % 1'000'000;
  run.max_steps = arguments.most_steps;
  run.interrupt = &stop;
  run.on_start = [&](ByteView state) { printer.start(state); };
  run.on_step = [&](const SimulationStep& step) {
    if (interrupted.load() || output.broken()) stop = true;
    if (step.choice.step.timeout) output.print("timeout\n");
    printer.step(++depth, step.choice.step, step.before, step.choice.after, step.choice.errors);
  };
  const SimulationResult result = simulate(*statements, run);
  using Outcome = SimulationResult::Outcome;
  if (result.outcome == Outcome::kMaxSteps) {
    output.print(fmt::format("-------------\ndepth-limit (-u{} steps) reached\n", arguments.most_steps));
  }
  printer.finish(result.state, depth);
  if (arguments.prints_seed) output.print(fmt::format("seed used: {}\n", run.seed));
  return result.outcome == Outcome::kError ? kFailed : kDone;
}

int write_verifier(const SpinArguments& arguments, Output& output) {
  Options options;
  if (!load(arguments, options, output)) return kFailed;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    complain("cannot find out where cmc is: " + error.message());
    return kFailed;
  }
  const Status written = write_file_atomically("pan.c", spin::verifier_source(program.string(), arguments));
  if (written.ok()) return kDone;
  complain(written.error());
  return kFailed;
}

int translate_formula(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  std::string formula = arguments.formula;
  if (!arguments.formula_file.empty()) {
    Result<std::string> text = read_file(arguments.formula_file);
    if (!text.ok()) {
      complain(text.error());
      return kFailed;
    }
    formula = std::move(text).value();
    formula.erase(std::min(formula.find('\n'), formula.size()));
  }
  Options options;
  options.command = Command::kAutomaton;
  options.formulas = {"!(" + formula + ")"};  // the automaton of what violates it
  return run_automaton({options, output, interrupted}) == kExitHolds ? kDone : kFailed;
}

int show_preprocessed(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options = spin_options(arguments, {});
  options.command = Command::kExpand;
  return run_expand({options, output, interrupted}) == kExitHolds ? kDone : kFailed;
}

}  // namespace

int run_spin(const std::vector<std::string>& given, Output& output, const std::atomic<bool>& interrupted) {
  const Result<SpinArguments> parsed = spin::parse_spin_arguments(given);
  if (!parsed.ok()) {
    print_to_stderr(fmt::format("spin: {}\n", parsed.error()));
    return kFailed;
  }
  const SpinArguments& arguments = parsed.value();
  for (const std::string& note : arguments.notes) complain(note);
  switch (arguments.action) {
    case Action::kSimulate: return simulate_once(arguments, output, interrupted);
    case Action::kFollowTrail: return follow(arguments, output, interrupted);
    case Action::kWriteVerifier: return write_verifier(arguments, output);
    case Action::kVerify: {
      for (const std::string& note : arguments.verifier.notes) complain(note);
      if (arguments.verifier.prints_help || arguments.verifier.prints_version) {
        output.print(arguments.verifier.prints_help ? spin::spin_help() : kSpinVersion);
        return kDone;
      }
      if (!arguments.verifier.follows_trail) return run_verifier(arguments, output, interrupted);
      SpinArguments replay = arguments;
      replay.text.guided = replay.text.statements = true;
      return follow(replay, output, interrupted);
    }
    case Action::kTranslateFormula: return translate_formula(arguments, output, interrupted);
    case Action::kShowPreprocessed: return show_preprocessed(arguments, output, interrupted);
    case Action::kVersion:
      output.print(kSpinVersion);
      complain(fmt::format("version {} answers as SPIN", kVersion));
      return kDone;
    case Action::kHelp: output.print(spin::spin_help()); return kDone;
  }
  return kFailed;
}

}  // namespace cmc
