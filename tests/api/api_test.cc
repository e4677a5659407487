#include <algorithm>

#include "checker/api/cmc/cmc.h"

#include "tests/catch.h"

namespace cmc::api {
namespace {

constexpr const char* kCounter =
    "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; assert(x == N) }";
constexpr const char* kEndless = "int x, y; init { do :: x++ :: y++ :: x + y == -1 -> break od }";

Model parse(const std::string& text, const std::vector<std::string>& options = {}) {
  const Result<Model> model = Model::parse(text, "m.pml", options);
  if (!model.ok()) FAIL(model.error());
  return model.value();
}

CheckResult check(const Model& model, const std::vector<std::string>& options = {}) {
  const Result<CheckResult> result = model.check(options);
  if (!result.ok()) FAIL(result.error());
  return result.value();
}

std::string value(const Session& run, const std::string& name) {
  const std::vector<Value> values = run.values();
  const auto found = std::ranges::find(values, name, &Value::name);
  return found == values.end() ? "none" : found->text;
}

TEST_CASE("library: a mistake is an error that is returned, not printed") {
  const Result<Model> wrong = Model::parse("init { y = 1 }", "m.pml");
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().find("m.pml:1:8: error: undeclared variable 'y'") != std::string::npos);
  CHECK(wrong.error().find('\x1b') == std::string::npos);
  CHECK(!Model::load("/no/such/model.pml").ok());
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--nonsense"}, {"other.pml"}, {"--json"}, {"--json=x"}, {"--help"}, {"-D"}}) {
    CHECK(!Model::parse("init { skip }", "m.pml", options).ok());
  }
  const Model model = parse("init { skip }");
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--nonsense"},
                                                  {"--trail=x"},
                                                  {"--log=x"},
                                                  {"--json"},
                                                  {"-DN=3"},
                                                  {"--ltl=[] true"},
                                                  {"--property=none"},
                                                  {"--generator=plugin:none.so"},
                                                  {"--threads=0"}}) {
    CHECK(!model.check(options).ok());
  }
}

TEST_CASE("library: a counterexample is a shortest one, unless that is not wanted") {
  const Model model = parse(
      "byte a, b;\n"
      "active proctype A() { do :: a < 60 -> a++ :: a > 0 -> a-- od }\n"
      "active proctype B() { do :: b < 60 -> b++ :: b > 0 -> b-- od }\n"
      "active proctype C() { a == 3 && b == 3 -> assert(false) }\n");
  const std::vector<Violation> shortest = check(model, {"--search=dfs"}).violations;
  REQUIRE(shortest.size() == 1);
  CHECK(shortest.front().trace.size() == 14);
  const std::vector<Violation> found =
      check(model, {"--search=dfs", "--threads=1", "--shorten=0", "--reductions=por"}).violations;
  REQUIRE(found.size() == 1);
  CHECK(found.front().trace.size() > 14);
}

TEST_CASE("library: a check finds what the program finds") {
  CHECK(check(parse(kCounter, {"-DN=3"})).verdict == Verdict::kHolds);
  const CheckResult violated = check(parse(kCounter, {"-DN=4"}), {"--search=bfs"});
  CHECK(violated.verdict == Verdict::kViolated);
  REQUIRE(violated.violations.size() == 1);
  const Violation& violation = violated.violations.front();
  CHECK(violation.property == "safety");
  CHECK(violation.kind == "assertion");
  CHECK(violation.place.file == "m.pml");
  REQUIRE(!violation.trace.empty());
  CHECK(violation.trace.back().action.process == "P");
  CHECK(violation.trace.back().action.statement == "assert((x==4))");
  CHECK(violation.final_values.front().text == "3");
  CHECK(!violation.loop_start);
  CHECK(violated.json.find("\"cmc.result/1\"") != std::string::npos);
  CHECK(violated.json.find("\"-DN=4\"") != std::string::npos);

  const CheckResult endless = check(parse(kCounter, {"-DN=3", "--ltl=[] (x < 3)", "--ltl=<> (x == 9)"}));
  CHECK(endless.verdict == Verdict::kViolated);
  CHECK(endless.violations.size() == 2);

  const CheckResult cut = check(parse(kEndless), {"--time=0.2"});
  CHECK(cut.verdict == Verdict::kIncomplete);
  CHECK(cut.reasons.size() == 1);
  const std::atomic<bool> stop = true;
  CHECK(parse(kEndless).check({}, &stop).value().verdict == Verdict::kIncomplete);
}

TEST_CASE("library: mistakes have their places") {
  const Result<Model> wrong = Model::parse("init {\n  y = 1;\n  z = 2 }", "m.pml");
  REQUIRE(!wrong.ok());
  REQUIRE(wrong.mistakes().size() == 2);
  CHECK(wrong.mistakes()[1].place.file == "m.pml");
  CHECK(wrong.mistakes()[1].place.line == 3);
  CHECK(wrong.mistakes()[1].place.column == 3);
  CHECK(Model::parse("init { skip }", "m.pml", {"--nonsense"}).mistakes().empty());
}

