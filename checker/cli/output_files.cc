#include "checker/cli/output_files.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "checker/cli/trace_files.h"
#include "checker/report/logs/time_series.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& left, const std::string& right) {
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  const fs::path one = fs::weakly_canonical(fs::absolute(left, error), error);
  return one == fs::weakly_canonical(fs::absolute(right, error), error);
}

}  // namespace

std::vector<OutputFile> output_files(const Options& options) {
  std::vector<OutputFile> files;
  const auto add = [&](const char* option, const std::string& path) {
    if (!path.empty() && path != kStandardOutput) files.push_back({option, path});
  };
  add("--json", options.output.json);
  const bool reads_trail = options.command == Command::kReplay || options.command == Command::kExplore;
  if (!reads_trail) add("--trail", options.files.trail);
  for (const TraceFile& file : trace_files(options)) add(file.option, file.path);
  add("--profile", options.profile.json);
  add("--profile-csv", options.profile.csv);
  add("--profile-trace", options.profile.trace);
  add("--dump-states", options.files.dump);
  add("--log", options.files.log);
  if (!options.files.log.empty()) add("--log (over time)", options.files.log + kSeriesSuffix);
  add("--junit", options.test.junit);
  add("--sarif", options.test.sarif.empty() ? options.mutate.sarif : options.test.sarif);
  add("--html", options.mutate.html);
  add("--results", options.mutate.results);
  add("--solver-log", options.check.solver_log);
  add("--solver-cache", options.check.solver_cache);
  return files;
}

Status check_outputs(const Options& options) {
  // It may be hours until the store is needed.
  if (const std::string& store = options.check.store.directory; !store.empty()) {
    const Result<RunDirectory> made = RunDirectory::create(store, false);
    if (!made.ok()) return Error{fmt::format("--store: {}", made.error())};
  }
  if (descriptor_named(options.files.log))
    return Error{fmt::format("--log {0}: it makes {0}{1}, too; name a file", options.files.log, kSeriesSuffix)};
  const std::vector<OutputFile> files = output_files(options);
  for (size_t i = 0; i < files.size(); ++i) {
    if (const Status writable = check_writable(files[i].path); !writable.ok()) return writable;
    if (is_special_file(files[i].path)) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(files[i].path, files[j].path)) continue;
      return Error{fmt::format("{} and {} would both write '{}'; give them different files", files[j].option,
                               files[i].option, files[i].path)};
    }
  }
  return Success{};
}

Status check_outputs_against(const Options& options, std::span<const std::string> inputs) {
  for (const OutputFile& file : output_files(options)) {
    if (is_special_file(file.path)) continue;
    for (const std::string& input : inputs) {
      if (!same_file(file.path, input)) continue;
      return Error{fmt::format("{} would write over '{}', which is read", file.option, input)};
    }
  }
  return Success{};
}

std::string numbered_file(const std::string& path, size_t number) {
  if (number == 1) return path;
  const fs::path whole(path);
  const std::string name = fmt::format("{}-{}{}", whole.stem().string(), number, whole.extension().string());
  return (whole.parent_path() / name).string();
}

bool is_special_file(const std::string& path) {
  if (descriptor_named(path)) return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

void remove_output(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path, ignored);
  if (!ignored) fs::remove(real, ignored);
}

bool print_result(const Session& session, std::string_view text, const std::string& json) {
  const std::string& file = session.options.output.json;
  if (file == kStandardOutput) {
    session.output.print(json);
    return true;
  }
  if (!file.empty()) {
    if (const Status written = write_file_atomically(file, json); !written.ok()) {
      complain(written.error());
      return false;
    }
  }
  session.output.print(text);
  return true;
}

}  // namespace cmc
