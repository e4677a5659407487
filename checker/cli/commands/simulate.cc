#include "checker/plain/simulate.h"

#include <charconv>
#include <chrono>
#include <iostream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/signals.h"
#include "checker/cli/trace_files.h"
#include "checker/trace/explain.h"
#include "checker/trace/recorder.h"
#include "checker/trace/trace_printer.h"

namespace cmc {
namespace {

// A menu on standard output, the answer from standard input. Who goes back begins again, and takes the same choices
// up to there.
class Menu {
 public:
  Menu(const Model& model, const Palette& palette, Output& output)
      : model_(model), palette_(palette), output_(output) {}

  // None: the run is over, or is to begin again().
  std::optional<size_t> choose(ByteView state, std::span<const Choice> choices) {
    if (taken_.size() < again_) {
      taken_.push_back(before_[taken_.size()]);
      return taken_.back();
    }
    const std::optional<size_t> chosen = ask_for_one(state, choices);
    if (chosen) taken_.push_back(*chosen);
    return chosen;
  }
  // When nobody can move, or an error has ended the run: perhaps it is to begin again().
  void end() {
    std::string answer;
    while (output_.print(palette_.paint(Tone::kDoubtful, "b: back; b N: N choices back; Enter: quit? ")),
           std::fflush(stdout), read(answer)) {
      if (answer.empty() || answer == "q" || goes_back(answer)) return;
      output_.print(fmt::format("  '{}' is not a valid choice\n", printable(answer)));
    }
    output_.print("\n");
  }

  // How many choices are to be taken again; none: the run is over. Then the next run may begin.
  std::optional<size_t> again() {
    if (!goes_back_) return std::nullopt;
    goes_back_ = false;
    again_ = taken_.size();
    before_ = std::exchange(taken_, {});
    return again_;
  }
  // The choices that are taken now were taken before.
  [[nodiscard]] bool repeats() const { return taken_.size() <= again_ && again_ > 0; }
  [[nodiscard]] bool has_repeated() const { return taken_.size() == again_; }

 private:
  std::optional<size_t> ask_for_one(ByteView state, std::span<const Choice> choices) {
    show(state, choices);
    std::string answer;
    while (ask(choices.size(), answer)) {
      if (answer == "q" || goes_back(answer)) return std::nullopt;
      if (answer == "s") {
        output_.print(state_text(model_, decode_state(model_, state), 4));
        continue;
      }
      if (answer.empty() && choices.size() == 1) return 0;
      size_t number = 0;
      const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), number);
      const bool all = stop == answer.data() + answer.size();
      if (error == std::errc() && all && number >= 1 && number <= choices.size()) return number - 1;
      output_.print(fmt::format("  '{}' is not a valid choice\n", printable(answer)));
    }
    output_.print("\n");
    return std::nullopt;
  }

  // "b", "b 3": forgets the last choices; more than there are: all.
  bool goes_back(const std::string& answer) {
    if (!answer.starts_with('b')) return false;
    const size_t digits = answer.find_first_not_of(' ', 1);
    size_t count = 1;
    if (digits != std::string::npos) {
      const auto [stop, error] = std::from_chars(answer.data() + digits, answer.data() + answer.size(), count);
      if (error != std::errc() || stop != answer.data() + answer.size()) return false;
    }
    taken_.resize(taken_.size() - std::min(count, taken_.size()));
    goes_back_ = true;
    return true;
  }

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
        const bool note = is_reason(error.kind);
        line += "  " + palette_.paint(note ? Tone::kDoubtful : Tone::kBad, note ? "note: " : "error: ");
        line += printable(error.message);
      }
      output_.print(line + '\n');
    }
  }

  bool ask(size_t count, std::string& answer) {
    const std::string range = count == 1 ? "1, or Enter" : fmt::format("1-{}", count);
    output_.print(fmt::format("which step ({}; b: back; s: show the state; q: quit)? ", range));
    std::fflush(stdout);
    return read(answer);
  }
  static bool read(std::string& answer) {
    if (!std::getline(std::cin, answer)) return false;
    const size_t first = answer.find_first_not_of(" \t\r");
    answer = first == std::string::npos ? "" : answer.substr(first, answer.find_last_not_of(" \t\r") - first + 1);
    return true;
  }

  const Model& model_;
  const Palette& palette_;
  Output& output_;
  std::vector<size_t> taken_;   // choices of this run
  std::vector<size_t> before_;  // those of the run before that are taken again
  size_t again_ = 0;            // how many
  bool goes_back_ = false;
};