TEST_CASE("library: a result has its counterexamples as traces, a page and trails") {
  std::optional<CheckResult> result;
  result.emplace(check(parse(kCounter, {"-DN=4"})));  // the model is gone
  CHECK(result->traces().find("\"cmc.trace/1\"") != std::string::npos);
  CHECK(result->page().starts_with("<!"));
  const Result<std::string> trail = result->trail();
  REQUIRE(trail.ok());
  CHECK(!result->trail(1).ok());
  Result<Session> run = parse(kCounter, {"-DN=4"}).start();
  REQUIRE(run.value().load(trail.value()).ok());
  REQUIRE(run.value().go_to(run.value().length()).ok());
  CHECK(run.value().end().find("assertion violated") != std::string::npos);
  CHECK(!parse("init { skip }").start().value().load(trail.value()).ok());
  const CheckResult holds = check(parse(kCounter, {"-DN=3"}));
  CHECK(holds.traces().empty());
  CHECK(holds.page().empty());
}

TEST_CASE("library: a session is walked in both directions") {
  Result<Session> started = parse("byte x; active proctype P() { byte y; do :: x < 5 -> x++; y = x od }").start();
  REQUIRE(started.ok());
  Session& run = started.value();
  REQUIRE(run.find("x == 3").value());
  CHECK(value(run, "x") == "3");
  CHECK(run.evaluate("x + P[0].y").ok() == false);  // no value of a process is in scope outside
  CHECK(run.evaluate("x + y", 0).value() == "5");
  CHECK(!run.evaluate("y", 7).ok());
  CHECK(!run.evaluate("x +").ok());
  const std::uint64_t there = run.position();
  REQUIRE(run.go_to(0).ok());
  CHECK(value(run, "x") == "0");
  CHECK(run.length() == there);
  CHECK(!run.go_to(there + 1).ok());
  CHECK(run.run(1000) > there);
  CHECK(run.is_stuck());
  CHECK(!run.why().empty());
  CHECK(!run.find("x == 9").value());
  CHECK(run.choices().empty());
  CHECK(run.trace().find("\"new\"") != std::string::npos);
  REQUIRE(run.go_to(1).ok());
  CHECK(run.choices()[0].changes == std::vector<std::string>{"x: 0 -> 1"});
}

TEST_CASE("library: a graph has all states, or says why not") {
  const Model model = parse("byte x; active [2] proctype P() { x++; assert(x < 2); x = 1 / (x - 1) }");
  const Graph graph = model.graph(1000).value();
  CHECK(graph.complete);
  CHECK(graph.svg.starts_with("<svg"));
  CHECK(std::ranges::any_of(graph.nodes, [](const Graph::Node& each) { return each.kind == Graph::Kind::kError; }));
  CHECK(std::ranges::any_of(graph.edges, &Graph::Edge::error));
  for (const Graph::Edge& each : graph.edges) {
    CHECK(each.from < graph.nodes.size());
    CHECK(each.to < graph.nodes.size());
  }
  const Graph cut = model.graph(2).value();
  CHECK(!cut.complete);
  CHECK(!cut.reason.empty());
  const std::atomic<bool> stop = true;
  CHECK(!parse(kEndless).graph(100'000, {}, &stop).value().complete);
  CHECK(!model.graph(10, {"-DN=3"}).ok());
}

TEST_CASE("library: a run takes the steps that were chosen") {
  std::optional<Session> run;
  {
    // The run keeps the model.
    Result<Session> started =
        parse(
            "chan q = [0] of { byte }; byte x;\n"
            "active proctype S() { q!7 }\nactive proctype R() { byte y; q?y; x = y; assert(x == 8) }")
            .start();
    REQUIRE(started.ok());
    run.emplace(std::move(started.value()));
  }
  REQUIRE(run->choices().size() == 1);
  CHECK(run->choices()[0].action.process == "S");
  REQUIRE(run->choices()[0].receiver);
  CHECK(run->choices()[0].receiver->process == "R");
  CHECK(!run->take(1).ok());
  REQUIRE(run->take(0).ok());
  CHECK(value(*run, "R[1].y") == "7");
  REQUIRE(run->take(0).ok());
  CHECK(value(*run, "x") == "7");
  REQUIRE(run->take(0).ok());
  CHECK(run->end().find("assert") != std::string::npos);
  CHECK(!run->is_stuck());

  Result<Session> stuck = parse("chan q = [0] of { byte }; init { q!1 }").start();
  REQUIRE(stuck.ok());
  CHECK(stuck.value().choices().empty());
  CHECK(stuck.value().is_stuck());
}

}  // namespace
}  // namespace cmc::api
