#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/cli/options/options.h"
#include "checker/cli/output.h"
#include "checker/trace/trace.h"

// The files that show traces: one table of formats, which check, replay and simulate share.

namespace cmc {

// Of longer traces, files have the last so many steps unless --trace-limit says otherwise.
inline constexpr uint64_t kMostFileSteps = 100'000;

struct TraceFile {
  const char* option;  // "--html"
  std::string path;    // "-": standard output, for JSON only
};
// Those that are asked for.
[[nodiscard]] std::vector<TraceFile> trace_files(const Options& options);

// How many of the last steps they have, if there are so many traces: fewer than kMostFileSteps where the memory limit
// leaves no room for more. 0: all.
[[nodiscard]] uint64_t steps_in_files(const Options& options, size_t traces);

// Writes them, or prints the one that goes to standard output. A format that shows one trace shows the first.
// `model` is the one whose places and names the traces have. Without a trace nothing is written.
[[nodiscard]] Status write_trace_files(const Options& options, const LoadedModel& loaded, const Model& model,
                                       std::span<const Trace* const> traces, Output& output);

}  // namespace cmc
