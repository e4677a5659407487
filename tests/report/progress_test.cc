#include "checker/report/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Closer>;

Progress at(double seconds, uint64_t states, uint64_t pages_read = 0) {
  Progress progress;
  progress.elapsed_seconds = seconds;
  progress.states = states;
  progress.pages_written = pages_read;
  progress.pages_read = pages_read;
  return progress;
}

std::string content(std::FILE* file) {
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  REQUIRE(std::fread(text.data(), 1, text.size(), file) == text.size());
  return text;
}

TEST_CASE("progress: the rate of a search that begins again is not negative") {
  const Stream file(std::tmpfile());
  REQUIRE(file != nullptr);
  {
    ProgressLine line(file.get(), true, 200);
    line.on_progress(at(2, 1'000'000, 500));
    line.on_progress(at(4, 100'000, 40));
  }
  const std::string text = content(file.get());
  CHECK(contains(text, "1,000,000 states (total unknown), 0 open, 500,000 states/s"));
  CHECK(contains(text, "100,000 states (total unknown), 0 open, 50,000 states/s"));
  CHECK(contains(text, "40 read (20/s)"));
}

TEST_CASE("progress: a line that cannot be written is no error") {
  const Stream file(std::fopen("/dev/full", "w"));
  if (file == nullptr) return;
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  ProgressLine line(file.get(), true, 80);
  CHECK_NOTHROW(line.on_progress(at(1, 1)));
  CHECK_NOTHROW(line.erase());
}

TEST_CASE("progress: a line of JSON comes once a second") {
  const Stream file(std::tmpfile());
  REQUIRE(file != nullptr);
  ProgressLines lines(file.get(), "safety\n", false);
  for (const double seconds : {0.1, 0.2, 1.0, 1.15, 1.9, 2.2}) lines.on_progress(at(seconds, 1000, 3));
  lines.on_restart(1000);
  std::vector<nlohmann::json> read;
  std::istringstream text(content(file.get()));
  for (std::string line; std::getline(text, line);) read.push_back(nlohmann::json::parse(line));
  REQUIRE(read.size() == 4);
  for (const auto& each : read) {
    CHECK(each["schema"] == "cmc.progress/1");
    CHECK(each["property"] == "safety\n");
  }
  CHECK(read[0]["event"] == "progress");
  CHECK(read[0]["elapsed_seconds"] == 0.1);
  CHECK(read[1]["elapsed_seconds"] == 1.15);
  CHECK(read[0]["states"] == 1000);
  CHECK(read[0]["estimate"].is_null());
  CHECK(read[0]["store"].is_null());
  CHECK(read[3]["event"] == "restart");
  CHECK(read[3]["states_before"] == 1000);
}

// As many bytes a state as now, but never fewer than there are.
TEST_CASE("progress: what will be on disk is known if the number of states is") {
  PulseMeter meter(true);
  Progress progress = at(1, 1000);
  progress.disk_bytes = 3'000'000;
  CHECK(!meter.update(progress).disk);
  CHECK(contains(progress_text(progress, meter.update(progress), 200), "2.9 MB on disk (at the end unknown)"));
  uint64_t states = 1000;
  std::optional<Pulse> known;
  for (uint64_t level = 0; level < 100 && !known; ++level) {  // a bell
    const double from_middle = (static_cast<double>(level) - 60) / 20;
    states += static_cast<uint64_t>(1e6 * std::exp(-from_middle * from_middle / 2));
    progress = at(1 + static_cast<double>(level), states);
    progress.depth = level + 1;
    progress.disk_bytes = 3 * states;
    if (const Pulse& pulse = meter.update(progress); pulse.total) known = pulse;
  }
  REQUIRE((known && known->disk));
  CHECK(known->disk->low == std::max(3 * states, 3 * known->total->low));
  CHECK(known->disk->high == 3 * known->total->high);
  CHECK(contains(progress_text(progress, *known, 200), " at the end)"));
  CHECK(contains(progress_json(progress, *known, ""), "\"disk_estimate\":{\"low\":"));
  CHECK(contains(progress_report(progress, *known, ""), "on disk ("));
}

TEST_CASE("progress: the report so far says how far the search is") {
  Progress progress = at(3, 1'234'567);
  progress.open_states = 42;
  progress.errors = 1;
  Pulse pulse;
  pulse.total = StateEstimate{2'000'000, 1'900'000, 26'000'000};
  pulse.seconds_left = {0.66, 125};
  const std::string text = progress_report(progress, pulse, "");
  CHECK(contains(text, "report so far: searching for 3.0 s\n"));
  CHECK(contains(text, "       1,234,567  states stored (of 1.9M to 26M, 0.660 s to 2 min 5 s left)\n"));
  CHECK(contains(text, "              42  of them open"));
  CHECK(contains(text, "               1  error found\n"));
  CHECK(!contains(text, "pages"));
  progress.lossy_capacity = 10;
  CHECK(contains(progress_report(progress, pulse, "p\033"), "report so far (p"));
  CHECK(contains(progress_report(progress, pulse, ""), "pages read"));
}

}  // namespace
}  // namespace cmc
