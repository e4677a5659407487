#include "checker/report/logs/log_table.h"

#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "checker/report/logs/log_json.h"
#include "checker/report/logs/log_plots.h"
#include "checker/report/style/style.h"
#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

NamedLog named(const std::string& file, const std::string& text) {
  Result<SearchLog> log = parse_log(text);
  REQUIRE(log.ok());
  return {file, std::move(log).value(), std::nullopt};
}

NamedLog lunar() { return named("logs/2006/lunar4.log", read_file(CMC_SOURCE_DIR "/logs/2006/lunar4.log").value()); }

// A search in RAM, as today.
NamedLog plain() {
  return named("a,\"b\".log",
               "Search complete: visited 3 states, created 4 states, search time elapsed: 0s, maximum state size 20\n"
               "1 single successor states, 0 dead ends, 0 DFS problems (0 real)\n"
               "State size histogram: 20:4\n");
}

TEST_CASE("log table: the table shows what a log tells") {
  const std::vector<NamedLog> logs = {lunar(), plain()};
  const std::string text = logs_text(logs);
  CHECK(contains(text, "8,119,319"));
  CHECK(contains(text, "31 min 57 s"));
  CHECK(contains(text, "lunar4.log: all identities hold\n  note: the bytes reclaimed (306,257,134)"));
  CHECK(contains(text, "99.29 %"));
  CHECK(!contains(text, "bytes written"));  // the text form does not tell
  // Every line of figures ends in the same column.
  std::vector<std::string> lines;
  for (size_t begin = 0; text[begin] != '\n';) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  CHECK(lines.size() > 30);
  for (const std::string& line : lines) CHECK(line.size() == lines[0].size());
}

TEST_CASE("log table: a broken identity is shown") {
  NamedLog log = lunar();
  ++log.log.statistics.store->lookups;
  const std::vector<NamedLog> logs = {log};
  CHECK(contains(logs_text(logs),
                 "lunar4.log: 2 identities are broken:\n  disk lookups = cache failures: 61699 is not 61698\n"));
  const auto json = nlohmann::json::parse(logs_json(logs));
  CHECK(json["logs"][0]["identities_hold"] == false);
  CHECK(json["logs"][0]["broken_identities"].size() == 2);
}

TEST_CASE("log table: JSON and CSV have the figures") {
  const std::vector<NamedLog> logs = {lunar(), plain()};
  const auto json = nlohmann::json::parse(logs_json(logs));
  CHECK(json["schema"] == "cmc.log/1");
  CHECK(json["logs"][0]["log"]["store"]["lossy_left"] == 391945);
  CHECK(json["logs"][0]["log"]["state_sizes"]["596"] == 8633222);
  CHECK(json["logs"][0]["identities_hold"] == true);
  CHECK(!json["logs"][1]["log"].contains("store"));
  const std::string csv = logs_csv(logs);
  CHECK(csv.starts_with("file,search,visited,created,seconds,"));
  CHECK(contains(csv, "\nlogs/2006/lunar4.log,complete,8119319,8723018,1917,"));
  CHECK(contains(csv, "\n\"a,\"\"b\"\".log\",complete,3,4,0,"));
}

TEST_CASE("log table: names that are the same can be told apart") {
  std::vector<NamedLog> logs = {lunar(), plain()};
  CHECK(short_names(logs) == std::vector<std::string>{"lunar4.log", "a,\"b\".log"});
  logs[1].file = "other/lunar4.log";
  CHECK(short_names(logs) == std::vector<std::string>{"logs/2006/lunar4.log", "other/lunar4.log"});
}

TEST_CASE("log table: what is in the logs is drawn, and nothing else") {
  std::vector<NamedLog> logs = {plain()};
  const auto names = [&] {
    std::vector<std::string> all;
    for (const Plot& plot : log_plots(logs)) all.push_back(plot.name);
    return all;
  };
  CHECK(names() == std::vector<std::string>{"a__b_-sizes"});
  logs.push_back(lunar());
  CHECK(names() == std::vector<std::string>{"a__b_-sizes", "lunar4-sizes", "decisions", "pages"});
  TimeSeriesRow begin;
  TimeSeriesRow end;
  begin.seconds = 58;
  end.seconds = 60;
  end.visited = 1000;
  logs[0].series = {begin, end};
  end.pages_written = 5;
  begin.phase = "looking up";
  logs[1].series = {begin, end};
  CHECK(names() == std::vector<std::string>{"a__b_-states", "a__b_-sizes", "lunar4-states", "lunar4-pages",
                                            "lunar4-sizes", "decisions", "pages"});
  CHECK(contains(log_plots(logs)[2].body, "title 'looking up'"));
  CHECK(!contains(log_plots(logs)[2].body, "begins again"));

  TimeSeriesRow full = end;
  full.seconds = 59;
  full.phase = "looking up partition 3 of 32";
  end.visited = 999;
  begin.phase = "looking up partition 21 of 32";
  logs[1].series = {begin, full, end};
  const std::string body = log_plots(logs)[2].body;
  CHECK(contains(body, "title 'looking up partitions'"));
  CHECK(!contains(body, "of 32"));
  CHECK(contains(body, "from first 60.000, graph 0"));
  CHECK(contains(body, "'begins again' at first 60.000"));

  end.reclaimed = 1;
  end.pages_read = 1;
  logs[1].series = {begin, full, end};
  const std::string busy = log_plots(logs)[2].body;
  for (const char* place : {"'begins again' at first 60.000, graph 1 offset 0,0.5 ",
                            "'reclaiming starts' at first 60.000, graph 1 offset 0,1.4 ",
                            "'first look-up on disk' at first 60.000, graph 1 offset 0,2.3 "}) {
    CHECK(contains(busy, place));
  }
}

