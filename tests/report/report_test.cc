#include <nlohmann/json.hpp>

#include "checker/report/unreached.h"
#include "tests/report/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

constexpr const char* kBadCounter =
    "byte x;\n"
    "active [2] proctype P() {\n"
    "  do\n"
    "  :: x < 3 -> x++\n"
    "  :: x == 9 -> x = 0\n"
    "  od;\n"
    "  assert(false)\n"
    "}\n"
    "active proctype Q() { x == 3; assert(x != 3) }\n";

TEST_CASE("report: text and JSON agree about a search") {
  const Model model = compile_text(kBadCounter);
  SearchOptions options;
  options.max_errors = 0;
  const Report report = report_of(model, search_model(model, options));
  const auto json = nlohmann::json::parse(report_json(report));
  CHECK(json["schema"] == "cmc.result/1");
  CHECK(json["verdict"] == "violated");
  CHECK(json["complete"] == true);
  CHECK(json["error_count"] == report.error_count);
  CHECK(json["states_stored"] == report.states_stored);
  CHECK(json["transitions"] == report.transitions);
  CHECK(json["model"]["file"] == "test.pml");
  CHECK(json["errors"].size() == report.errors.size());
  for (const char* name : {"reasons", "states_matched", "depth_reached", "state_bytes_max", "memory_peak_bytes",
                           "cpu_seconds", "wall_seconds", "options", "version", "steps", "coverage"}) {
    CHECK(json.contains(name));
  }
  const std::string text = report_text(report, Verbosity::kNormal, Palette(false));
  CHECK(contains(text, format_count(report.states_stored) + "  states stored (steps: spin)"));
  CHECK(contains(text, format_count(report.transitions) + "  transitions"));
  CHECK(contains(text, "verdict: violated"));
}

TEST_CASE("report: equal errors are folded") {
  const Model model = compile_text(kBadCounter);
  SearchOptions options;
  options.max_errors = 0;
  const Report report = report_of(model, search_model(model, options));
  REQUIRE(report.groups.size() == 2);  // the assertion, and the end state
  uint64_t sum = 0;
  for (const Report::ErrorGroup& group : report.groups) sum += group.count;
  CHECK(sum == report.errors.size());
  CHECK(report.errors.size() > 2);
}

TEST_CASE("report: unreached statements are those that SPIN lists") {
  const Model model = compile_text(kBadCounter);
  SearchOptions options;
  options.max_errors = 0;
  const std::string text =
      report_text(report_of(model, search_model(model, options)), Verbosity::kNormal, Palette(false));
  // The lines that pan -c0 prints for this text (without the outer parentheses of conditions).
  CHECK(contains(text,
                 "unreached in proctype P\n"
                 "\ttest.pml:5, state 4, \"x = 0\"\n"
                 "\ttest.pml:7, state 8, \"assert(0)\"\n"
                 "\ttest.pml:8, state 9, \"-end-\"\n"
                 "\t(3 of 9 states)\n\n"));
  CHECK(!contains(text, "proctype Q"));  // all of it was reached: pan says "(0 of 3 states)"
}

TEST_CASE("report: no report says that all states were explored if the search was reduced") {
  const Model model = compile_text("active proctype P() { skip }\n");
  Report report = report_of(model, search_model(model));
  const auto verdict = [&] { return report_text(report, Verbosity::kQuiet, Palette(false)); };
  CHECK(verdict() == "verdict: holds (no reachable state is in error)\n");
  CHECK(nlohmann::json::parse(report_json(report))["all_states"] == true);
  report.run.reductions = "por,merge";
  CHECK(verdict() == "verdict: holds (no reachable state is in error; the search was reduced)\n");
  const auto json = nlohmann::json::parse(report_json(report));
  CHECK(json["all_states"] == false);
  CHECK(json["exhaustive"] == true);
  CHECK(json["complete"] == true);
}

