#include "checker/suite/expectation.h"

#include "tests/catch.h"

namespace cmc::suite {
namespace {

using Words = std::vector<std::string>;

Expectation expectation(std::string_view text) {
  const Result<Expectation> result = parse_expectation(text);
  INFO(text);
  if (!result.ok()) FAIL(result.error());
  return result.value();
}

TEST_CASE("expectations: claims have a number, and say which command decides them") {
  const auto states = parse_expectation("states >= 1000 with -DN=3");
  REQUIRE(states.ok());
  CHECK(states.value().claim == Expectation::Claim::kStates);
  CHECK(states.value().number == 1000);
  CHECK(states.value().arguments() == std::vector<std::string>{"--max-errors=0", "--reductions=none", "-DN=3"});
  const auto teeth = parse_expectation("teeth>=80% property=p mutants=50");
  REQUIRE(teeth.ok());
  CHECK(std::string(teeth.value().command()) == "mutate");
  CHECK(teeth.value().number == 80);
  CHECK(teeth.value().arguments() == std::vector<std::string>{"--property=p", "--mutants=50"});
  CHECK(parse_expectation("reached line 28").value().number == 28);
  const auto log = parse_expectation("not-explained logs/a.jsonl,b.csv with -DN=3 time=5");
  REQUIRE(log.ok());
  CHECK(std::string(log.value().command()) == "conform");
  CHECK(log.value().claim == Expectation::Claim::kNotExplained);
  CHECK(log.value().logs == std::vector<std::string>{"logs/a.jsonl", "b.csv"});
  CHECK(log.value().arguments() == std::vector<std::string>{"-DN=3", "--time=5"});
  for (const char* wrong :
       {"teeth >= 101%", "teeth >= 80", "states >= 0", "states >= -1", "reached line", "reached 3",
        "states >= 99999999999999999999", "teeth >= 80% search=bfs", "states >= 5 errors=1", "explained",
        "explained a,,b", "explained /etc/passwd", "explained a/../../b", "explained -", "explained a search=bfs"}) {
    CHECK(!parse_expectation(wrong).ok());
  }
}

TEST_CASE("expectation: it means what it says") {
  const Expectation plain = expectation("holds");
  CHECK(plain.verdict == Verdict::kHolds);
  CHECK(!plain.figures.any());
  CHECK(plain.arguments().empty());

  const Expectation full = expectation(
      "violated(end-state,assertion) states=12 transitions=30 errors=0 with -DN=3 -UM -E -J steps=path slow "
      "only-cmc");
  CHECK(full.verdict == Verdict::kViolated);
  CHECK(full.kinds == Words{"assertion", "end-state"});
  CHECK(full.figures.states == 12);
  CHECK(full.figures.transitions == 30);
  CHECK(full.figures.errors == 0);
  CHECK(full.slow);
  CHECK(full.only_cmc);
  CHECK(!full.solver);
  CHECK(full.arguments() == Words{"--max-errors=0", "--reductions=none", "-DN=3", "-UM", "-E", "-J", "--steps=path"});
}

TEST_CASE("expectation: figures and kinds are those of the whole state space") {
  CHECK(expectation("violated").arguments().empty());
  CHECK(expectation("violated property=p").arguments() == Words{"--property=p"});
  CHECK(expectation("violated(trace)").arguments() == Words{"--max-errors=0", "--reductions=none"});
  CHECK(expectation("violated errors=2").arguments() == Words{"--max-errors=0", "--reductions=none"});
  CHECK(expectation("holds states=2").arguments() == Words{"--reductions=none"});
  CHECK(expectation("holds states=2 reductions=por").arguments() == Words{"--reductions=por"});
  CHECK(expectation("incomplete transitions=2").arguments() == Words{"--max-errors=0", "--reductions=none"});
}

TEST_CASE("expectation: every kind of error has a name") {
  for (int i = 0; i < static_cast<int>(RuntimeErrorKind::kEmbeddedC); ++i) {
    if (is_reason(static_cast<RuntimeErrorKind>(i))) continue;
    const std::string name = short_kind(runtime_error_name(static_cast<RuntimeErrorKind>(i)));
    CHECK(expectation("violated(" + name + ")").kinds == Words{name});
  }
  for (const ErrorKind& kind :
       {ErrorKind::invalid_end_state(), ErrorKind::acceptance_cycle(), ErrorKind::non_progress_cycle()}) {
    const std::string name = short_kind(error_kind_name(kind));
    CHECK(expectation("violated(" + name + ")").kinds == Words{name});
  }
  CHECK(expectation("violated(invalid-end-state,end-state)").kinds == Words{"end-state"});
}

TEST_CASE("expectation: a line that makes no sense is an error") {
  for (const char* bad : {"",
                          "hold",
                          "holds()",
                          "holds(assertion)",
                          "violated()",
                          "violated(x)",
                          "violated(assertion,)",
                          "violated(",
                          "violated)",
                          "violated(embedded-C)",
                          "Holds",
                          "holds state=3",
                          "holds states",
                          "holds states=",
                          "holds states=-1",
                          "holds states=1 states=1",
                          "holds states=3x",
                          "holds states=99999999999999999999",
                          "holds steps=",
                          "holds steps",
                          "holds --json=x",
                          "holds json=x",
                          "holds trail=x",
                          "holds solver-program=x",
                          "holds store=/tmp",
                          "holds -I/tmp",
                          "holds -x",
                          "holds slow=1",
                          "holds nothing",
                          "nothing states=3",
                          "holds \x1b[31m"}) {
    INFO(bad);
    const Result<Expectation> result = parse_expectation(bad);
    CHECK(!result.ok());
    if (!result.ok()) CHECK(result.error().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("expectation: its lines are found, and no others") {
  const ExpectLines found = find_expectations(
      "/* expect: holds */\n"
      " * expect:violated(assertion)   with  -DN=1  \r\n"
      "// text expect: holds\n"
      "expected: holds\n"
      "\t expect: bogus\n"
      "x = 1; // expect: holds\n"
      "/** expect: */ x\n"
      "   expect: incomplete");
  REQUIRE(found.lines.size() == 5);
  CHECK(!found.nothing);
  CHECK(found.lines[0].line == 1);
  CHECK(found.lines[0].text == "holds");
  CHECK(found.lines[1].line == 2);
  CHECK(found.lines[1].text == "violated(assertion)   with  -DN=1");
  CHECK(found.lines[1].expectation.ok());
  CHECK(found.lines[2].line == 5);
  CHECK(!found.lines[2].expectation.ok());
  CHECK(found.lines[3].line == 7);
  CHECK(!found.lines[3].expectation.ok());
  CHECK(found.lines[4].expectation.value().verdict == Verdict::kIncomplete);

  CHECK(find_expectations("").lines.empty());
  CHECK(find_expectations("/* expect: nothing */").nothing);
  CHECK(find_expectations("/* expect: nothing */").lines.empty());
}

}  // namespace
}  // namespace cmc::suite
