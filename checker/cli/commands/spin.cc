#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/commands/spin_verifier.h"
#include "checker/plain/simulate.h"
#include "checker/result/replay.h"
#include "checker/spin/arguments.h"
#include "checker/spin/run_text.h"
#include "checker/spin/state_tables.h"
#include "checker/spin/trail.h"
#include "checker/spin/verifier_source.h"
#include "checker/spin/verifier_text.h"

// `cmc spin`: one function for each thing that SPIN's command line can ask for. SPIN ends with status 0 whatever it
// found, and with 1 if it could not do what was asked for.

namespace cmc {
namespace {

using spin::Action;
using spin::SpinArguments;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr const char* kSpinVersion = "Spin Version 6.5.2 -- 6 December 2019\n";

int fail(Output& output, const std::string& message) {
  output.print(fmt::format("spin: {}\n", message));
  return kFailed;
}

// A number in front of ".trail": MODEL1.trail is the first of several.
std::string trail_name(const SpinArguments& arguments) {
  if (!arguments.trail_file.empty()) return arguments.trail_file;
  const std::string number = arguments.trail_number == 0 ? "" : std::to_string(arguments.trail_number);
  const std::filesystem::path path(arguments.model);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() + "/" : "";
  const std::string file = path.filename().string();
  const std::string stem = file.substr(0, file.find('.'));
  const std::string beside = folder + file + number + ".trail";
  // Beside the model, where SPIN looks, then in the current folder, where its verifier writes.
  for (const std::string& name : {beside, folder + file + number + ".tra", folder + stem + number + ".trail",
                                  folder + stem + number + ".tra", file + number + ".trail"}) {
    if (std::filesystem::exists(name)) return name;
  }
  return beside;
}

std::optional<LoadedModel> load(const SpinArguments& arguments, Options& options, Output& output) {
  options = spin_options(arguments);
  return load_for_spin(arguments, output);
}

// -F names a file whose first line is the formula.
Status read_formula(SpinArguments& arguments) {
  if (arguments.formula_file.empty()) return Success{};
  CMC_TRY(arguments.formula, read_file(arguments.formula_file));
  arguments.formula.erase(std::min(arguments.formula.find('\n'), arguments.formula.size()));
  return Success{};
}

// SPIN's menu of the statements that can be executed, and the answer: a number, or q to end.
std::optional<size_t> ask(const spin::RunText& printer, ByteView state, std::span<const Choice> choices,
                          Output& output) {
  if (!printer.asks(state, choices.size())) return 0;
  for (;;) {
    output.print("Select a statement\n");
    for (size_t i = 0; i < choices.size(); ++i) {
      output.print(fmt::format("\tchoice {}: {}\n", i + 1, printer.choice_text(state, choices[i].step)));
    }
    output.print(printer.prompt(choices.size()));
    std::fflush(stdout);
    std::string answer;
    if (!(std::cin >> answer) || answer.starts_with('q')) return std::nullopt;
    const size_t number = std::strtoul(answer.c_str(), nullptr, 10);
    if (number >= 1 && number <= choices.size()) return number - 1;
    output.print("\tchoice is outside range\n");
  }
}

// The depth behind a step, as SPIN counts: a rendezvous is two steps.
uint64_t next_depth(uint64_t depth, const Step& step) { return depth + (step.partner == kNoProcess ? 1 : 2); }

int follow(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  const std::string file = trail_name(arguments);
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return fail(output, "cannot find trail file");
  const auto fail_in_file = [&](const std::string& message) {
    return fail(output, fmt::format("{}: {}", file, message));
  };
  const Result<spin::Trail> trail = spin::parse_trail(text.value());
  if (!trail.ok()) return fail_in_file(trail.error());
  const Session session{options, output, interrupted};
  const std::optional<Decider> decider = decider_for(session, loaded->model);
  if (!decider) return kFailed;
  const std::unique_ptr<SuccessorGenerator> statements =
      make_statement_generator(options.check, loaded->model, decider->get());
  const Result<spin::FollowedTrail> followed = spin::follow_trail(trail.value(), loaded->model, *statements);
  if (!followed.ok()) return fail_in_file(followed.error());

  const spin::FollowedTrail& run = followed.value();
  if (run.ignored_line != 0 && arguments.verbose) {
    complain(fmt::format("{}: line {}, the last one, cannot be executed and is left out", file, run.ignored_line));
  }
  output.print(spin::formulas_text(loaded->model));
  spin::RunText printer(loaded->model, arguments.text, [&](std::string_view line) { output.print(line); });
  bool started = false;
  uint64_t depth = 0;
  std::optional<Bytes> failed_in;  // interfaces see the run end where an assertion fails
  const Result<ReplayEnd> end = replay_path(*statements, run.path, [&](const ReplayEvent& event) {
    if (!std::exchange(started, true)) printer.start(event.before);
    if (event.index == run.loop_start) printer.begin_cycle();
    const auto at = static_cast<uint64_t>(run.depths[event.index]);
    if (failed_in || (arguments.most_steps > 0 && at >= arguments.most_steps)) return;
    if (arguments.text.for_interface && !event.errors.empty()) {
      printer.fail(event.errors);
      failed_in = Bytes(event.before.begin(), event.before.end());
      depth = at;
      return;
    }
    depth = next_depth(at, event.step) - 1;
    printer.step(at, event.step, event.before, event.after, event.errors);
  });
  if (!end.ok()) return fail_in_file(end.error());
  if (failed_in) {
    printer.finish_failed(*failed_in, depth);
    return kDone;
  }
  if (!started) printer.start(end.value().state);
  if (run.loop_start == run.path.size()) printer.begin_cycle();
  printer.finish(end.value().state, depth);
  return kDone;
}

int simulate_once(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  const Session session{options, output, interrupted};
  const std::optional<Decider> decider = decider_for(session, loaded->model);
  if (!decider) return kFailed;
  const std::unique_ptr<SuccessorGenerator> statements =
      make_statement_generator(options.check, loaded->model, decider->get());
  output.print(spin::formulas_text(loaded->model));
  spin::RunText printer(loaded->model, arguments.text, [&](std::string_view line) { output.print(line); });
  uint64_t depth = 0;
  std::optional<Bytes> failed_in;
  std::atomic<bool> stop = false;
  SimulationOptions run;
  run.seed = arguments.seed_given ? arguments.seed : std::random_device{}() % 1'000'000;
  run.max_steps = arguments.most_steps;
  run.interrupt = &stop;
  if (arguments.interactive) {
    run.choose = [&](ByteView state, std::span<const Choice> choices) {
      return ask(printer, state, choices, output);
    };
  }
  run.on_start = [&](ByteView state) { printer.start(state); };
  run.on_step = [&](const SimulationStep& step) {
    if (interrupted.load() || output.broken()) stop = true;
    if (step.choice.step.timeout) printer.time_out();
    ++depth;
    if (step.choice.errors.empty()) {
      printer.step(depth, step.choice.step, step.before, step.choice.after, step.choice.errors);
    } else {  // SPIN's run ends in front of the statement
      printer.fail(step.choice.errors);
      failed_in = Bytes(step.before.begin(), step.before.end());
      stop = true;
    }
  };
  const SimulationResult result = simulate(*statements, run);
  using Outcome = SimulationResult::Outcome;
  if (result.outcome == Outcome::kMaxSteps) {
    output.print(fmt::format("-------------\ndepth-limit (-u{} steps) reached\n", arguments.most_steps));
  }
  if (result.outcome == Outcome::kStopped && arguments.interactive && !failed_in) return kDone;
  printer.finish(failed_in ? *failed_in : result.state, depth);
  if (arguments.prints_seed) output.print(fmt::format("seed used: {}\n", run.seed));
  return failed_in || result.outcome == Outcome::kError ? kFailed : kDone;
}

// pan.c does it all; the other files are those that programs copy or remove beside it.
int write_verifier(const SpinArguments& arguments, Output& output) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  output.print(spin::formulas_text(loaded->model));
  Status written = write_file_atomically("pan.c", spin::verifier_source(own_program(), arguments));
  for (const char* const name : {"pan.b", "pan.h", "pan.m", "pan.p", "pan.t"}) {
    if (written.ok()) written = write_file_atomically(name, "/* see pan.c */\n");
  }
  if (!written.ok()) return fail(output, written.error());
  output.print(spin::claims_text(loaded->model, arguments.model));
  return kDone;
}

int show_symbols(const SpinArguments& arguments, Output& output) {
  Options options;
  const std::optional<LoadedModel> loaded = load(arguments, options, output);
  if (!loaded) return kFailed;
  output.print(spin::formulas_text(loaded->model));
  const Result<std::string> table = spin::symbol_table(loaded->model);
  if (!table.ok()) return fail(output, table.error());
  output.print(table.value());
  return kDone;
}

// SPIN names the formula of a never claim as it was given.
int translate_formula(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  const std::string& formula = arguments.formula;
  Options options;
  options.command = Command::kAutomaton;
  options.reading.formulas = {"!(" + formula + ")"};  // the automaton of what violates it
  std::string claim;
  Output captured(claim);
  if (run_automaton({options, captured, interrupted}) != kExitHolds) return kFailed;
  const size_t body = claim.find('\n', claim.find("never"));
  output.print(fmt::format("never  {{    /* {} */{}", formula, claim.substr(std::min(body, claim.size()))));
  return kDone;
}

int show_preprocessed(const SpinArguments& arguments, Output& output, const std::atomic<bool>& interrupted) {
  Options options = spin_options(arguments);
  options.command = Command::kExpand;
  return run_expand({options, output, interrupted}) == kExitHolds ? kDone : kFailed;
}

}  // namespace

int run_spin(const std::vector<std::string>& given, Output& output, const std::atomic<bool>& interrupted) {
  Result<SpinArguments> parsed = spin::parse_spin_arguments(given);
  if (!parsed.ok()) return fail(output, parsed.error());
  SpinArguments arguments = std::move(parsed).value();
  if (const Status complete = read_formula(arguments); !complete.ok()) return fail(output, complete.error());
  if (arguments.verbose) {  // else nothing: programs take what comes on standard error for errors
    for (const std::string& note : arguments.notes) complain(note);
    for (const std::string& note : arguments.verifier.notes) complain(note);
  }
  switch (arguments.action) {
    case Action::kSimulate: return simulate_once(arguments, output, interrupted);
    case Action::kFollowTrail: return follow(arguments, output, interrupted);
    case Action::kWriteVerifier: return write_verifier(arguments, output);
    case Action::kVerify: {
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
    case Action::kShowSymbols: return show_symbols(arguments, output);
    case Action::kShowPreprocessed: return show_preprocessed(arguments, output, interrupted);
    case Action::kVersion: output.print(kSpinVersion); return kDone;
    case Action::kHelp: output.print(spin::spin_help()); return kDone;
  }
  return kFailed;
}

}  // namespace cmc
