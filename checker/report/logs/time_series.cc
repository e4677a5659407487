#include "checker/report/logs/time_series.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/file_lock.h"
#include "base/process_memory.h"
#include "base/text.h"

namespace cmc {
namespace {

constexpr double kMaxSeconds = 1e12;  // a larger figure is a mistake
constexpr double kMinInterval = 0.1;
constexpr double kMaxInterval = 1;
constexpr double kShareOfTime = 0.01;
constexpr double kGapIntervals = 5;
constexpr double kLeastGap = 1;

struct Column {
  const char* name;
  uint64_t TimeSeriesRow::*member;
};
// Between "seconds" and "phase".
constexpr Column kColumns[] = {
    {"visited", &TimeSeriesRow::visited},
    {"created", &TimeSeriesRow::created},
    {"open", &TimeSeriesRow::open},
    {"candidates", &TimeSeriesRow::candidates},
    {"lossy_entries", &TimeSeriesRow::lossy_entries},
    {"reclaimed", &TimeSeriesRow::reclaimed},
    {"pages_written", &TimeSeriesRow::pages_written},
    {"pages_read", &TimeSeriesRow::pages_read},
    {"resident_bytes", &TimeSeriesRow::resident_bytes},
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const size_t end = line.find(',');
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

// Why not; none: all is well.
std::optional<std::string> set_cell(TimeSeriesRow& row, std::string_view name, std::string_view cell) {
  if (name == "phase") {
    row.phase = cell;
  } else if (name == "seconds") {
    const std::optional<double> seconds = parse_number<double>(cell);
    if (!seconds || !(*seconds >= 0 && *seconds <= kMaxSeconds)) return "a number of seconds";
    row.seconds = *seconds;
  } else if (const auto* column = std::ranges::find(kColumns, name, &Column::name); column != std::end(kColumns)) {
    const std::optional<uint64_t> value = parse_number<uint64_t>(cell);
    if (!value) return fmt::format("a whole number ({})", name);
    row.*column->member = *value;
  }
  return std::nullopt;
}

}  // namespace

TimeSeriesRow series_row(const Progress& progress, uint64_t resident_bytes) {
  TimeSeriesRow row;
  row.seconds = progress.elapsed_seconds;
  row.visited = progress.states;
  row.created = progress.transitions;
  row.open = progress.open_states;
  row.candidates = progress.candidates;
  row.lossy_entries = progress.lossy_entries;
  row.reclaimed = progress.reclaimed;
  row.pages_written = progress.pages_written;
  row.pages_read = progress.pages_read;
  row.resident_bytes = resident_bytes;
  row.phase = progress.phase;
  return row;
}

std::string series_header() {
  std::string text = "seconds";
  for (const Column& column : kColumns) text += fmt::format(",{}", column.name);
  return text + ",phase\n";
}

std::string series_line(const TimeSeriesRow& row) {
  std::string text = fmt::format("{:.3f}", row.seconds);
  for (const Column& column : kColumns) text += fmt::format(",{}", row.*column.member);
  text += ',';
  for (const char c : row.phase) text += c == ',' || static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text + '\n';
}

Result<TimeSeriesWriter> TimeSeriesWriter::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error("write", path, errno);
  FileLock lock;
  if (lock.take(descriptor) == FileLock::Outcome::kHeldElsewhere) {
    return Error{
        fmt::format("another run of cmc writes '{}': wait for its end, or give this one another file", path)};
  }
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor, 0) != 0) {
    return system_error("write", path, errno);
  }
  std::FILE* file = ::fdopen(descriptor, "a");
  if (file == nullptr) return system_error("write", path, errno);
  lock.release();  // the stream closes it
  TimeSeriesWriter writer(path, file);
  writer.write(series_header());
  if (!writer.status().ok()) return Error{writer.status().error()};
  return writer;
}

void TimeSeriesWriter::add(const TimeSeriesRow& row) {
  if (status_.ok()) write(series_line(row));
}

void TimeSeriesWriter::write(const std::string& line) {
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0) {
    status_ = system_error("write", path_, errno);
  }
}

double series_interval(double seconds) { return std::clamp(seconds * kShareOfTime, kMinInterval, kMaxInterval); }

bool is_gap(const TimeSeriesRow& before, const TimeSeriesRow& after) {
  return after.seconds - before.seconds > kGapIntervals * series_interval(before.seconds) + kLeastGap;
}

TimeSeriesRecorder::TimeSeriesRecorder(TimeSeriesWriter& writer)
    : writer_(writer), latest_at_(clock_.wall_seconds()) {
  try {
    repeater_ = std::thread([this] { repeat_when_silent(); });
  } catch (const std::system_error&) {
    // While the search is silent there are no rows.
  }
}

TimeSeriesRecorder::~TimeSeriesRecorder() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  over_.notify_one();
  if (repeater_.joinable()) repeater_.join();
}

void TimeSeriesRecorder::on_progress(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  latest_ = series_row(progress, 0);
  latest_at_ = clock_.wall_seconds();
  if (progress.elapsed_seconds >= next_seconds_) add(progress.elapsed_seconds);
}

void TimeSeriesRecorder::add(double seconds) {
  next_seconds_ = seconds + series_interval(seconds);
  TimeSeriesRow row = latest_;
  row.seconds = seconds;
  row.resident_bytes = resident_bytes();
  writer_.add(row);
}

void TimeSeriesRecorder::repeat_when_silent() {
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return ended_; };
  while (!over_.wait_for(lock, std::chrono::duration<double>(series_interval(next_seconds_)), ended)) {
    const double now = latest_.seconds + (clock_.wall_seconds() - latest_at_);
    if (latest_.visited > 0 && now > next_seconds_ + series_interval(now)) add(now);
  }
}

std::vector<TimeSeriesRow> rows_between(const std::vector<TimeSeriesRow>& rows, double from, double to) {
  std::vector<TimeSeriesRow> between;
  for (const TimeSeriesRow& row : rows) {
    if (row.seconds >= from && (to == 0 || row.seconds <= to)) between.push_back(row);
  }
  return between;
}

Result<std::vector<TimeSeriesRow>> parse_time_series(std::string_view text) {
  std::vector<std::string_view> names;
  std::vector<TimeSeriesRow> rows;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off while it was written
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string_view> cells = split(line);
    if (names.empty()) {
      if (cells.front() != "seconds") return Error{fmt::format("line {}: expected: {}", number, series_header())};
      names = cells;
      continue;
    }
    if (cells.size() != names.size()) {
      return Error{fmt::format("line {}: expected: {} values, found {}", number, names.size(), cells.size())};
    }
    TimeSeriesRow row;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (const auto wanted = set_cell(row, names[i], cells[i])) {
        return Error{fmt::format("line {}: expected: {}", number, *wanted)};
      }
    }
    rows.push_back(std::move(row));
  }
  if (names.empty()) return Error{"line 1: expected: the names of the columns"};
  return rows;
}

}  // namespace cmc