TEST_CASE("log table: a curve ends where nothing is known") {
  TimeSeriesRow begin;
  TimeSeriesRow end;
  end.seconds = 13;
  begin.phase = "looking up partition 19 of 32";
  std::vector<NamedLog> logs = {plain()};
  logs[0].series = {begin, end};
  const Plot plot = log_plots(logs)[0];
  CHECK(contains(plot.data, "\n\n13.000 "));
  CHECK(contains(plot.body, "title 'no figures'"));
  CHECK(!contains(plot.body, "title 'looking up partitions'"));
}

TEST_CASE("log table: two logs are compared with their difference") {
  NamedLog other = lunar();
  other.log.visited += 1000;
  other.log.statistics.store->pages_read = 0;
  const std::vector<NamedLog> logs = {lunar(), other};
  const std::string text = logs_text(logs);
  CHECK(contains(text, "  difference\n"));
  CHECK(contains(text, "+1,000 (+0.0 %)\n"));
  CHECK(contains(text, "(-100.0 %)\n"));
  CHECK(contains(text, " =\n"));
  CHECK(nlohmann::json::parse(logs_json(logs))["differences"]["visited"] == 1000);
  CHECK(!contains(logs_text(std::vector<NamedLog>{lunar()}), "difference"));
}

TEST_CASE("log table: what happened between two times is told") {
  TimeSeriesRow begin;
  begin.seconds = 38;
  begin.visited = 7269531;
  begin.pages_read = 14476;
  TimeSeriesRow end = begin;
  end.seconds = 50;
  end.visited += 24000;
  std::vector<NamedLog> logs = {plain()};
  logs[0].series = {begin, end};
  logs[0].span = {begin, end};
  const std::string text = logs_text(logs);
  CHECK(contains(text, "from 38.0 to 50.0 seconds\n"));
  CHECK(contains(text, "states visited    7,269,531 to 7,293,531: 2,000 a second\n"));
  CHECK(contains(text, "no figures from 38.0 to 50.0 seconds\n"));
  CHECK(!contains(text, "pages read "));
  CHECK(nlohmann::json::parse(logs_json(logs))["logs"][0]["span"]["to"]["visited"] == 7293531);
}

TEST_CASE("log table: a log says by which command it was made") {
  NamedLog log = plain();
  log.log.command = command_text("0.1.0", {"check", "-DN=3", "a model's.pml"});
  CHECK(log.log.command == "cmc 0.1.0 check -DN=3 'a model'\\''s.pml'");
  const Result<SearchLog> read = parse_log(write_log(log.log));
  REQUIRE(read.ok());
  CHECK(read.value().command == log.log.command);
  const std::vector<NamedLog> logs = {log};
  CHECK(contains(logs_text(logs), log.log.command));
  for (const Plot& plot : log_plots(logs)) CHECK(plot.note == log.log.command);
}

TEST_CASE("log table: names that differ at their ends look different when they are cut") {
  CHECK(cut_in_middle("station_of_the_line[0]", 22) == "station_of_the_line[0]");
  CHECK(cut_in_middle("station_of_the_line[0]", 11) == "stati\xe2\x80\xa6ne[0]");
  CHECK(cut_in_middle("channel_to_the_right!message", 12) ==
        "chann\xe2\x80\xa6"
        "essage");
  CHECK(cut_in_middle("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3) == "\xc3\xa4\xe2\x80\xa6\xc3\x9f");
}

TEST_CASE("log table: no text becomes a command of gnuplot") {
  CHECK(plot_quote("it's `rm` \"x\"\n$y") == "'it''s `rm` \"x\" $y'");
  CHECK(plot_data_quote("a\"b\\c\td") == "\"a b c d\"");
  CHECK(plot_file_name("../a b/c'\xc3\xa4") == "_.._a_b_c___");
}

TEST_CASE("log table: an axis has round numbers") {
  CHECK(linear_tics(8119319).list ==
        "('0' 0, '2,000,000' 2000000, '4,000,000' 4000000, '6,000,000' 6000000, '8,000,000' 8000000, "
        "'10,000,000' 10000000)");
  CHECK(linear_tics(7200, 60).list == "('0' 0, '50' 3000, '100' 6000, '150' 9000)");
  CHECK(linear_tics(0.3).list == "('0.0' 0, '0.1' 0.1, '0.2' 0.2, '0.3' 0.3)");
  CHECK(linear_tics(0).end > 0);
  CHECK(logarithmic_tics(1).list == "('1' 1)");
  CHECK(logarithmic_tics(1500).list == "('1' 1, '10' 10, '100' 100, '1,000' 1000, '10,000' 10000)");
  CHECK(logarithmic_tics(1e19).end >= 1e18);
}

}  // namespace
}  // namespace cmc
