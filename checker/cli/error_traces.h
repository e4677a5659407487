#pragma once

#include <span>
#include <vector>

#include "checker/cli/commands.h"
#include "checker/properties/decide.h"
#include "checker/report/report.h"
#include "checker/trace/trace.h"
#include "checker/trace/trace_printer.h"

namespace cmc {

// An error, and the property that it violates.
struct Violation {
  const PropertyResult* property = nullptr;
  const FoundError* error = nullptr;
};

// Of the errors that have a path the shortest one of each property, in the order of these; then the others. So they
// are numbered, from 1.
[[nodiscard]] std::vector<Violation> numbered_violations(std::span<const PropertyResult> results);

// A counterexample of a check.
struct ErrorTrace {
  Violation violation;
  Trace trace;
};

// How many of the last steps of so many traces the options ask for; 0: all.
[[nodiscard]] uint64_t kept_steps(const Options& options, size_t traces);

// In the order of their numbers, each with the last `steps` steps (0: all).
[[nodiscard]] std::vector<ErrorTrace> make_error_traces(std::span<const Violation> violations, uint64_t steps,
                                                        GuardDecider* decider);

// Tells the report's errors their explanations and their numbers. REQUIRES: both were made of the same results.
void explain_errors(const std::vector<PropertyResult>& results, const std::vector<ErrorTrace>& traces,
                    Report& report);

[[nodiscard]] std::vector<const Trace*> traces_of(const std::vector<ErrorTrace>& traces);

// Prints all with their titles. `named`: the titles say of which property they are.
void print_error_traces(const Session& session, std::span<const ErrorTrace> traces, bool named);

// How --trace, --only and the like have steps shown on standard output.
[[nodiscard]] TraceOptions trace_options(const Options& options, bool show_printed);

}  // namespace cmc
