#include "checker/cli/error_traces.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/cli/trace_files.h"
#include "checker/properties/properties.h"
#include "checker/trace/counterexample.h"

namespace cmc {
namespace {

constexpr uint64_t kShownSteps = 200;  // of a counterexample

}  // namespace

uint64_t kept_steps(const Options& options, size_t traces) {
  const uint64_t in_files = trace_files(options).empty() ? 1 : steps_in_files(options, traces);
  const uint64_t in_text = options.output.verbosity == Verbosity::kQuiet || options.output.json == "-"
                               ? 1
                               : options.shown.limit.value_or(kShownSteps);
  return in_files == 0 || in_text == 0 ? 0 : std::max(in_files, in_text);
}

std::vector<Violation> numbered_violations(std::span<const PropertyResult> results) {
  std::vector<Violation> violations;
  for (const bool shortest : {true, false}) {
    for (const PropertyResult& property : results) {
      const FoundError* const first = shortest_counterexample(property.result);
      for (const FoundError& error : property.result.errors) {
        if (error.has_path && (&error == first) == shortest) violations.push_back({&property, &error});
      }
    }
  }
  return violations;
}

std::vector<ErrorTrace> make_error_traces(std::span<const Violation> violations, uint64_t steps,
                                          GuardDecider* decider) {
  std::vector<ErrorTrace> traces;
  for (const Violation& violation : violations) {
    const PropertyResult& property = *violation.property;
    if (property.product == nullptr) continue;
    const Model& product = *property.product;
    const std::unique_ptr<SuccessorGenerator> referee = make_referee(product, decider);
    Result<Trace> made = make_trace(product, *violation.error, *referee, steps, watched_atoms(product));
    CHECK(made.ok());  // the path was verified before
    Trace trace = std::move(made).value();
    trace.property = property.entry.name;
    trace.fairness = property.fairness;
    traces.push_back({violation, std::move(trace)});
  }
  return traces;
}

void explain_errors(const std::vector<PropertyResult>& results, const std::vector<ErrorTrace>& traces,
                    Report& report) {
  size_t index = 0;
  for (const PropertyResult& property : results) {
    for (const FoundError& error : property.result.errors) {
      const auto is_it = [&](const ErrorTrace& each) { return each.violation.error == &error; };
      const auto found = std::ranges::find_if(traces, is_it);
      Report::ErrorEntry& entry = report.errors.at(index++);
      if (found == traces.end()) continue;
      entry.explanation = found->trace.explanation;
      entry.counterexample = static_cast<uint64_t>(found - traces.begin()) + 1;
    }
  }
}

std::vector<const Trace*> traces_of(const std::vector<ErrorTrace>& traces) {
  std::vector<const Trace*> all;
  for (const ErrorTrace& each : traces) all.push_back(&each.trace);
  return all;
}

TraceOptions trace_options(const Options& options, bool show_printed) {
  TraceOptions shown;
  shown.style = options.shown.style;
  shown.show_printed = show_printed;
  shown.fold = options.shown.fold;
  shown.only = options.shown.only;
  shown.width = options.shown.width.value_or(is_terminal(stdout) ? terminal_columns() : 0);
  return shown;
}

void print_error_traces(const Session& session, std::span<const ErrorTrace> traces, bool named) {
  const Options& options = session.options;
  const Palette palette(wants_color(options.output.color, stdout));
  for (size_t i = 0; i < traces.size(); ++i) {
    const ErrorTrace& each = traces[i];
    const std::string number = traces.size() > 1 ? fmt::format(" {} of {}", i + 1, traces.size()) : "";
    const std::string property = named ? fmt::format(" of {}:", printable(each.trace.property)) : "";
    const std::string head = fmt::format("counterexample{}{}{}", number, property, named ? "" : ":");
    session.output.print(fmt::format("{} {}:\n\n", palette.paint(Tone::kStrong, head),
                                     counterexample_title(*each.violation.error, each.trace.fairness)));
    TracePrinter printer(*each.violation.property->product, trace_options(options, false), palette,
                         [&](std::string_view text) { session.output.print(text); });
    print_trace(each.trace, printer, options.shown.style, options.shown.limit.value_or(kShownSteps));
  }
}

}  // namespace cmc
