#include "checker/report/tune/tune_table.h"

#include <nlohmann/json.hpp>

#include "checker/report/tune/tune_plots.h"
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
  run.keep_sample();
  return run;
}

TuneTable tune_example() {
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

TEST_CASE("tune table: the best run is the best of those that did not fail") {
  TuneTable table = tune_example();
  const auto best = [&](TuneMeasure measure) { return best_runs(table, measure).at(0).run; };
  CHECK(best(TuneMeasure::kTime) == &table.runs[1]);
  CHECK(best(TuneMeasure::kCpu) == &table.runs[1]);
  CHECK(best(TuneMeasure::kMemory) == &table.runs[0]);
  CHECK(best(TuneMeasure::kDisk) == &table.runs[0]);
  table.runs[0].samples[0].pages_read = 7;
  CHECK(best(TuneMeasure::kPages) == &table.runs[1]);
  for (TuneRun& run : table.runs) run.failure = "x";
  CHECK(best_runs(table, TuneMeasure::kTime).empty());
  CHECK(contains(tune_text(table), "best: none"));
}

TEST_CASE("tune table: the table has every run") {
  const std::string text = tune_text(tune_example());
  CHECK(contains(text, "threads  memo     states   time  CPU time"));
  CHECK(contains(text, "      1   64M  1,234,567  2.0 s     4.0 s  80.0 MB  holds  <- best\n"));
  CHECK(contains(text, "failed: ended by SIGSEGV (Segmentation fault)\n"));
  CHECK(contains(text, "best by time: --threads 1 --memo 64M (2.0 s)\n"));
  CHECK(!contains(text, "pages"));
  TuneTable table = tune_example();
  table.runs[2].verdict = "violated";
  table.runs[2].pages_read = 4711;
  table.planned = 9;
  CHECK(!contains(tune_text(table), "disk wait"));
  CHECK(contains(tune_text(table), "note: the complete runs do not have the same verdict\n"));
  CHECK(contains(tune_text(table), "pages read"));
  CHECK(contains(tune_text(table), "note: 4 of 9 combinations have ended\n"));
  const std::string csv = tune_csv(table);
  CHECK(contains(csv,
                 "\nid-21M,2,1M,--threads 2 --memo 1M,violated,,1234567,2345678,6,3,20971520,4711,,,,,,1,6,6,3,3\n"));
  const auto json = nlohmann::json::parse(tune_json(table));
  table.runs[0].disk_wait_seconds = 0.25;
  CHECK(contains(tune_text(table), "disk wait"));
  CHECK(contains(tune_csv(table), ",,,,,0.25,1,"));
  CHECK(json["schema"] == "cmc.tune/1");
  CHECK(json["runs"].size() == 4);
  CHECK(json["runs_planned"] == 9);
  CHECK(json["best"] == "id-164M");
}

TEST_CASE("tune table: a record that is written is read") {
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

TEST_CASE("tune table: a result is read") {
  const Model model = compile_text("byte x; active proctype P() { do :: x++ :: x == 9 -> assert(false) od }\n");
  SearchResult result = search_model(model);
  result.statistics.store.emplace().pages_read = 99;
  result.statistics.store->disk_bytes_peak = 5000;  // nothing is left in the end
  result.statistics.store->bytes_written = 9000;
  result.statistics.disk_wait_seconds = 0.5;
  TuneRun run;
  REQUIRE(read_result(report_json(report_of(model, result)), run));
  CHECK(run.verdict == "violated");
  CHECK(run.failure == "the search ended at an error");
  CHECK(run.states == result.states_stored);
  CHECK(run.pages_read == 99);
  CHECK(run.disk_bytes == 5000);
  CHECK(run.bytes_written == 9000);
  CHECK(run.disk_wait_seconds == 0.5);
  run = {};
  CHECK(!read_result("", run));
  CHECK(!read_result("{\"schema\": \"cmc.result/1\"}", run));
  CHECK(run.verdict.empty());
}

TuneRun repeated(TuneRun run, const std::vector<double>& seconds) {
  run.samples.clear();
  for (const double each : seconds) {
    run.wall_seconds = each;
    run.keep_sample();
  }
  return run;
}

TEST_CASE("tune table: runs that did not reach the disk do not compare settings of its store") {
  TuneTable table = tune_example();
  CHECK(!contains(tune_text(table), "reached the disk"));
  table.settings.back().is_about_disk = true;
  CHECK(contains(tune_text(table), "note: no run reached the disk (1,234,567 states fit into memory)"));
  CHECK(contains(tune_text(table), "--reductions none or a larger -D"));
  table.measure = TuneMeasure::kDisk;
  CHECK(contains(tune_text(table), "best by disk: none, for no run reached the disk\n"));
  table.runs[0].pages_written = 229;
  CHECK(!contains(tune_text(table), "reached the disk"));
  CHECK(contains(tune_text(table), "best by disk: "));
}

TEST_CASE("tune table: runs that take no time at all get a note") {
  TuneTable table = tune_example();
  CHECK(!contains(tune_text(table), "no run takes 0.1 s"));
  for (TuneRun& run : table.runs) run.wall_seconds = 0.02;
  CHECK(contains(tune_text(table), "note: no run takes 0.1 s"));
}

TEST_CASE("tune table: the progress of a grid leaves out what all runs share") {
  const TuneTable table = tune_example();
  CHECK(combination_text(table.settings, table.runs[2]) == "threads=2, memo=1M");
}

TEST_CASE("tune table: a plot says what it was made of, and how sure it is") {
  TuneTable table = tune_example();
  table.settings.push_back({"max-errors", "--max-errors", {"0"}, false});
  for (const Plot& plot : tune_plots(table)) {
    CHECK(contains(plot.note, "check --max-errors 0"));
    CHECK(contains(plot.note, table.model_file));
    CHECK(contains(plot_script(plot), plot.note));
  }
  table.runs[0] = repeated(table.runs[0], {2, 3, 4, 5, 6});
  CHECK(contains(tune_plots(table)[0].data, "\"±25%\""));
}

TEST_CASE("tune table: a percent sign of a value is no format for gnuplot") {
  TuneTable table = tune_example();
  table.settings = {{"reclaim-ahead", "--reclaim-ahead", {"1", "10%"}, false},
                    {"memo", "--memo", {"1M", "64M"}, false}};
  CHECK(contains(tune_plots(table)[0].body, "'10%%'"));
  table.settings.pop_back();
  for (TuneRun& run : table.runs) run.values.pop_back();
  CHECK(contains(tune_plots(table)[0].body, "'10%%'"));
}

TEST_CASE("tune table: a difference that is chance makes no run the best") {
  TuneTable table = tune_example();
  table.runs[0] = repeated(table.runs[0], {4.0, 4.2, 4.1, 9.0, 4.0});
  table.runs[1] = repeated(table.runs[1], {3.9, 4.1, 4.15, 3.0, 4.05});
  table.runs[2] = repeated(table.runs[2], {5.0, 5.1, 5.2});
  CHECK(table.runs[0].wall_seconds == 4.1);
  CHECK(spread_text(table.runs[2].samples, TuneMeasure::kTime) == "±1%");
  const std::vector<TuneBest> bests = best_runs(table, TuneMeasure::kTime);
  REQUIRE(bests.size() == 1);
  CHECK(bests[0].run == &table.runs[1]);
  CHECK(bests[0].equal == std::vector<const TuneRun*>{&table.runs[0]});
  const std::string text = tune_text(table);
  CHECK(contains(text, "holds  = best\n"));
  CHECK(contains(text, "the middle half of 5 runs from 3.9 s to 4.1 s)\n"));
  CHECK(contains(text, "  equal, as far as these runs tell: --threads 1 --memo 1M\n"));
  const auto json = nlohmann::json::parse(tune_json(table));
  CHECK(json["bests"][0]["equal"][0] == "id-11M");
  CHECK(json["runs"][0]["samples"].size() == 5);
}

TEST_CASE("tune table: runs that answer different questions are not compared") {
  TuneTable table = tune_example();
  table.settings[0].changes_question = true;
  table.runs[3].failure = "";
  table.runs[3].verdict = "holds";
  const std::vector<TuneBest> bests = best_runs(table, TuneMeasure::kTime);
  REQUIRE(bests.size() == 2);
  CHECK(bests[0].question == "threads=1");
  CHECK(bests[0].run == &table.runs[1]);
  CHECK(bests[1].question == "threads=2");
  CHECK(bests[1].run == &table.runs[3]);
  CHECK(contains(tune_text(table), "best by time with threads=2: "));
  CHECK(nlohmann::json::parse(tune_json(table))["best"].is_null());
}

TEST_CASE("tune table: the spread of samples is the quartiles") {
  std::vector<TuneSample> samples(5);
  for (size_t i = 0; i < 5; ++i) samples[i].cpu_seconds = static_cast<double>((i * 3) % 5);
  const TuneSpread spread = spread_of(samples, TuneMeasure::kCpu);
  CHECK(spread.low == 1);
  CHECK(spread.median == 2);
  CHECK(spread.high == 3);
  CHECK(overlap({1, 2, 3}, {3, 4, 5}));
  CHECK(!overlap({1, 2, 3}, {3.1, 4, 5}));
  CHECK(spread_text({samples[0]}, TuneMeasure::kCpu).empty());
}

TEST_CASE("tune table: plots are drawn of what runs tell, for at most three lists") {
  const auto names = [](const TuneTable& table) {
    std::vector<std::string> all;
    for (const Plot& plot : tune_plots(table)) all.push_back(plot.name);
    return all;
  };
  TuneTable table = tune_example();
  CHECK(names(table) == std::vector<std::string>{"time", "cpu", "memory"});
  CHECK(contains(tune_plots(table)[0].body, "$failed"));
  table.runs[0].cache_failures = 7;
  CHECK(names(table) == std::vector<std::string>{"time", "cpu", "memory", "cache-failures"});
  CHECK(contains(tune_plots(table)[0].body, "set object rectangle"));
  CHECK(!contains(tune_plots(table)[0].body, "logscale"));
  table.runs[0].wall_seconds = 4000;
  CHECK(contains(tune_plots(table)[0].body, "set logscale cb"));
  table.settings.insert(table.settings.begin(), {"x", "--x", {"a", "b"}, false});
  for (TuneRun& run : table.runs) run.values.insert(run.values.begin(), &run == &table.runs[0] ? "a" : "b");
  CHECK(names(table) == std::vector<std::string>{"time", "cpu", "memory", "cache-failures"});
  CHECK(contains(tune_plots(table)[0].body, "set multiplot layout 1,2"));
  table.settings.push_back({"y", "--y", {"a", "b"}, false});
  for (TuneRun& run : table.runs) run.values.push_back("a");
  CHECK(names(table).empty());
  table = tune_example();
  table.settings.resize(1);
  for (TuneRun& run : table.runs) run.values.resize(1);
  CHECK(names(table) == std::vector<std::string>{"time", "cpu", "memory"});
  CHECK(contains(tune_plots(table)[0].body, "linespoints"));
  table.runs.clear();
  CHECK(names(table).empty());
}

}  // namespace
}  // namespace cmc
