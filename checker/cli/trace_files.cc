#include "checker/cli/trace_files.h"

#include <algorithm>

#include "base/files/file.h"
#include "base/process_memory.h"
#include "checker/trace/views/itf.h"
#include "checker/trace/views/lanes.h"
#include "checker/trace/views/trace_json.h"

namespace cmc {
namespace {

// Of a trace and the text of a file. Measured: 3,400, of processes with two variables.
constexpr uint64_t kStepBytes = 4096;
constexpr uint64_t kLeastFileSteps = 200;

struct Shown {
  const LoadedModel& loaded;
  const Model& model;
  std::span<const Trace* const> traces;

  [[nodiscard]] TraceSource source() const { return {loaded.file, loaded.sha1}; }
};

struct Format {
  const char* option;
  std::string FileOptions::*path;
  std::string (*render)(const Shown& shown);
};

constexpr Format kFormats[] = {
    {"--trace-json", &FileOptions::trace_json,
     [](const Shown& shown) { return trace_json(shown.model, shown.traces, shown.source()); }},
    {"--html", &FileOptions::html,
     [](const Shown& shown) {
       return trace_page(shown.model, shown.traces, shown.source(), source_texts(shown.loaded));
     }},
    {"--svg", &FileOptions::svg, [](const Shown& shown) { return svg_chart(*shown.traces.front()); }},
    {"--mermaid", &FileOptions::mermaid, [](const Shown& shown) { return mermaid_chart(*shown.traces.front()); }},
    {"--itf", &FileOptions::itf, [](const Shown& shown) { return itf_trace(*shown.traces.front(), shown.source()); }},
};

}  // namespace

std::vector<TraceFile> trace_files(const Options& options) {
  std::vector<TraceFile> files;
  for (const Format& format : kFormats) {
    if (!(options.files.*format.path).empty()) files.push_back({format.option, options.files.*format.path});
  }
  return files;
}

uint64_t steps_in_files(const Options& options, size_t traces) {
  if (options.shown.limit) return *options.shown.limit;
  release_freed();
  const uint64_t limit = search_options(options.check).memory_limit_bytes;
  const uint64_t room = limit - std::min(limit, resident_bytes());
  return std::clamp(room / kStepBytes / std::max<uint64_t>(1, traces), kLeastFileSteps, kMostFileSteps);
}

Status write_trace_files(const Options& options, const LoadedModel& loaded, const Model& model,
                         std::span<const Trace* const> traces, Output& output) {
  Status all = Success{};
  if (traces.empty()) return all;
  for (const Format& format : kFormats) {
    const std::string& path = options.files.*format.path;
    if (path.empty()) continue;
    const std::string text = format.render({loaded, model, traces});
    if (path == "-") {
      output.print(text);
    } else if (const Status written = write_file_atomically(path, text); !written.ok() && all.ok()) {
      all = written;
    }
  }
  return all;
}

}  // namespace cmc
