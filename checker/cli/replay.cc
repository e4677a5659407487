#include "checker/search/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "checker/cli/commands.h"
#include "checker/report/trace_printer.h"
#include "checker/report/trail.h"

namespace cmc {
namespace {

// The options of the check, as the trail has them, unless the user gave his own.
Options with_options_of(const Trail& trail, Options options) {
  const bool own = !options.preprocessor.commands.empty() || !options.preprocessor.include_directories.empty();
  if (!own) {
    for (const std::string& argument : trail.preprocessor) {
      const std::string text = argument.substr(std::min<size_t>(2, argument.size()));
      if (argument.starts_with("-I")) {
        options.preprocessor.include_directories.push_back(text);
      } else if (argument.starts_with("-D") || argument.starts_with("-U")) {
        options.preprocessor.commands.push_back({argument[1] == 'U', text});
      }
    }
  }
  options.escapes_like_java |= trail.escapes_like_java;
  return options;
}

}  // namespace

int run_replay(const Session& session) {
  // The trail: untrusted text, from here on well-formed.
  const auto refuse = [&](const std::string& message) {
    complain(fmt::format("{}: {}", session.options.trail, message));
    return kExitUsage;
  };
  const Result<std::string> text = read_file(session.options.trail);
  if (!text.ok()) {
    complain(text.error());
    return kExitUsage;
  }
  const Result<Trail> read = parse_trail(text.value());
  if (!read.ok()) return refuse(read.error());
  const Trail& trail = read.value();

  // The model that it belongs to.
  const Options options = with_options_of(trail, session.options);
  const std::optional<LoadedModel> loaded = load_model(options);
  if (!loaded) return kExitUsage;
  if (loaded->sha1 != trail.model_sha1) {
    complain(fmt::format("warning: {} is not the text that the trail was made from; it may not fit", loaded->file));
  }

  // The replay: each step is checked before it is shown.
  std::vector<Step> path;
  for (const Trail::Entry& entry : trail.path) path.push_back(entry.step);
  Output& output = session.output;
  const Palette palette(wants_color(options.color, stdout));
  const uint64_t shown = options.trace_limit_given ? options.trace_limit : 0;
  TracePrinter printer(loaded->model, {options.trace, shown, path.size(), true}, palette,
                       [&](std::string_view line) { output.print(line); });
  const bool quiet = options.verbosity == Verbosity::kQuiet;
  const Decider decider = make_decider(session, loaded->model);
  if (!decider.ok) return kExitUsage;
  const std::unique_ptr<SuccessorGenerator> generator =
      make_statement_generator(options, loaded->model, decider.get());
  const Result<ReplayEnd> end = replay_path(*generator, path, [&](const ReplayEvent& event) {
    if (!quiet) printer.step({event.index, event.step, event.before, event.after, event.errors});
  });
  if (!end.ok()) {
    printer.flush();
    return refuse(fmt::format("the trail does not fit this model: {}", end.error()));
  }
  if (!quiet) printer.finish(end.value().state);
  const std::optional<ErrorKind> kind = parse_error_kind(trail.error.kind);
  if (!kind) return refuse(fmt::format("its error is of the unknown kind '{}'", printable(trail.error.kind)));
  const FoundError error{*kind, trail.error.message, {}, trail.error.depth, path, true};
  if (!verify_error(error, *generator).empty()) {
    return refuse(fmt::format("all {} could be taken, but they do not end in the error \"{}\"",
                              plural(path.size(), "step"), printable(trail.error.message)));
  }
  output.print(fmt::format("{} {} (after {})\n", palette.paint(Tone::kBad, "reproduced:"),
                           printable(trail.error.message), plural(path.size(), "step")));
  return kExitViolated;
}

}  // namespace cmc