// Makes the trace of the run, and finds out why it ends.
class RunFollower {
 public:
  // `keeps`: the last steps, for files.
  RunFollower(const Model& model, SuccessorGenerator& statements, bool keeps)
      : keeps_(keeps), recorder_(model), explainer_(model, statements) {}

  void start(ByteView state) {
    started_ = true;
    recorder_.start(state);
    trace_.initial = recorder_.state();
  }

  // `visit` is told of each basic step.
  void step(const SimulationStep& step, const std::function<void(const TraceStep&)>& visit) {
    const auto record = [&](const Step& basic, ByteView after, std::span<const RuntimeError> errors) {
      const RunStep run{++steps_, basic, step.before, after, errors};
      explainer_.step(run);
      TraceStep recorded = recorder_.record(run);
      visit(recorded);
      if (keeps_) keep(std::move(recorded));
    };
    for (const Step& inside : step.choice.inside) record(inside, step.before, {});
    record(step.choice.step, step.choice.after, step.choice.errors);
  }

  Explanation explain(const SimulationResult& result) {
    using Outcome = SimulationResult::Outcome;
    if (result.outcome == Outcome::kInvalidEnd) return explainer_.deadlock(result.state);
    return result.outcome == Outcome::kError ? explainer_.failure() : Explanation{};
  }

  Trace take(std::string outcome, const Explanation& explanation) {
    trace_.final_state = recorder_.state();
    trace_.outcome = std::move(outcome);
    trace_.explanation = explanation;
    return std::move(trace_);
  }

  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] const StateImage& state() const { return recorder_.state(); }

 private:
  void keep(TraceStep step) {
    trace_.steps.push_back(std::move(step));
    if (trace_.steps.size() < 2 * kMostFileSteps) return;
    const auto end = trace_.steps.begin() + static_cast<ptrdiff_t>(kMostFileSteps);
    for (auto each = trace_.steps.begin(); each != end; ++each) apply(*each, trace_.initial);
    trace_.steps.erase(trace_.steps.begin(), end);
    trace_.left_out += kMostFileSteps;
  }

  const bool keeps_;
  TraceRecorder recorder_;
  Explainer explainer_;
  Trace trace_;
  bool started_ = false;
  uint64_t steps_ = 0;
};

uint64_t seed_by_the_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) % 1'000'000;
}

struct Ending {
  int exit_code;
  Tone tone;
  std::string text;
  std::string steps;  // follows the text
};

Ending ending(const SimulationResult& result, bool was_interrupted) {
  using Outcome = SimulationResult::Outcome;
  const std::string after = fmt::format("after {}", plural(result.path.size(), "step"));
  const std::string steps = fmt::format(" ({})", after);
  switch (result.outcome) {
    case Outcome::kEnded:
      return {kExitHolds, Tone::kGood, "the run has ended: all processes are at valid ends", steps};
    case Outcome::kInvalidEnd: return {kExitViolated, Tone::kBad, "invalid end state: no process can move", steps};
    case Outcome::kError: {
      const std::string why = result.errors.empty() ? "there is no initial state" : result.errors.front().message;
      if (!result.errors.empty() && is_reason(result.errors.front().kind)) {
        return {kExitIncomplete, Tone::kDoubtful, "stopped: " + why, steps};
      }
      return {kExitViolated, Tone::kBad, "error: " + why, steps};
    }
    case Outcome::kMaxSteps: return {kExitHolds, Tone::kDoubtful, "stopped", fmt::format(" {} (--max-steps)", after)};
    case Outcome::kStopped: break;
  }
  if (was_interrupted) return {interrupted_exit_code(), Tone::kDoubtful, "interrupted", steps};
  return {kExitHolds, Tone::kDoubtful, "stopped", steps};
}

// What all runs of a command have in common.
struct Runs {
  const Session& session;
  const LoadedModel& loaded;
  const Palette& palette;
  SuccessorGenerator& generator;
  Menu& menu;
  uint64_t seed;
  bool json;
  bool quiet;
};

