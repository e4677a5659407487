#include "checker/cli/error_traces.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/cli/trace_files.h"
#include "checker/properties/properties.h"
#include "checker/trace/counterexample.h"

namespace cmc {
namespace {

uint64_t kept_steps(const Options& options) {
  const uint64_t in_files = trace_files(options).empty() ? 1 : steps_in_files(options);
  const uint64_t in_text = options.verbosity == Verbosity::kQuiet || options.json == "-" ? 1 : options.trace_limit;
  return in_files == 0 || in_text == 0 ? 0 : std::max(in_files, in_text);
}

}  // namespace

std::vector<ErrorTrace> make_error_traces(const Session& session, const PropertyResult& property,
                                          GuardDecider* decider) {
  std::vector<ErrorTrace> traces;
  const Model& product = *property.product;
  const WatchedAtoms atoms = watched_atoms(product);
  const std::unique_ptr<SuccessorGenerator> referee = make_referee(product, decider);
  const FoundError* const shortest = shortest_counterexample(property.result);
  for (const FoundError& error : property.result.errors) {
    if (!error.has_path) continue;
    Result<Trace> made = make_trace(product, error, *referee, kept_steps(session.options), atoms);
    CHECK(made.ok());  // the path was verified before
    Trace trace = std::move(made).value();
    trace.property = property.entry.name;
    trace.fairness = property.fairness;
    traces.push_back({&property, &error, &error == shortest, std::move(trace)});
  }
  return traces;
}

void explain_errors(const std::vector<PropertyResult>& results, const std::vector<ErrorTrace>& traces,
                    Report& report) {
  size_t index = 0;
  for (const PropertyResult& property : results) {
    for (const FoundError& error : property.result.errors) {
      const auto found = std::ranges::find(traces, &error, &ErrorTrace::error);
      if (found != traces.end()) report.errors.at(index).explanation = found->trace.explanation;
      ++index;
    }
  }
}

std::vector<const Trace*> shortest_first(const std::vector<ErrorTrace>& traces) {
  std::vector<const Trace*> sorted;
  for (const bool shortest : {true, false}) {
    for (const ErrorTrace& each : traces) {
      if (each.shortest == shortest) sorted.push_back(&each.trace);
    }
  }
  return sorted;
}

TraceOptions trace_options(const Options& options, bool show_printed) {
  TraceOptions shown;
  shown.style = options.trace;
  shown.show_printed = show_printed;
  shown.fold = options.fold;
  shown.only = options.only;
  shown.width = options.width_given ? options.width : is_terminal(stdout) ? terminal_columns() : 0;
  return shown;
}

void print_error_trace(const Session& session, const ErrorTrace& each, bool named) {
  const Options& options = session.options;
  const Palette palette(wants_color(options.color, stdout));
  session.output.print(fmt::format(
      "{} {}:\n\n",
      palette.paint(Tone::kStrong,
                    named ? fmt::format("counterexample of {}:", printable(each.trace.property)) : "counterexample:"),
      counterexample_title(*each.error, each.trace.fairness)));
  TracePrinter printer(*each.property->product, trace_options(options, false), palette,
                       [&](std::string_view text) { session.output.print(text); });
  print_trace(each.trace, printer, options.trace, options.trace_limit);
}

}  // namespace cmc
