#include "checker/search/simulate.h"

#include <charconv>
#include <chrono>
#include <iostream>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/signals.h"
#include "checker/report/trace_printer.h"

namespace cmc {
namespace {

// A menu on standard output, the answer from standard input.
class Menu {
 public:
  Menu(const Model& model, const Palette& palette, Output& output)
      : model_(model), palette_(palette), output_(output) {}

  std::optional<size_t> choose(ByteView state, std::span<const Choice> choices) {
    show(state, choices);
    std::string answer;
    while (ask(choices.size(), answer)) {
      if (answer == "q") return std::nullopt;
      if (answer == "s") {
        output_.print(state_text(model_, decode_state(model_, state), 4));
        continue;
      }
      if (answer.empty() && choices.size() == 1) return 0;
      size_t number = 0;
      const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
      const bool all = stop == answer.data() + answer.size();
      if (error == std::errc() && all && number >= 1 && number <= choices.size()) return number - 1;
      output_.print(fmt::format("  '{}' is none of the choices\n", printable(answer)));
    }
    output_.print("\n");
    return std::nullopt;
  }

 private:
  void show(ByteView state, std::span<const Choice> choices) {
    for (size_t i = 0; i < choices.size(); ++i) {
      const StepText text = describe_step(model_, state, choices[i].step);
      std::string line =
          fmt::format("  {:>3}) {} {}:{} {}", i + 1, palette_.paint(Tone::kProcess, process_label(text.actor)),
                      printable(text.actor.file), text.actor.line, printable(text.actor.text));
      if (text.partner) {
        line += fmt::format("  =>  {} {}", palette_.paint(Tone::kProcess, process_label(*text.partner)),
                            printable(text.partner->text));
      }
      for (const RuntimeError& error : choices[i].errors) {
        line += "  " + palette_.paint(Tone::kBad, "error: " + printable(error.message));
      }
      output_.print(line + '\n');
    }
  }

  bool ask(size_t count, std::string& answer) {
    const std::string range = count == 1 ? "1, or Enter" : fmt::format("1-{}", count);
    output_.print(fmt::format("which step ({}; s: show the state; q: quit)? ", range));
    std::fflush(stdout);
    if (!std::getline(std::cin, answer)) return false;
    const size_t first = answer.find_first_not_of(" \t\r");
    answer = first == std::string::npos ? "" : answer.substr(first, answer.find_last_not_of(" \t\r") - first + 1);
    return true;
  }

  const Model& model_;
  const Palette& palette_;
  Output& output_;
};

uint64_t seed_by_the_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) % 1'000'000;
}

struct Ending {
  int exit_code;
  Tone tone;
  std::string text;
};

Ending ending(const SimulationResult& result, bool interrupted) {
  using Outcome = SimulationResult::Outcome;
  switch (result.outcome) {
    case Outcome::kEnded: return {kExitHolds, Tone::kGood, "the run has ended: all processes are at valid ends"};
    case Outcome::kInvalidEnd: return {kExitViolated, Tone::kBad, "invalid end state: no process can move"};
    case Outcome::kError: {
      const std::string why = result.errors.empty() ? "there is no initial state" : result.errors.front().message;
      if (!result.errors.empty() && is_reason(result.errors.front().kind)) {
        return {kExitIncomplete, Tone::kDoubtful, "stopped: " + why};
      }
      return {kExitViolated, Tone::kBad, "error: " + why};
    }
    case Outcome::kMaxSteps:
      return {kExitHolds, Tone::kDoubtful, "stopped: that was the last step that --max-steps allows"};
    case Outcome::kStopped: break;
  }
  if (interrupted) return {interrupted_exit_code(), Tone::kDoubtful, "interrupted"};
  return {kExitHolds, Tone::kDoubtful, "stopped"};
}

}  // namespace

int run_simulate(const Session& session) {
  const Options& options = session.options;
  if (options.interactive && options.model == "-") {
    complain("--interactive reads your choices from standard input, so the model must be a file");
    return kExitUsage;
  }
  const std::optional<LoadedModel> loaded = load_model(options);
  if (!loaded) return kExitUsage;
  const Model& model = loaded->model;
  Output& output = session.output;
  const Palette palette(wants_color(options.color, stdout));
  const bool quiet = options.verbosity == Verbosity::kQuiet && !options.interactive;

  TracePrinter printer(model, {options.trace, 0, 0, true}, palette,
                       [&](std::string_view text) { output.print(text); });
  Menu menu(model, palette, output);
  std::atomic<bool> stop = false;
  SimulationOptions run;
  run.seed = options.seed_given ? options.seed : seed_by_the_clock();
  run.max_steps = options.max_steps;
  run.interrupt = &stop;
  run.on_step = [&](const SimulationStep& step) {
    if (session.interrupted.load() || output.broken()) stop = true;
    const Choice& choice = step.choice;
    if (!quiet) {
      for (const Step& inside : choice.inside) printer.step({step.index, inside, step.before, step.before, {}});
      printer.step({step.index, choice.step, step.before, choice.after, choice.errors});
      if (options.interactive) printer.flush();
    } else if (const auto printed = printed_by_step(model, step.before, choice.step)) {
      output.print(*printed);
    }
  };
  if (options.interactive) {
    run.choose = [&](ByteView state, std::span<const Choice> choices) { return menu.choose(state, choices); };
  } else if (!quiet) {
    output.print(fmt::format("one random run of {} (--seed {} repeats it)\n\n", printable(loaded->file), run.seed));
  }
  const Decider decider = make_decider(session, model);
  if (!decider.ok) return kExitUsage;
  const std::unique_ptr<SuccessorGenerator> generator = make_statement_generator(options, model, decider.get());
  const SimulationResult result = simulate(*generator, run);
  if (!quiet) printer.finish(result.state);
  const Ending end = ending(result, session.interrupted.load());
  if (!quiet || end.exit_code != kExitHolds) {
    output.print(fmt::format("{} (after {})\n", palette.paint(end.tone, printable(end.text)),
                             plural(result.path.size(), "step")));
  }
  return end.exit_code;
}

}  // namespace cmc
