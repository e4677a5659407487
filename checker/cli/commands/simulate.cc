#include <chrono>
#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/signals.h"
#include "checker/cli/trace_files.h"
#include "checker/session/console.h"
#include "checker/trace/trace_printer.h"

namespace cmc {
namespace {

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

// A run on the terminal.
class Simulation {
 public:
  Simulation(const Session& session, const LoadedModel& loaded, SuccessorGenerator& statements, GuardDecider* decider,
             uint64_t seed)
      : session_(session),
        options_(session.options),
        output_(session.output),
        loaded_(loaded),
        palette_(wants_color(options_.output.color, stdout)),
        is_json_(options_.files.trace_json == "-"),
        is_quiet_(is_json_ || (options_.output.verbosity == Verbosity::kQuiet && !options_.simulate.interactive)),
        run_(loaded, statements, decider),
        breakpoints_(run_),
        random_(seed),
        console_(
            run_, breakpoints_, random_, [this] { show_choice(); }, session.interrupted) {}

  int run() {
    start_printer();
    if (!is_quiet_ && !run_.state().empty()) printer_->start(decode_state(loaded_.model, run_.state()), 0);
    if (options_.simulate.interactive) {
      walk();
    } else {
      while (!is_over() && run_.plan(random_)) {
        run_.forward();
        show_choice();
      }
    }
    return finish();
  }

 private:
  [[nodiscard]] bool is_over() const {
    const uint64_t most = options_.simulate.max_steps;
    return run_.end() != session::Session::End::kNone || (most > 0 && run_.position() >= most) ||
           session_.interrupted.load() || output_.broken();
  }

  void start_printer() {
    printer_.emplace(loaded_.model, trace_options(options_, true), palette_,
                     [this](std::string_view text) { output_.print(text); });
  }

  void show_choice() {
    if (is_json_) return;
    for (const TraceStep& step : run_.last_steps()) {
      if (!is_quiet_) {
        printer_->step(step);
      } else if (step.printed) {
        output_.print(*step.printed);
      }
    }
    if (options_.simulate.interactive) printer_->flush();
  }

  // A menu on standard output, the answers from standard input.
  void walk() {
    std::string answer;
    for (bool asks_once_more = true; asks_once_more && !session_.interrupted.load() && !output_.broken();) {
      if (is_over() && !has_shown_end_) show_end();
      show_menu();
      if (!std::getline(std::cin, answer)) {
        output_.print("\n");
        return;
      }
      while (!answer.empty() && (answer.back() == ' ' || answer.back() == '\r')) answer.pop_back();
      asks_once_more = obey(answer);
    }
  }

  // False: the user has enough.
  bool obey(const std::string& answer) {
    if (answer == "q" || (answer.empty() && is_over())) return false;
    const bool is_only_one = answer.empty() && run_.choices().size() == 1;
    const uint64_t before = run_.position();
    const session::Console::Answer done = console_.execute(is_only_one ? "1" : answer);
    output_.print(done.is_known ? done.text : fmt::format("  '{}' is not a valid choice\n", printable(answer)));
    if (run_.position() != before) has_shown_end_ = false;
    if (run_.position() < before) {
      start_printer();
      printer_->start(decode_state(loaded_.model, run_.state()), 0);
    }
    return true;
  }

  void show_menu() {
    if (is_over()) {
      output_.print(palette_.paint(Tone::kDoubtful, "b: back; b N: N choices back; Enter: quit? "));
    } else {
      const std::span<const Choice> choices = run_.choices();
      for (size_t i = 0; i < choices.size(); ++i) output_.print(choice_line(i + 1, choices[i]));
      const std::string range = choices.size() == 1 ? "1, or Enter" : fmt::format("1-{}", choices.size());
      output_.print(fmt::format("which step ({}; b: back; s: show the state; h: help; q: quit)? ", range));
    }
    std::fflush(stdout);
  }

