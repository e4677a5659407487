#include "checker/report/logs/time_series.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/files/file.h"
#include "checker/report/progress.h"
#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TimeSeriesRow row_at(double seconds) {
  TimeSeriesRow row;
  row.seconds = seconds;
  row.visited = 1000;
  row.created = ~uint64_t{0};
  row.open = 7;
  row.candidates = 8;
  row.lossy_entries = 9;
  row.reclaimed = 10;
  row.pages_written = 11;
  row.pages_read = 12;
  row.resident_bytes = 13;
  row.phase = "checking, now";
  return row;
}

TEST_CASE("time series: what is written is read") {
  const Result<std::vector<TimeSeriesRow>> rows = parse_time_series(series_header() + series_line(row_at(1.25)));
  REQUIRE(rows.ok());
  REQUIRE(rows.value().size() == 1);
  const TimeSeriesRow& row = rows.value()[0];
  CHECK(row.phase == "checking  now");
  CHECK(row.seconds == 1.25);
  CHECK(series_line(row) == "1.250,1000,18446744073709551615,7,8,9,10,11,12,13,checking  now\n");
}

TEST_CASE("time series: a series of a run that was killed can be read") {
  const std::string text = series_header() + series_line(row_at(1)) + series_line(row_at(2));
  for (size_t length = series_header().size(); length < text.size(); ++length) {
    const Result<std::vector<TimeSeriesRow>> rows = parse_time_series(text.substr(0, length));
    REQUIRE(rows.ok());
    CHECK(rows.value().size() <= 1);
  }
  CHECK(!parse_time_series("").ok());
  CHECK(!parse_time_series("time,states\n1,2\n").ok());
  CHECK(parse_time_series("seconds,visited,new_column\n1,2,x\n").ok());
  for (const char* bad : {"1\n", "1,2,3\n", "x,2\n", "1,-2\n", "nan,2\n", "1,18446744073709551616\n"}) {
    const auto rows = parse_time_series(std::string("seconds,visited\n") + bad);
    REQUIRE(!rows.ok());
    CHECK(contains(rows.error(), "line 2: expected: "));
  }
}

TEST_CASE("time series: rows come once in a period") {
  const std::string path = std::filesystem::temp_directory_path() / "cmc_series_test.csv";
  {
    Result<TimeSeriesWriter> writer = TimeSeriesWriter::open(path);
    REQUIRE(writer.ok());
    TimeSeriesWriter series = std::move(writer).value();
    TimeSeriesRecorder recorder(series);
    Progress progress;
    for (int i = 0; i < 4000; ++i) {
      progress.elapsed_seconds = 0.05 * i;
      recorder.on_progress(progress);
      if (i == 0) CHECK(parse_time_series(read_file(path).value()).value().size() == 1);  // it is there at once
    }
    CHECK(series.status().ok());
  }
  const std::vector<TimeSeriesRow> rows = parse_time_series(read_file(path).value()).value();
  CHECK(rows.size() > 300);
  CHECK(rows.size() < 500);
  for (size_t i = 1; i < rows.size(); ++i) {
    CHECK(rows[i].seconds - rows[i - 1].seconds > 0.09);
    CHECK(rows[i].seconds - rows[i - 1].seconds < 1.1);
  }
  CHECK(rows.back().phase == "searching");
  std::filesystem::remove(path);
  CHECK(!TimeSeriesWriter::open("/no/such/folder/x.csv").ok());
}

TEST_CASE("time series: a search that looks up a partition for seconds has rows") {
  const std::string path = std::filesystem::temp_directory_path() / "cmc_silent_series_test.csv";
  {
    Result<TimeSeriesWriter> writer = TimeSeriesWriter::open(path);
    REQUIRE(writer.ok());
    TimeSeriesWriter series = std::move(writer).value();
    TimeSeriesRecorder recorder(series);
    {
      const std::string phase = "looking up partition 3 of 32";  // which does not live as long as the recorder
      Progress progress;
      progress.states = 7;
      progress.phase = phase.c_str();
      progress.elapsed_seconds = 0.05;
      recorder.on_progress(progress);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
  }
  const std::vector<TimeSeriesRow> rows = parse_time_series(read_file(path).value()).value();
  REQUIRE(rows.size() >= 3);
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].visited == 7);
    CHECK(rows[i].phase == "looking up partition 3 of 32");
    if (i > 0) CHECK(rows[i].seconds > rows[i - 1].seconds);
  }
  std::filesystem::remove(path);
}

TEST_CASE("time series: a gap says that the process was stopped between two rows") {
  TimeSeriesRow before;
  TimeSeriesRow after;
  before.seconds = 38;
  after.seconds = 39.5;
  CHECK(!is_gap(before, after));
  after.seconds = 50.9;
  CHECK(is_gap(before, after));
  const std::vector<TimeSeriesRow> rows = {before, after};
  CHECK(rows_between(rows, 0, 0).size() == 2);
  CHECK(rows_between(rows, 39, 0).size() == 1);
  CHECK(rows_between(rows, 0, 39).size() == 1);
  CHECK(rows_between(rows, 39, 40).empty());
}

TEST_CASE("time series: the progress line shows what a store does") {
  Progress progress;
  progress.states = 1234567;
  const std::string plain = progress_text(progress, {1000, 0, std::nullopt}, 200);
  CHECK(plain == "1,234,567 states (total unknown), 0 open, 1,000 states/s, depth 0, 0 bytes, 0.000 s");
  progress.phase = "looking up";
  progress.candidates = 4000;
  progress.lossy_entries = 870;
  progress.lossy_capacity = 1000;
  progress.pages_written = 20;
  progress.pages_read = 1500;
  CHECK(progress_text(progress, {1000, 99.6, std::nullopt}, 200) ==
        "looking up: " + plain + ", 4,000 candidates, cache 87 % full, 20 pages written, 1,500 read (100/s)");
  CHECK(progress_text(progress, {1000, 99.6, std::nullopt}, 20).size() == 20);
}

}  // namespace
}  // namespace cmc
