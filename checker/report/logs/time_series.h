#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "checker/result/progress.h"

// How a search went over time: comma-separated values, one row each second or so, for the plots of `cmc log`.
// Where there is no row for much longer, the process was stopped, or the machine had no time for it.

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

// How many seconds after the row at that time the next one is due.
[[nodiscard]] double series_interval(double seconds);

// Whether there are rows missing between the two.
[[nodiscard]] bool is_gap(const TimeSeriesRow& before, const TimeSeriesRow& after);

// Writes rows while a search runs: one a second, in the first 100 seconds more often (every 1 % of the time so far,
// at most ten times a second). While the search tells nothing, because it looks up a partition or merges pages, a
// thread writes the latest figures again, with the time and the memory of that moment.
class TimeSeriesRecorder final : public SearchObserver {
 public:
  explicit TimeSeriesRecorder(TimeSeriesWriter& writer);
  ~TimeSeriesRecorder();
  TimeSeriesRecorder(const TimeSeriesRecorder&) = delete;
  TimeSeriesRecorder& operator=(const TimeSeriesRecorder&) = delete;

  void on_progress(const Progress& progress) override;

 private:
  void repeat_when_silent();
  void add(double seconds);  // the latest figures; with the mutex held

  TimeSeriesWriter& writer_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  double next_seconds_ = 0;
  TimeSeriesRow latest_;
  SystemClock clock_;
  double latest_at_ = 0;  // by clock_
  std::thread repeater_;
};

// The rows from one time to another one; to: none, if it is 0.
[[nodiscard]] std::vector<TimeSeriesRow> rows_between(const std::vector<TimeSeriesRow>& rows, double from, double to);

// Accepts any text: an error names the line. A last line that is cut off is dropped; columns are found by their
// names, and unknown ones ignored.
[[nodiscard]] Result<std::vector<TimeSeriesRow>> parse_time_series(std::string_view text);

}  // namespace cmc