// The exit code; none: the user wants to go back, so it is to begin again.
std::optional<int> run_once(const Runs& runs) {
  const auto& [session, loaded, palette, generator, menu, seed, json, quiet] = runs;
  const Options& options = session.options;
  const Model& model = loaded.model;
  Output& output = session.output;
  TracePrinter printer(model, trace_options(options, true), palette,
                       [&](std::string_view text) { output.print(text); });
  RunFollower follower(model, generator, !trace_files(options).empty());
  std::atomic<bool> stop = false;
  SimulationOptions run;
  run.seed = seed;
  run.max_steps = options.simulate.max_steps;
  run.interrupt = &stop;
  run.on_start = [&](ByteView state) {
    follower.start(state);
    if (!quiet) printer.start(follower.state(), 0);
  };
  run.on_step = [&](const SimulationStep& step) {
    if (session.interrupted.load() || output.broken()) stop = true;
    follower.step(step, [&](const TraceStep& recorded) {
      if (!quiet) {
        printer.step(recorded, !menu.repeats());
      } else if (recorded.printed && !json) {
        output.print(*recorded.printed);
      }
    });
    if (options.simulate.interactive) printer.flush();
    if (menu.repeats() && menu.has_repeated()) output.print(fmt::format("  back at step {}\n", step.index + 1));
  };
  if (options.simulate.interactive)
    run.choose = [&](ByteView state, std::span<const Choice> choices) { return menu.choose(state, choices); };
  const SimulationResult result = simulate(generator, run);
  if (const std::optional<size_t> again = menu.again()) {
    if (*again == 0) output.print("  back at the start\n");
    return std::nullopt;
  }
  const Explanation explanation = follower.explain(result);
  if (!quiet && follower.started()) {
    printer.finish(follower.state());
    printer.explain(explanation);
  }
  const Ending end = ending(result, session.interrupted.load());
  if (!json && (!quiet || end.exit_code != kExitHolds))
    output.print(fmt::format("{}{}\n", palette.paint(end.tone, printable(end.text)), end.steps));
  if (options.simulate.interactive && result.outcome != SimulationResult::Outcome::kStopped) {
    menu.end();
    if (menu.again()) return std::nullopt;
  }
  if (!trace_files(options).empty()) {
    const Trace trace = follower.take(end.text + end.steps, explanation);
    const Trace* const shown = &trace;
    const Status written = write_trace_files(options, loaded, model, std::span(&shown, 1), output);
    if (!written.ok()) return refuse(written.error());
  }
  return end.exit_code;
}

}  // namespace

int run_simulate(const Session& session) {
  const Options& options = session.options;
  if (options.simulate.interactive && options.model == "-")
    return refuse("--interactive reads your choices from standard input, so the model must be a file");
  if (options.simulate.interactive && options.files.trace_json == "-")
    return refuse("--interactive shows its menu on standard output, so --json needs a file");
  const std::optional<LoadedModel> loaded = load_model(options);
  if (!loaded) return kExitUsage;
  const Model& model = loaded->model;
  Output& output = session.output;
  const Palette palette(wants_color(options.output.color, stdout));
  const bool json = options.files.trace_json == "-";
  const bool quiet = json || (options.output.verbosity == Verbosity::kQuiet && !options.simulate.interactive);

  if (const Status filter = check_step_filter(model, options.shown.only); !filter.ok()) return refuse(filter.error());
  const std::optional<Decider> decider = decider_for(session, model);
  if (!decider) return kExitUsage;
  const std::unique_ptr<SuccessorGenerator> generator =
      make_statement_generator(options.check, model, decider->get());
  const uint64_t seed = options.simulate.seed ? *options.simulate.seed : seed_by_the_clock();
  Menu menu(model, palette, output);
  if (!options.simulate.interactive && !quiet) {
    output.print(fmt::format("one random run of {} (--seed {} repeats it)\n\n", printable(loaded->file), seed));
  }
  const Runs runs = {session, *loaded, palette, *generator, menu, seed, json, quiet};
  for (;;) {
    if (const std::optional<int> exit_code = run_once(runs)) return *exit_code;
  }
}

}  // namespace cmc
