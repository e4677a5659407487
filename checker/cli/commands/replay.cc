#include "checker/result/replay.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/error_traces.h"
#include "checker/cli/output_files.h"
#include "checker/cli/trace_files.h"
#include "checker/properties/properties.h"
#include "checker/report/style/style.h"
#include "checker/spin/trail.h"
#include "checker/trace/counterexample.h"
#include "checker/trace/trail.h"

namespace cmc {
namespace {

// The options of the check, as the trail has them, unless the user gave his own.
Options with_options_of(const Trail& trail, Options options) {
  add_options(trail, options.reading);
  if (trail.error.kind == runtime_error_name(RuntimeErrorKind::kOverflow) && !options.overflow) {
    options.overflow = Overflow::kError;
  }
  return options;
}

// Error: the text is no trail of CMC.
Result<Trail> read_trail(const std::string& text, const Options& options) {
  Result<Trail> trail = parse_trail(text);
  const Result<spin::Trail> of_spin = spin::parse_trail(text);
  const bool is_of_spin = !trail.ok() && of_spin.ok() && !of_spin.value().lines.empty();
  if (!is_of_spin) return trail;
  return Error{fmt::format("this is a trail of SPIN; `cmc spin -k {} -p {}` follows it",
                           printable(options.files.trail), printable(options.model))};
}

// The first step whose statement has another text than when the trail was written; empty: there is none. It tells of
// changes in included files and macros, too, which the hash of the model's file does not.
std::string changed_step(const Model& product, const Trail& trail, const FoundError& error,
                         SuccessorGenerator& generator) {
  std::string change;
  uint64_t number = 0;
  const auto compare = [&](const ReplayEvent& event) {
    if (event.step.pid == kNoProcess) return;
    ++number;
    const std::string& then = trail.text_of(event.index).actor.text;
    const std::string now = valid_utf8(describe_step(product, event.before, event.step).actor.text);  // as it is kept
    if (!change.empty() || then.empty() || then == now) return;
    change = fmt::format("step {} was `{}` when the trail was written, and is `{}` now", number, printable(then),
                         printable(now));
  };
  // A path that cannot be followed is refused later.
  (void)replay_path(generator, error.path, compare).ok();
  return change;
}

// What a replay is about.
struct Subject {
  const Session& session;
  const Options& options;  // those of the session, with those of the trail
  const LoadedModel& loaded;
  const Model& product;
  const Trail& trail;
};

// Error: the path is none of the model.
Status show(const Subject& subject, const FoundError& error, SuccessorGenerator& generator) {
  const Options& options = subject.options;
  const uint64_t shown_last = options.shown.limit.value_or(0);
  const Palette palette(wants_color(options.output.color, stdout));
  TracePrinter printer(subject.product, trace_options(options, true), palette,
                       [&](std::string_view line) { subject.session.output.print(line); });
  CounterexamplePrinter listener(printer, options.shown.style);
  const bool quiet = options.output.verbosity == Verbosity::kQuiet || options.files.trace_json == "-";
  const Result<TraceEnd> end = follow_counterexample(subject.product, error, generator, shown_last,
                                                     watched_atoms(subject.product), quiet ? nullptr : &listener);
  if (!end.ok()) {
    printer.flush();
    return Error{end.error()};
  }
  if (!quiet) listener.finish(end.value());
  return Success{};
}

// The files, of a path that was shown before.
Status write_trace(const Subject& subject, const FoundError& error, SuccessorGenerator& generator) {
  CMC_TRY(Trace trace, make_trace(subject.product, error, generator, steps_in_files(subject.options, 1),
                                  watched_atoms(subject.product)));
  trace.property = subject.trail.error.property;
  trace.fairness = subject.trail.fairness;
  trace.error.file = subject.trail.error.file;
  trace.error.line = subject.trail.error.line;
  const Trace* const shown = &trace;
  return write_trace_files(subject.options, subject.loaded, subject.product, std::span(&shown, 1),
                           subject.session.output);
}

}  // namespace

int run_replay(const Session& session) {
  // The trail: untrusted text, from here on well-formed.
  const auto refuse_trail = [&](const std::string& message) {
    return refuse(fmt::format("{}: {}", session.options.files.trail, message));
  };
  const Result<std::string> text = read_file(session.options.files.trail, kMostTrailBytes);
  if (!text.ok()) return refuse(text.error());
  const Result<Trail> read = read_trail(text.value(), session.options);
  if (!read.ok()) return refuse_trail(read.error());
  const Trail& trail = read.value();

  // The model that it belongs to.
  const Options options = with_options_of(trail, session.options);
  const std::optional<LoadedModel> loaded = load_model({options, session.output, session.interrupted});
  if (!loaded) return kExitUsage;
  if (loaded->sha1 != trail.model_sha1) {
    const auto name_of = [](const std::string& path) { return std::filesystem::path(path).filename(); };
    complain(name_of(loaded->file) == name_of(trail.model_file)
                 ? fmt::format("warning: {} has changed since the trail was written", loaded->file)
                 : fmt::format("warning: the trail was written for {}", printable(trail.model_file)));
  }

  const std::vector<PropertyEntry> entries = properties_of(loaded->model);
  auto entry = std::ranges::find_if(
      entries, [&](const PropertyEntry& each) { return full_name(each, entries) == trail.error.property; });
  if (entry == entries.end()) entry = std::ranges::find(entries, trail.error.property, &PropertyEntry::name);
  if (entry == entries.end()) {
    return refuse_trail(fmt::format("the model has no property '{}'", printable(trail.error.property)));
  }
  const bool has_error = trail.error.kind != kNoError;
  const std::optional<ErrorKind> kind = has_error ? parse_error_kind(trail.error.kind) : ErrorKind();
  if (!kind) return refuse_trail(fmt::format("its error is of the unknown kind '{}'", printable(trail.error.kind)));
  FoundError error{*kind, trail.error.message, {}, trail.error.depth, {}, true};
  error.loop_start = trail.loop_start;
  error.path = trail.path();

  // The replay: each step is checked before it is shown.
  for (const Status& ready : {check_step_filter(loaded->model, options.shown.only),
                              check_outputs_against(options, std::span(&options.files.trail, 1))}) {
    if (ready.ok()) continue;
    return refuse(ready.error());
  }
  const std::optional<Decider> decider = decider_for(session, loaded->model);
  if (!decider) return kExitUsage;
  const Result<Model> product = make_product(loaded->model, *entry);
  if (!product.ok()) return refuse_trail(product.error());
  const std::unique_ptr<SuccessorGenerator> generator =
      make_path_generator(options.check, product.value(), decider->get());
  const std::string change = changed_step(product.value(), trail, error, *generator);
  if (!change.empty()) complain("warning: the model has changed: " + change);
  if (const Status shown = show({session, options, *loaded, product.value(), trail}, error, *generator);
      !shown.ok()) {
    return refuse_trail(fmt::format("the trail does not fit this model: {}", shown.error()));
  }
  const std::string steps = plural(describe_counterexample(error).steps, "step");
  if (has_error && !verify_error(error, *generator, {&product.value(), trail.fairness}).empty()) {
    return refuse_trail(fmt::format("the trail fits this model, but after {} there is no error \"{}\"", steps,
                                    printable(trail.error.message)));
  }
  if (!trace_files(options).empty()) {
    const Status written = write_trace({session, options, *loaded, product.value(), trail}, error, *generator);
    if (!written.ok()) return refuse(written.error());
  }
  if (options.files.trace_json != "-") {
    const Palette palette(wants_color(options.output.color, stdout));
    const std::string ended = has_error ? palette.paint(Tone::kBad, "reproduced:") : "followed:";
    session.output.print(fmt::format("{} {} (after {})\n", ended, printable(trail.error.message), steps));
  }
  return has_error ? kExitViolated : kExitHolds;
}

}  // namespace cmc
