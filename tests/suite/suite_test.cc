#include "checker/suite/suite.h"

#include "tests/catch.h"

namespace cmc::suite {
namespace {

constexpr const char* kResult = R"({"schema": "cmc.result/1", "verdict": "violated", "reasons": [], "error_count": 3,
  "states_stored": 7, "transitions": 9, "errors": [
    {"kind": "invalid end state", "message": "stuck", "file": null, "line": null},
    {"kind": "assertion", "message": "assertion violated", "file": "a.pml", "line": 4},
    {"kind": "assertion", "message": "assertion violated", "file": "a.pml", "line": 5}]})";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Case failed_case() {
  Case each;
  each.model = "a b/<&\">%,:.pml";
  each.line = 3;
  each.text = "holds with -DS=\"<\xff\x01\n\"";
  each.expectation = parse_expectation("holds").value();
  each.arguments = {"-DN=3"};
  each.status = Case::Status::kFailed;
  each.messages = {"verdict: expected holds, found violated", "100 %\r\nsure \x1b[31m]]>"};
  each.outcome = parse_result(kResult);
  each.outcome->finding = Outcome::Finding{"stuck", "b.pml", 9};
  return each;
}

Suite suite_of(const Case& each) {
  Suite suite;
  Case open;
  open.model = "a.pml";
  suite.cases = {each, open};
  return suite;
}

TEST_CASE("suite: a result is read") {
  const std::optional<Outcome> outcome = parse_result(kResult);
  REQUIRE(outcome);
  CHECK(outcome->verdict == Verdict::kViolated);
  CHECK(outcome->kinds == std::vector<std::string>{"assertion", "end-state"});
  CHECK(outcome->states == 7);
  CHECK(outcome->transitions == 9);
  CHECK(outcome->errors == 3);
  CHECK(outcome->finding->message == "stuck");
  const std::string text = kResult;
  for (size_t size = 0; size + 1 < text.size(); ++size) CHECK(!parse_result(text.substr(0, size)));
  CHECK(!parse_result(
      R"({"schema": "cmc.result/1", "verdict": "incomplete", "reasons": [{"kind": "running", "text": ""}]})"));
  CHECK(!parse_result("[]"));
  CHECK(!parse_result(R"({"schema": 3})"));
}

TEST_CASE("suite: a difference is seen") {
  const Outcome outcome = *parse_result(kResult);
  const auto different = [&](std::string_view text) { return differences(parse_expectation(text).value(), outcome); };
  CHECK(different("violated").empty());
  CHECK(different("violated(end-state,assertion) states=7 transitions=9 errors=3").empty());
  CHECK(different("holds states=1").size() == 1);
  CHECK(different("incomplete").size() == 1);
  CHECK(different("violated(assertion)").size() == 1);
  CHECK(different("violated states=8").front() == "states: expected 8, found 7");
  CHECK(different("violated(assertion) states=6 transitions=8 errors=0").size() == 4);
}

TEST_CASE("suite: a remembered outcome is read back") {
  const Outcome outcome = *parse_result(kResult);
  const std::string text = remembered_json("k1", outcome);
  const std::optional<Outcome> read = parse_remembered(text, "k1");
  REQUIRE(read);
  CHECK(read->verdict == outcome.verdict);
  CHECK(read->kinds == outcome.kinds);
  CHECK(read->states == outcome.states);
  CHECK(read->transitions == outcome.transitions);
  CHECK(read->errors == outcome.errors);
  CHECK(!parse_remembered(text, "k2"));
  for (size_t size = 0; size + 2 < text.size(); ++size) CHECK(!parse_remembered(text.substr(0, size), "k1"));
  Outcome incomplete = outcome;
  incomplete.verdict = Verdict::kIncomplete;
  CHECK(!parse_remembered(remembered_json("k1", incomplete), "k1"));
}

TEST_CASE("suite: a text of a model stays in its place in a report") {
  const Suite suite = suite_of(failed_case());
  const std::string row = case_text(suite.cases[0], Palette(false));
  CHECK(!contains(row, "\x1b"));
  CHECK(std::ranges::count(row, '\n') == 3);

  const std::string junit = junit_xml(suite);
  CHECK(contains(junit, "classname=\"a b/&lt;&amp;&quot;&gt;%,:.pml\""));
  CHECK(contains(junit, "&quot;&lt;\xEF\xBF\xBD?&#10;&quot;"));
  CHECK(!contains(junit, "]]>"));
  CHECK(!contains(junit, "\x1b"));
  CHECK(contains(junit, "errors=\"1\""));  // the open case

  const std::string sarif = sarif_json(suite);
  CHECK(contains(sarif, "\"uri\": \"a%20b/%3C&%22%3E%25,:.pml\""));
  CHECK(contains(sarif, "\"uri\": \"b.pml\""));

  const std::string annotation = github_annotation(suite.cases[0]);
  CHECK(annotation.starts_with("::error file=a b/<&\">%25%2C%3A.pml,line=3,title=broken expectation::verdict"));
  CHECK(contains(annotation, "100 %25%0D%0Asure"));
  CHECK(std::ranges::count(annotation, '\n') == 1);
  CHECK(github_annotation(suite.cases[1]).empty());
}

TEST_CASE("suite: a report of a run that has not ended says so") {
  Suite suite = suite_of(failed_case());
  CHECK(contains(sarif_json(suite), "\"executionSuccessful\": true"));
  CHECK(contains(suite_json(suite), "\"complete\": true"));
  suite.interrupted = true;
  CHECK(contains(sarif_json(suite), "\"executionSuccessful\": false"));
  suite.interrupted = false;
  suite.running = true;
  CHECK(contains(sarif_json(suite), "\"executionSuccessful\": false"));
  CHECK(contains(suite_json(suite), "\"complete\": false"));
  CHECK(contains(junit_xml(suite), "not run"));
}

}  // namespace
}  // namespace cmc::suite
