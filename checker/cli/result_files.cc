#include "checker/cli/result_files.h"

#include <ctime>
#include <fstream>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "checker/cli/output_files.h"
#include "checker/cli/trace_files.h"
#include "checker/report/report.h"
#include "checker/report/search_log.h"

namespace cmc {
namespace {

constexpr std::string_view kHead = "{\n  \"schema\": \"cmc.";

// JSON results and trails begin so.
bool is_written_by_cmc(const std::string& path) {
  std::ifstream file(path);
  std::string head(kHead.size(), '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == kHead;
}

}  // namespace

ResultFiles::~ResultFiles() {
  if (log_runs_) remove_output(options_.log);
  if (json_runs_) remove_output(options_.json);
}

void ResultFiles::forget() const {
  for (const OutputFile& file : output_files(options_)) {
    if (!is_special_file(file.path) && is_written_by_cmc(file.path)) remove_output(file.path);
  }
}

Status ResultFiles::begin(const LoadedModel& model) {
  const std::string begun = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC by process {}", fmt::gmtime(std::time(nullptr)),
                                        static_cast<long>(::getpid()));
  if (!options_.log.empty()) {
    Result<TimeSeriesWriter> opened = TimeSeriesWriter::open(options_.log + kSeriesSuffix);
    if (!opened.ok()) return Error{opened.error()};
    series_.emplace(std::move(opened).value());
    if (!is_special_file(options_.log)) {
      if (Status written = write_file_atomically(options_.log, running_log(begun)); !written.ok()) return written;
      log_runs_ = true;
    }
  }
  if (!options_.trail.empty() && !is_special_file(options_.trail)) remove_output(options_.trail);
  for (const TraceFile& file : trace_files(options_)) {
    if (file.path != kStandardOutput && !is_special_file(file.path)) remove_output(file.path);
  }
  if (!options_.json.empty() && options_.json != kStandardOutput && !is_special_file(options_.json)) {
    if (Status written = write_file_atomically(options_.json, running_json(model.file, model.sha1, begun));
        !written.ok()) {
      return written;
    }
    json_runs_ = true;
  }
  return Success{};
}

Status ResultFiles::write_log(const std::string& text) {
  Status written = write_file_atomically(options_.log, text);
  if (written.ok()) log_runs_ = false;
  return written;
}

Status ResultFiles::write_json(const std::string& text) {
  Status written = write_file_atomically(options_.json, text);
  if (written.ok()) json_runs_ = false;
  return written;
}

Status ResultFiles::write_trail(const std::string& text) { return write_file_atomically(options_.trail, text); }

}  // namespace cmc
