#include "checker/cli/result_files.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files/file.h"
#include "checker/cli/output_files.h"
#include "checker/cli/trace_files.h"
#include "checker/report/logs/search_log.h"
#include "checker/report/report.h"

namespace cmc {
namespace {

constexpr size_t kHeadBytes = 4096;

// One of these is near the beginning of each file that an earlier run left.
constexpr std::string_view kMarks[] = {
    "\"schema\": \"cmc.",                             // JSON results and trails
    "\"schema\":\"cmc.",                              // --trace-json
    "style-src 'unsafe-inline'; script-src 'unsafe",  // --html
    "font:12px ui-monospace,'DejaVu Sans Mono'",      // --svg
    "sequenceDiagram\n    participant p",             // --mermaid
    "made by cmc ",                                   // --itf
};

// A file of somebody else stays until there is a result to be written over it.
void remove_earlier_result(const std::string& path) {
  if (!is_special_file(path) && is_written_by_cmc(path)) remove_output(path);
}

}  // namespace

bool is_written_by_cmc(const std::string& path) {
  std::ifstream file(path);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return std::ranges::any_of(kMarks, [&](std::string_view mark) { return head.find(mark) != std::string::npos; });
}

ResultFiles::~ResultFiles() {
  if (log_runs_) remove_output(options_.files.log);
  if (json_runs_) remove_output(options_.output.json);
}

void ResultFiles::forget() const {
  for (const OutputFile& file : output_files(options_)) {
    if (file.path != options_.output.json) remove_earlier_result(file.path);
  }
}

Status ResultFiles::begin(const LoadedModel& model) {
  const std::string begun = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC by process {}", fmt::gmtime(std::time(nullptr)),
                                        static_cast<long>(::getpid()));
  if (!options_.files.log.empty()) {
    CMC_TRY(TimeSeriesWriter opened, TimeSeriesWriter::open(options_.files.log + kSeriesSuffix));
    series_.emplace(std::move(opened));
    if (!is_special_file(options_.files.log)) {
      if (Status written = write_file_atomically(options_.files.log, running_log(begun)); !written.ok())
        return written;
      log_runs_ = true;
    }
  }
  if (!options_.files.trail.empty()) {
    remove_earlier_result(options_.files.trail);
    for (size_t number = 2; is_written_by_cmc(numbered_file(options_.files.trail, number)); ++number)
      remove_output(numbered_file(options_.files.trail, number));
  }
  for (const TraceFile& file : trace_files(options_)) {
    if (file.path != kStandardOutput) remove_earlier_result(file.path);
  }
  if (!options_.output.json.empty() && options_.output.json != kStandardOutput &&
      !is_special_file(options_.output.json)) {
    if (Status written = write_file_atomically(options_.output.json, running_json(model.file, model.sha1, begun));
        !written.ok()) {
      return written;
    }
    json_runs_ = true;
  }
  return Success{};
}

Status ResultFiles::write_log(const std::string& text) {
  Status written = write_file_atomically(options_.files.log, text);
  if (written.ok()) log_runs_ = false;
  return written;
}

Status ResultFiles::write_json(const std::string& text) {
  Status written = write_file_atomically(options_.output.json, text);
  if (written.ok()) json_runs_ = false;
  return written;
}

Status ResultFiles::write_trail(const std::string& text, size_t number) {
  const std::string path = numbered_file(options_.files.trail, number);
  if (number > 1 && std::filesystem::exists(path) && !is_written_by_cmc(path))
    return Error{fmt::format("'{}' is not written over: it is no trail", path)};
  return write_file_atomically(path, text);
}

}  // namespace cmc
