#include "checker/cli/result_files.h"

#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "checker/cli/output.h"
#include "checker/report/report.h"
#include "checker/report/search_log.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeriesSuffix = ".csv";

struct NamedFile {
  const char* option;
  std::string path;
};

// Without those that are not wanted, or that are standard output.
std::vector<NamedFile> files_of(const Options& options) {
  std::vector<NamedFile> files;
  if (!options.json.empty() && options.json != "-") files.push_back({"--json", options.json});
  if (!options.trail.empty()) files.push_back({"--trail", options.trail});
  if (!options.profile.empty()) files.push_back({"--profile", options.profile});
  if (!options.profile_csv.empty()) files.push_back({"--profile-csv", options.profile_csv});
  if (!options.profile_trace.empty()) files.push_back({"--profile-trace", options.profile_trace});
  if (!options.log.empty()) {
    files.push_back({"--log", options.log});
    files.push_back({"--log (over time)", options.log + kSeriesSuffix});
  }
  return files;
}

bool is_special(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

bool same_file(const std::string& left, const std::string& right) {
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  const fs::path one = fs::weakly_canonical(fs::absolute(left, error), error);
  return one == fs::weakly_canonical(fs::absolute(right, error), error);
}

// A symbolic link stays.
void remove_file(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path, ignored);
  if (!ignored) fs::remove(real, ignored);
}

}  // namespace

ResultFiles::~ResultFiles() {
  if (log_runs_) remove_file(options_.log);
  if (json_runs_) remove_file(options_.json);
}

Status ResultFiles::check() const {
  const std::vector<NamedFile> files = files_of(options_);
  for (size_t i = 0; i < files.size(); ++i) {
    if (const Status writable = check_writable(files[i].path); !writable.ok()) return writable;
    if (is_special(files[i].path)) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(files[i].path, files[j].path)) continue;
      return Error{fmt::format("{} and {} would both write '{}'; give them different files", files[j].option,
                               files[i].option, files[i].path)};
    }
  }
  return Success{};
}

Status ResultFiles::begin(const LoadedModel& model) {
  for (const NamedFile& file : files_of(options_)) {
    for (const std::string& source : model.model.files) {
      if (!same_file(file.path, source)) continue;
      return Error{fmt::format("{} would write over '{}', which the model is read from", file.option, source)};
    }
  }
  const std::string begun = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC by process {}", fmt::gmtime(std::time(nullptr)),
                                        static_cast<long>(::getpid()));
  if (!options_.log.empty()) {
    Result<TimeSeriesWriter> opened = TimeSeriesWriter::open(options_.log + kSeriesSuffix);
    if (!opened.ok()) return Error{opened.error()};
    series_.emplace(std::move(opened).value());
    if (!is_special(options_.log)) {
      if (Status written = write_file_atomically(options_.log, running_log(begun)); !written.ok()) return written;
      log_runs_ = true;
    }
  }
  if (!options_.trail.empty() && !is_special(options_.trail)) remove_file(options_.trail);
  if (!options_.json.empty() && options_.json != "-" && !is_special(options_.json)) {
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