// The locations that are listed, without the end, as "STATE TEXT", of the only proctype.
std::vector<std::string> listed(const std::string& text) {
  const Model model = compile_text(text);
  SearchOptions options;
  options.max_errors = 0;
  options.check_end_states = false;
  const ReachedLocations reached = search_model(model, options).locations;
  std::vector<std::string> listed;
  for (const UnreachedStatement& each : unreached_statements(model, model.proctypes[0], reached.reached[0])) {
    if (each.state != model.proctypes[0].end)
      listed.push_back(fmt::format("{} {}", each.state, each.statement->text));
  }
  return listed;
}

using Listed = std::vector<std::string>;

// What pan lists for these texts (spin -a -o1 -o2 -o3, -DNOREDUCE).
TEST_CASE("report: a selection is listed as SPIN lists it") {
  CHECK(listed("byte x; active proctype P() { x == 1; do :: true -> x = 2; break od }") ==
        Listed{"3 x = 2", "5 (1)"});
  CHECK(listed("byte x = 1, y; active proctype P() {\n"
               "do :: do :: x == 1 -> x = 2; break :: x == 5 -> y = 1 od od }") ==
        Listed{"5 y = 1", "6 (x==1)", "6 (x==5)"});
  CHECK(listed("byte x; active proctype P() { x == 1; if :: x > 4 -> x = 8 :: x == 4 -> x = 5 fi }") ==
        Listed{"3 x = 8", "5 x = 5", "6 (x>4)", "6 (x==4)"});
  CHECK(
      listed("byte x; active proctype P() { x == 1; if :: if :: x == 2 -> x = 3 :: x == 4 -> x = 5 fi fi; x = 4 }") ==
      Listed{"3 x = 3", "5 x = 5", "8 (x==2)", "8 (x==4)", "10 x = 4"});
}

TEST_CASE("report: a selection counts as reached if what is behind its last guard does") {
  CHECK(listed("byte x; active proctype P() { x == 1; x = 7; if :: x > 4 -> x = 8 :: else -> skip fi }") ==
        Listed{"2 x = 7", "4 x = 8"});
  CHECK(listed("byte x; active proctype P() { x == 1; x = 7; if :: else -> skip :: x > 4 -> x = 8 fi }") ==
        Listed{"2 x = 7", "6 x = 8"});
  CHECK(listed("byte x; active proctype P() { x == 1; if :: x == 2 -> skip; x = 4 fi }") == Listed{"4 x = 4"});
}

TEST_CASE("report: an option that is never executable is not listed, another such statement is") {
  CHECK(listed("byte x; active proctype P() { if :: false -> x = 2 :: x < 200 -> x = 3 fi }") == Listed{"2 x = 2"});
  CHECK(listed("byte x; active proctype P() { x = 1; x > 50; 0; x = 2 }") == Listed{"3 (0)", "4 x = 2"});
}

TEST_CASE("report: no statement is called unreached when all are reached") {
  const Model model = compile_text("active proctype P() { skip }\n");
  const std::string text = report_text(report_of(model, search_model(model)), Verbosity::kNormal, Palette(false));
  CHECK(contains(text, "every statement was reached\n"));
  CHECK(!contains(text, "unreached"));
}

TEST_CASE("report: the lossy cache is shown with its content, and one is not many") {
  const Model model = compile_text("active proctype P() { skip }\n");
  SearchResult result = search_model(model);
  StoreFigures& store = result.statistics.store.emplace();
  store.lossy_capacity = 97'146'837;
  store.lossy_left = 229;
  store.bloom_hashes = store.partitions = 1;
  KeyFigures& keys = result.keys.emplace();
  keys.threads = 1;
  const std::string text = report_text(report_of(model, result), Verbosity::kVerbose, Palette(false));
  CHECK(contains(text, "229  states in the lossy cache, which has room for 97,146,837\n"));
  CHECK(contains(text, "Bloom filter, 1 hash function\n"));
  CHECK(contains(text, " 1  partition on disk"));
  CHECK(contains(text, " 1  thread\n"));
}

