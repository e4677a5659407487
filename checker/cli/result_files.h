#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/cli/options/options.h"
#include "checker/report/logs/time_series.h"

namespace cmc {

// Whether the file is what an earlier run left.
[[nodiscard]] bool is_written_by_cmc(const std::string& path);

// The files of a check's results: --json, --log with FILE.csv beside it, --trail, those of traces. While the check
// runs they say so: the result of an earlier run is not there any more. Each gets its content at the end, all at
// once.
//
// Files that are not regular (a pipe, /dev/full) are written at the end only.
class ResultFiles {
 public:
  explicit ResultFiles(const Options& options) : options_(options) {}
  ~ResultFiles();  // a file that still says that the check runs is removed
  ResultFiles(const ResultFiles&) = delete;
  ResultFiles& operator=(const ResultFiles&) = delete;

  // The run does not begin, because the model has an error: what an earlier run found is no result of this one. Files
  // that CMC has not written stay, and so does that of --json, where load_model() has said what is wrong.
  void forget() const;
  // Removes the results of an earlier run. Error: another run writes the same log, a file cannot be written.
  [[nodiscard]] Status begin(const LoadedModel& model);

  [[nodiscard]] TimeSeriesWriter* series() { return series_ ? &*series_ : nullptr; }  // null: no log is asked for
  [[nodiscard]] Status write_log(const std::string& text);
  [[nodiscard]] Status write_json(const std::string& text);
  // Of several counterexamples, by number from 1. A file that CMC has not written is not replaced, unless it is the
  // first one, which the user named.
  [[nodiscard]] Status write_trail(const std::string& text, size_t number);

 private:
  const Options& options_;
  std::optional<TimeSeriesWriter> series_;
  bool log_runs_ = false;  // the file says so
  bool json_runs_ = false;
};

}  // namespace cmc
