#include <string>

#include "checker/conform/map_text.h"

#include "tests/catch.h"

namespace cmc::conform {
namespace {

std::string error_of(const std::string& text) {
  const Result<MapText> map = parse_map("map", text, false);
  return map.ok() ? "" : map.error();
}

RuleText rule_of(const std::string& text) {
  const Result<MapText> map = parse_map("map", text, false);
  REQUIRE(map.ok());
  REQUIRE(map.value().rules.size() == 1);
  return map.value().rules.front();
}

}  // namespace

TEST_CASE("map: a rule has a name, fields, a place, a step and conditions") {
  const RuleText rule =
      rule_of("event send.data(m, to) at node[to - 1]@busy : q[f(to)] ! data(m, _) where x == m && len(q[0]) > 0");
  CHECK(rule.event == "send.data");
  CHECK(rule.fields == std::vector<std::string>{"m", "to"});
  CHECK(rule.proctype == "node");
  CHECK(rule.pid == "to - 1");
  CHECK(rule.label == "busy");
  CHECK(rule.kind == RuleText::Kind::kSend);
  CHECK(rule.target == "q[f(to)]");
  CHECK(rule.arguments == std::vector<std::string>{"data", "m", "_"});
  CHECK(rule.where == std::vector<std::string>{"x == m", "len(q[0]) > 0"});
}

TEST_CASE("map: comparisons are no assignments") {
  CHECK(rule_of("event a(v) : x[y == 1] = v").kind == RuleText::Kind::kAssign);
  CHECK(rule_of("event a(v) : q ? v, (x >= 1)").kind == RuleText::Kind::kReceive);
  CHECK(error_of("event a : x == 1") ==
        "map:1:17: error: a step is CHANNEL ! VALUES, CHANNEL ? VALUES, VARIABLE = VALUE or printf(...)");
  CHECK(rule_of("event a(v) : q !! v").arguments == std::vector<std::string>{"v"});
}

TEST_CASE("map: a disjunction is one condition") {
  CHECK(rule_of("event a at P where x == 1 && y || z").where == std::vector<std::string>{"x == 1 && y || z"});
}

TEST_CASE("map: a printf is known by its text") {
  const RuleText rule = rule_of("event a(v) : printf(\"got %d, \\n\", v)");
  CHECK(rule.target == "got %d, \n");
  CHECK(rule.arguments == std::vector<std::string>{"v"});
}

TEST_CASE("map: in a model only comments count") {
  const Result<MapText> map =
      parse_map("m.pml", "event nonsense\n  //@ event a at P\n// event b\n//@ ignore x, y\n", true);
  REQUIRE(map.ok());
  CHECK(map.value().rules.size() == 1);
  CHECK(map.value().ignored == std::set<std::string>{"x", "y"});
}

TEST_CASE("map: a text that is cut anywhere is read or refused") {
  const std::string text =
      "log text event=kind node=host clock=time\nline (?<event>\\w+)\nvalue up = 1\n"
      "event a(m, n) at P[m]@l : printf(\"%d\", n) where q ? [m] && (x)\n";
  for (size_t size = 0; size <= text.size(); ++size) {
    const Result<MapText> map = parse_map("map", text.substr(0, size), false);
    if (!map.ok()) CHECK(map.error().starts_with("map:"));
  }
}

}  // namespace cmc::conform