TEST_CASE("report: the steps of an error are those of its counterexample") {
  const Model model = compile_text("active proctype P() { skip }\n");
  SearchResult result = search_model(model);
  FoundError error{ErrorKind{}, "wrong", {}, 27, {}, true};
  error.path.resize(2);  // moves of the claim
  error.path.front().pid = 0;
  result.errors.push_back(error);
  result.error_count = 1;
  const Report report = report_of(model, result);
  CHECK(contains(report_text(report, Verbosity::kQuiet, Palette(false)), "error: wrong (after 1 step)\n"));
  CHECK(nlohmann::json::parse(report_json(report))["errors"][0]["depth"] == 1);
}

TEST_CASE("report: an atomic sequence that never ends is told, and its statements are reached") {
  const Model model = compile_text(
      "active proctype P() {\n"
      "  byte x;\n"
      "  atomic {\n"
      "    x = 2;\n"
      "    do\n"
      "    :: x == 2 -> x = 3\n"
      "    :: x == 3 ->\n"
      "       x = 2\n"
      "    od\n"
      "  }\n"
      "}\n");
  const Report report = report_of(model, search_model(model));
  CHECK(report.verdict == Verdict::kHolds);
  const auto json = nlohmann::json::parse(report_json(report));
  CHECK(json["endless_atomic"] == nlohmann::json{{"states", 1}, {"file", "test.pml"}, {"line", 8}});
  const std::string text = report_text(report, Verbosity::kNormal, Palette(false));
  CHECK(contains(text, "note: an atomic sequence can go on for ever, at test.pml:8 (begun in 1 state): "));
  CHECK(contains(text, "state 10, \"-end-\"\n\t(1 of 10 states)"));  // as pan says
  const Model ends = compile_text("active proctype P() { atomic { skip; skip } }\n");
  CHECK(!contains(report_text(report_of(ends, search_model(ends)), Verbosity::kNormal, Palette(false)), "for ever"));
}

TEST_CASE("report: a search that was cut does not say holds") {
  const Model model = compile_text("active proctype P() { skip }\n");
  SearchResult result = search_model(model);
  CHECK(report_of(model, result).verdict == Verdict::kHolds);
  result.reasons.push_back({ReasonKind::kTime, "the time was up"});
  result.all_expanded = false;
  const Report report = report_of(model, result);
  CHECK(report.verdict == Verdict::kIncomplete);
  const std::string text = report_text(report, Verbosity::kQuiet, Palette(false));
  CHECK(contains(text, "incomplete: the time was up\n"));
  CHECK(!contains(text, "holds"));
  const auto json = nlohmann::json::parse(report_json(report));
  CHECK(json["verdict"] == "incomplete");
  CHECK(json["reasons"][0]["kind"] == "time");
}

TEST_CASE("report: a name that is no UTF-8, or drives the terminal, is escaped") {
  const Model model = compile_text("active proctype P() { skip }\n");
  SearchResult result = search_model(model);
  result.errors.push_back({ErrorKind{}, "caf\xe9 \x1b[2J", {}, 1, {}, false});
  result.error_count = 1;
  const Report report = report_of(model, result);
  CHECK_NOTHROW(nlohmann::json::parse(report_json(report)));
  CHECK(!contains(report_text(report, Verbosity::kVerbose, Palette(false)), "\x1b"));
  CHECK(contains(report_text(report, Verbosity::kNormal, Palette(true)), "\x1b[1;31m"));
}

TEST_CASE("report: counts and times are readable") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(12645068) == "12,645,068");
  CHECK(format_seconds(0.0123) == "0.012 s");
  CHECK(format_seconds(59.96) == "60.0 s");
  CHECK(format_seconds(125) == "2 min 5 s");
  CHECK(format_seconds(11520) == "3 h 12 min");
  CHECK(plural(1, "step") == "1 step");
  CHECK(plural(2000, "step") == "2,000 steps");
  CHECK(pad_right("caf\xc3\xa9", 6) == "caf\xc3\xa9  ");
}

}  // namespace
}  // namespace cmc
