#include "checker/report/tune_table.h"

#include <nlohmann/json.hpp>

#include "checker/report/tune_plots.h"
#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TuneRun run_of(const std::string& threads, const std::string& memo, double seconds, uint64_t megabytes) {
  TuneRun run;
  run.id = "id-" + threads + memo;
  run.arguments = {"--threads", threads, "--memo", memo};
  run.values = {threads, memo};
  run.verdict = "holds";
  run.states = 1234567;
  run.transitions = 2345678;
  run.wall_seconds = seconds;
  run.cpu_seconds = 2 * seconds;
  run.memory_bytes = megabytes << 20;
  return run;
}

TuneTable example() {
  TuneTable table;
  table.model_file = "models/m.pml";
  table.model_sha1 = "0123";
  table.settings = {{"threads", "--threads", {"1", "2"}, false}, {"memo", "--memo", {"1M", "64M"}, false}};
  table.runs = {run_of("1", "1M", 4, 10), run_of("1", "64M", 2, 80), run_of("2", "1M", 3, 20),
                run_of("2", "64M", 1, 90)};
  table.runs[3].failure = "ended by SIGSEGV (Segmentation fault)";
  table.runs[3].verdict = "";
  table.planned = 4;
  return table;
}

TEST_CASE("the best run is one that failed, or not the best") {
  TuneTable table = example();
  CHECK(best_run(table) == &table.runs[1]);
  table.measure = TuneMeasure::kMemory;
  CHECK(best_run(table) == &table.runs[0]);
  for (TuneRun& run : table.runs) run.failure = "x";
  CHECK(best_run(table) == nullptr);
  CHECK(contains(tune_text(table), "best: none"));
}

TEST_CASE("the table of runs lacks a run") {
  const std::string text = tune_text(example());
  CHECK(contains(text, "threads  memo     states   time  CPU time"));
  CHECK(contains(text, "      1   64M  1,234,567  2.0 s     4.0 s  80.0 MB  holds  <- best\n"));
  CHECK(contains(text, "failed: ended by SIGSEGV (Segmentation fault)\n"));
  CHECK(contains(text, "best by time: --threads 1 --memo 64M (2.0 s by the clock, 80.0 MB)\n"));
  CHECK(!contains(text, "pages"));
  TuneTable table = example();
  table.runs[2].verdict = "violated";
  table.runs[2].pages_read = 4711;
  table.planned = 9;
  CHECK(!contains(tune_text(table), "disk wait"));
  CHECK(contains(tune_text(table), "note: the complete runs do not have the same verdict\n"));
  CHECK(contains(tune_text(table), "pages read"));
  CHECK(contains(tune_text(table), "note: 4 of 9 runs have ended\n"));
  const std::string csv = tune_csv(table);
  CHECK(contains(csv, "\nid-21M,2,1M,--threads 2 --memo 1M,violated,,1234567,2345678,6,3,20971520,4711,,,,\n"));
  const auto json = nlohmann::json::parse(tune_json(table));
  table.runs[0].disk_wait_seconds = 0.25;
  CHECK(contains(tune_text(table), "disk wait"));
  CHECK(contains(tune_csv(table), ",,,,,0.25\n"));
  CHECK(json["schema"] == "cmc.tune/1");
  CHECK(json["runs"].size() == 4);
  CHECK(json["runs_planned"] == 9);
  CHECK(json["best"] == "id-164M");
}

TEST_CASE("a record changes when it is written and read") {
  TuneRun run = run_of("1", "1M", 0.125, 10);
  run.pages_read = 3;
  run.disk_bytes = ~uint64_t{0};
  run.disk_wait_seconds = 1.5;
  run.failure = "\xff";
  const std::string text = tune_run_json(run);
  const Result<TuneRun> read = parse_tune_run(text);
  REQUIRE(read.ok());
  CHECK(tune_run_json(read.value()) == text);
  CHECK(read.value().pages_read == 3);
  CHECK(!read.value().pages_written);
  CHECK(read.value().disk_wait_seconds == 1.5);
  for (size_t length = 0; length + 2 < text.size(); ++length) CHECK(!parse_tune_run(text.substr(0, length)).ok());
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = damaged[at] == '"' ? '1' : '"';
    static_cast<void>(parse_tune_run(damaged));
    static_cast<void>(read_result(damaged, run));
  }
}

TEST_CASE("a result is not read") {
  const Model model = compile_text("byte x; active proctype P() { do :: x++ :: x == 9 -> assert(false) od }\n");
  SearchResult result = search_model(model);
  result.statistics.store.emplace().pages_read = 99;
  result.statistics.disk_wait_seconds = 0.5;
  TuneRun run;
  REQUIRE(read_result(report_json(report_of(model, result)), run));
  CHECK(run.verdict == "violated");
  CHECK(run.failure == "the search ended at an error");
  CHECK(run.states == result.states_stored);
  CHECK(run.pages_read == 99);
  CHECK(run.disk_wait_seconds == 0.5);
  run = {};
  CHECK(!read_result("", run));
  CHECK(!read_result("{\"schema\": \"cmc.result/1\"}", run));
  CHECK(run.verdict.empty());
}

TEST_CASE("a percent sign of a value is a format for gnuplot") {
  TuneTable table = example();
  table.settings = {{"reclaim-ahead", "--reclaim-ahead", {"1", "10%"}, false},
                    {"memo", "--memo", {"1M", "64M"}, false}};
  CHECK(contains(tune_plots(table)[0].body, "'10%%'"));
  table.settings.pop_back();
  for (TuneRun& run : table.runs) run.values.pop_back();
  CHECK(contains(tune_plots(table)[0].body, "'10%%'"));
}

TEST_CASE("plots are drawn of what no run tells, or for more lists than two") {
  const auto names = [](const TuneTable& table) {
    std::vector<std::string> all;
    for (const Plot& plot : tune_plots(table)) all.push_back(plot.name);
    return all;
  };
  TuneTable table = example();
  CHECK(names(table) == std::vector<std::string>{"time", "memory"});
  CHECK(contains(tune_plots(table)[0].body, "$failed"));
  table.runs[0].cache_failures = 7;
  CHECK(names(table) == std::vector<std::string>{"time", "memory", "cache-failures"});
  table.settings.push_back({"x", "--x", {"a", "b"}, false});
  CHECK(names(table).empty());
  table = example();
  table.settings.resize(1);
  for (TuneRun& run : table.runs) run.values.resize(1);
  CHECK(names(table) == std::vector<std::string>{"time", "memory"});
  CHECK(contains(tune_plots(table)[0].body, "linespoints"));
  table.runs.clear();
  CHECK(names(table).empty());
}

}  // namespace
}  // namespace cmc
