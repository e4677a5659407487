#pragma once

#include <vector>

#include "checker/cli/commands.h"
#include "checker/properties/decide.h"
#include "checker/report/report.h"
#include "checker/trace/trace.h"
#include "checker/trace/trace_printer.h"

namespace cmc {

// A counterexample of a check.
struct ErrorTrace {
  const PropertyResult* property = nullptr;
  const FoundError* error = nullptr;
  bool shortest = false;  // of those of its property that were kept: the one that is printed
  Trace trace;
};

// Of every error of a property that has a path, in the order of the report's errors. How many steps are kept depends
// on what the options ask for. They refer to `property`.
[[nodiscard]] std::vector<ErrorTrace> make_error_traces(const Session& session, const PropertyResult& property,
                                                        GuardDecider* decider);

// Tells the report's errors their explanations. REQUIRES: both were made of the same results.
void explain_errors(const std::vector<PropertyResult>& results, const std::vector<ErrorTrace>& traces,
                    Report& report);

// Those that are printed, then the others.
[[nodiscard]] std::vector<const Trace*> shortest_first(const std::vector<ErrorTrace>& traces);

// Prints one with its title. `named`: the title says of which property it is.
void print_error_trace(const Session& session, const ErrorTrace& each, bool named);

// How --trace, --only and the like have steps shown on standard output.
[[nodiscard]] TraceOptions trace_options(const Options& options, bool show_printed);

}  // namespace cmc
