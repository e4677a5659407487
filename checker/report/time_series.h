#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/search/simple_search.h"

// How a search went over time: comma-separated values, one row each second or so, for the plots of `cmc log`.

namespace cmc {

inline constexpr const char* kSeriesSuffix = ".csv";  // behind the name of the log

struct TimeSeriesRow {
  double seconds = 0;
  uint64_t visited = 0;
  uint64_t created = 0;
  uint64_t open = 0;
  uint64_t candidates = 0;
  uint64_t lossy_entries = 0;
  uint64_t reclaimed = 0;
  uint64_t pages_written = 0;
  uint64_t pages_read = 0;
  uint64_t resident_bytes = 0;
  std::string phase;
};

[[nodiscard]] TimeSeriesRow series_row(const Progress& progress, uint64_t resident_bytes);

// "seconds,visited,created,...,phase"
[[nodiscard]] std::string series_header();
// Commas and control characters in the phase become blanks.
[[nodiscard]] std::string series_line(const TimeSeriesRow& row);

// A row is on disk as soon as it was added, so that the series of a run that was killed can be read.
class TimeSeriesWriter {
 public:
  // Replaces the content of the file by the header. The file stays locked as long as the writer lives. Error: another
  // process writes it, or it cannot be written.
  [[nodiscard]] static Result<TimeSeriesWriter> open(const std::string& path);

  // The first error is kept, and further rows are dropped.
  void add(const TimeSeriesRow& row);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  TimeSeriesWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  void write(const std::string& line);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  Status status_ = Success{};
};

// Writes rows while a search runs: one a second, in the first 100 seconds more often (every 1 % of the time so far,
// at most ten times a second).
class TimeSeriesRecorder final : public SearchObserver {
 public:
  explicit TimeSeriesRecorder(TimeSeriesWriter& writer) : writer_(writer) {}
  void on_progress(const Progress& progress) override;

 private:
  TimeSeriesWriter& writer_;
  double next_seconds_ = 0;
};

// Accepts any text: an error names the line. A last line that is cut off is dropped; columns are found by their
// names, and unknown ones ignored.
[[nodiscard]] Result<std::vector<TimeSeriesRow>> parse_time_series(std::string_view text);

}  // namespace cmc