  [[nodiscard]] std::string choice_line(size_t number, const Choice& choice) const {
    const StepText text = describe_step(loaded_.model, run_.state(), choice.step);
    std::string line =
        fmt::format("  {:>3}) {} {}:{} {}", number, palette_.paint(Tone::kProcess, process_label(text.actor)),
                    printable(text.actor.file), text.actor.line, printable(text.actor.text));
    if (text.partner) {
      line += fmt::format("  =>  {} {}", palette_.paint(Tone::kProcess, process_label(*text.partner)),
                          printable(text.partner->text));
    }
    for (const RuntimeError& error : choice.errors) {
      const bool note = is_reason(error.kind);
      line += "  " + palette_.paint(note ? Tone::kDoubtful : Tone::kBad, note ? "note: " : "error: ");
      line += printable(error.message);
    }
    return line + '\n';
  }

  [[nodiscard]] Ending ending() const {
    using End = session::Session::End;
    const std::string after = fmt::format("after {}", plural(run_.steps(), "step"));
    const std::string steps = fmt::format(" ({})", after);
    switch (run_.end()) {
      case End::kEnded: return {kExitHolds, Tone::kGood, run_.end_text(), steps};
      case End::kInvalidEnd: return {kExitViolated, Tone::kBad, run_.end_text(), steps};
      case End::kError:
        if (run_.end_text().starts_with("error:")) return {kExitViolated, Tone::kBad, run_.end_text(), steps};
        return {kExitIncomplete, Tone::kDoubtful, run_.end_text(), steps};
      case End::kNone: break;
    }
    if (session_.interrupted.load()) return {interrupted_exit_code(), Tone::kDoubtful, "interrupted", steps};
    if (options_.simulate.max_steps > 0 && run_.position() >= options_.simulate.max_steps)
      return {kExitHolds, Tone::kDoubtful, "stopped", fmt::format(" {} (--max-steps)", after)};
    return {kExitHolds, Tone::kDoubtful, "stopped", steps};
  }

  void show_end() {
    has_shown_end_ = true;
    const Ending end = ending();
    if (!is_quiet_ && !run_.state().empty()) {
      printer_->finish(decode_state(loaded_.model, run_.state()));
      printer_->explain(run_.explain());
    }
    if (!is_json_ && (!is_quiet_ || end.exit_code != kExitHolds))
      output_.print(fmt::format("{}{}\n", palette_.paint(end.tone, printable(end.text)), end.steps));
  }

  int finish() {
    if (!has_shown_end_) show_end();
    const Ending end = ending();
    if (trace_files(options_).empty()) return end.exit_code;
    Trace trace = run_.trace(kMostFileSteps);
    trace.outcome = end.text + end.steps;
    trace.explanation = run_.explain();
    const Trace* const shown = &trace;
    const Status written = write_trace_files(options_, loaded_, loaded_.model, std::span(&shown, 1), output_);
    return written.ok() ? end.exit_code : refuse(written.error());
  }

  const Session& session_;
  const Options& options_;
  Output& output_;
  const LoadedModel& loaded_;
  const Palette palette_;
  const bool is_json_;
  const bool is_quiet_;
  session::Session run_;
  session::Breakpoints breakpoints_;
  session::Random random_;
  session::Console console_;
  std::optional<TracePrinter> printer_;
  bool has_shown_end_ = false;
};

}  // namespace

int run_simulate(const Session& session) {
  const Options& options = session.options;
  if (options.simulate.interactive && options.model == "-")
    return refuse("--interactive reads your choices from standard input, so the model must be a file");
  if (options.simulate.interactive && options.files.trace_json == "-")
    return refuse("--interactive shows its menu on standard output, so --json needs a file");
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  const Model& model = loaded->model;
  if (const Status filter = check_step_filter(model, options.shown.only); !filter.ok()) return refuse(filter.error());
  const std::optional<Decider> decider = decider_for(session, model);
  if (!decider) return kExitUsage;
  const std::unique_ptr<SuccessorGenerator> statements =
      make_statement_generator(options.check, model, decider->get());
  const uint64_t seed = options.simulate.seed ? *options.simulate.seed : seed_by_the_clock();
  const bool says_seed = options.output.verbosity != Verbosity::kQuiet && options.files.trace_json != "-";
  if (!options.simulate.interactive && says_seed) {
    session.output.print(
        fmt::format("one random run of {} (--seed {} repeats it)\n\n", printable(loaded->file), seed));
  }
  return Simulation(session, *loaded, *statements, decider->get(), seed).run();
}

}  // namespace cmc
