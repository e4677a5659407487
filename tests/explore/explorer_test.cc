#include "checker/explore/explorer.h"

#include <algorithm>

#include "checker/explore/exports.h"
#include "checker/trace/trail.h"

#include "tests/catch.h"

namespace cmc::explore {
namespace {

const char* const kModel = R"(byte x; chan q = [2] of { byte };
active proctype P() {
  byte mine = 3;
  do
  :: x < 3 -> x++
  :: q ! x
  od
}
active proctype Q() {
  byte got;
end:
  do
  :: q ? got; assert(got < 3)
  od
}
)";

struct Rig {
  explicit Rig(const std::string& text = kModel) {
    promela::Sources sources;
    const uint32_t file = sources.add("model.pml", text);
    std::string messages;
    std::optional<LoadedModel> loaded = compile_model({}, std::move(sources), file, messages);
    INFO(messages);
    REQUIRE(loaded);
    walk = std::move(session::Walk::make(std::move(*loaded), 1, nullptr, interrupted)).value();
    explorer.emplace(*walk, "/nowhere/cmc");
  }
  Json act(const Json& message) {
    std::optional<Json> answer = explorer->act(Json::parse(message.dump()));  // numbers as they arrive
    while (!answer) answer = explorer->go_on();
    return *answer;
  }
  Json act(const char* name) { return act({{"do", name}}); }

  std::atomic<bool> interrupted = false;
  std::unique_ptr<session::Walk> walk;
  std::optional<Explorer> explorer;
};

// The row of a value in the state; null: there is none.
Json value(const Json& view, const std::string& section, const std::string& name) {
  for (const Json& each : view["state"]) {
    if (each["title"] != section) continue;
    for (const Json& row : each["values"]) {
      if (row[0] == name) return row;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("explorer: a run is walked in both directions, and changes are marked") {
  Rig rig;
  Json view = rig.act("view");
  CHECK(view["position"] == 0);
  CHECK(view["choices"].size() == 2);
  CHECK(view["waiting"].size() == 1);
  CHECK(view["waiting"][0]["process"] == "Q[1]");
  CHECK(value(view, "P[0]", "mine") == Json({"mine", "3"}));
  CHECK(rig.act("forward")["said"] == "choose a step: 1 to 2");
  rig.act({{"do", "choose"}, {"choice", 1}});
  view = rig.act("forward");
  CHECK(view["position"] == 2);
  CHECK(value(view, "globals", "x") == Json({"x", "1", "0"}));
  view = rig.act("back");
  CHECK(view["position"] == 1);
  CHECK(view["length"] == 2);
  CHECK(view["next"] == 1);
  CHECK(value(view, "globals", "x") == Json({"x", "0"}));
  const uint64_t before = view["revision"];
  CHECK(rig.act("forward")["revision"] == before);
  rig.act("back");
  CHECK(rig.act({{"do", "goto"}, {"position", 99}})["said"] == "the run has 2 choices so far");
  CHECK(rig.act({{"do", "choose"}, {"choice", 9}})["said"] == "there is no such choice here");
}

TEST_CASE("explorer: rows come in any part of the run, and leave it where it is") {
  Rig rig("int x; active proctype P() { do :: x++ :: x-- od }");
  for (int i = 0; i < 3000; ++i) rig.act("random");
  const Json rows = rig.act({{"do", "rows"}, {"from", 1500}, {"count", 100}})["rows"];
  REQUIRE(rows.size() == 100);
  CHECK(rows[0]["row"] == 1500);
  CHECK(rows[99]["row"] == 1599);
  CHECK(rig.act({{"do", "rows"}, {"from", 2990}, {"count", 4000000000}})["rows"].size() == 11);
  CHECK(rig.act({{"do", "rows"}, {"from", 5000}, {"count", 1}})["rows"].empty());
  CHECK(rig.act({{"do", "rows"}, {"from", 0}, {"count", 0}})["rows"].empty());
  CHECK(rig.act("view")["position"] == 3000);
  CHECK(rig.act({{"do", "view"}, {"around", 10}})["rows"].size() == 11);
}

TEST_CASE("explorer: find goes to the nearest state in slices, and can be cancelled") {
  Rig rig;
  Json view = rig.act({{"do", "find"}, {"expression", "len(q) == 2 && x == 3"}});
  CHECK(view["position"] == 8);
  CHECK(rig.act({{"do", "command"}, {"line", "find x == 9"}})["said"].get<std::string>().starts_with(
      "it holds in none of the"));
  CHECK(rig.act({{"do", "find"}, {"expression", "mine == 3"}})["said"].get<std::string>().find("undeclared") !=
        std::string::npos);
  CHECK(rig.act({{"do", "find"}, {"expression", "mine == 3"}, {"pid", 0}})["said"] == "it holds here");
  Rig large("int a, b; active proctype P() { do :: a++ :: b++ od }");
  std::optional<Json> answer = large.explorer->act({{"do", "find"}, {"expression", "a < 0"}});
  CHECK(!answer);
  CHECK(large.explorer->act({{"do", "forward"}})->value("busy", false));
  CHECK(large.act({{"do", "rows"}, {"from", 1}})["rows"].empty());
  large.explorer->cancel();
  answer = large.explorer->go_on();
  REQUIRE(answer);
  CHECK((*answer)["said"].get<std::string>().starts_with("cancelled after"));
  CHECK((*answer)["position"] == 0);
  CHECK(!large.explorer->is_busy());
}

TEST_CASE("explorer: breakpoints stop a run in both directions") {
  Rig rig;
  CHECK(rig.act({{"do", "toggle"}, {"file", 0}, {"line", 13}})["breakpoints"].size() == 1);
  Json view = rig.act("run");
  CHECK(view["said"] == "breakpoint 1: break at model.pml:13");
  const uint64_t first = view["position"];
  view = rig.act("run");
  CHECK(view["position"] > first);
  CHECK(rig.act("reverse")["position"] == first);
  CHECK(rig.act({{"do", "toggle"}, {"file", 0}, {"line", 13}})["breakpoints"].empty());
  CHECK(rig.act({{"do", "command"}, {"line", "watch x"}})["breakpoints"].size() == 1);
  CHECK(rig.act({{"do", "delete"}, {"number", 2}})["breakpoints"].empty());
  CHECK(rig.act("run")["end"] == "error");
}

TEST_CASE("explorer: two states are compared, and expressions are shown") {
  Rig rig;
  rig.act({{"do", "compare"}, {"position", 0}});
  rig.act({{"do", "find"}, {"expression", "x == 3"}});
  Json view = rig.act({{"do", "show"}, {"expression", "x + mine"}, {"pid", 0}});
  CHECK(view["compared"] == 0);
  CHECK(value(view, "globals", "x") == Json({"x", "3", "0"}));
  CHECK(view["shown"][0]["value"] == "6");
  rig.act("back");
  rig.act("compare");
  view = rig.act({{"do", "hide"}, {"index", 0}});
  CHECK(value(view, "globals", "x") == Json({"x", "2"}));
  CHECK(view["shown"].empty());
}

TEST_CASE("explorer: the neighbourhood has each state once, and says where ways meet") {
  Rig rig("byte a, b; active proctype P() { do :: a++ od } active proctype Q() { do :: b++ od }");
  const Json graph = rig.act({{"do", "view"}, {"graph", 2}})["graph"];
  CHECK(graph["nodes"].size() == 6);
  CHECK(graph["edges"].size() == 6);
  CHECK(graph["more"] == false);
  const auto meets = std::ranges::find_if(graph["nodes"], [](const Json& node) { return node["into"] == 2; });
  REQUIRE(meets != graph["nodes"].end());
  CHECK((*meets)["differs"] == Json({"a: 0 -> 1", "b: 0 -> 1"}));
  const Json view = rig.act({{"do", "take"}, {"path", (*meets)["path"]}});
  CHECK(view["position"] == 2);
  CHECK(value(view, "globals", "a")[1] == "1");
  Rig wide("int x; active [9] proctype P() { x++; x++; x++; x++ }");
  const Json large = wide.act({{"do", "view"}, {"graph", 4}})["graph"];
  CHECK(large["nodes"].size() == 60);
  CHECK(large["more"] == true);
}

TEST_CASE("explorer: what is exported can be walked again") {
  Rig rig;
  rig.act({{"do", "find"}, {"expression", "x == 3 && len(q) == 2"}});
  for (const char* const name : {"run.trail", "run.spin.trail"}) {
    const Result<Export> made = *export_run(*rig.walk, name);
    REQUIRE(made.ok());
    Rig other;
    REQUIRE(other.explorer->load(made.value().text).ok());
    const Json view = other.act({{"do", "goto"}, {"position", 8}});
    CHECK(value(view, "globals", "x")[1] == "3");
    CHECK(view["length"] == 8);
  }
  CHECK(rig.act("view")["position"] == 8);
  CHECK(export_run(*rig.walk, "run.html")->value().text.find("<!DOCTYPE html>") == 0);
  CHECK(export_run(*rig.walk, "run.mmd")->value().text.find("sequenceDiagram") != std::string::npos);
  CHECK(!export_run(*rig.walk, "../etc/passwd"));
  CHECK(!rig.explorer->load("no trail").ok());
}

TEST_CASE("explorer: no message is more than refused") {
  Rig rig;
  for (const char* const text : {"null",
                                 "[]",
                                 "1",
                                 "{}",
                                 R"({"do":1})",
                                 R"({"do":"x"})",
                                 R"({"do":"choose"})",
                                 R"({"do":"choose","choice":-1})",
                                 R"({"do":"choose","choice":"1"})",
                                 R"({"do":"goto","position":1e300})",
                                 R"({"do":"take","path":[[]]})",
                                 R"({"do":"take"})",
                                 R"({"do":"toggle","file":99,"line":1})",
                                 R"({"do":"toggle","file":0,"line":99999})",
                                 R"({"do":"toggle","file":0,"line":4294967295})",
                                 R"({"do":"delete","number":18446744073709551615})",
                                 R"({"do":"show"})",
                                 R"({"do":"show","expression":"x","pid":300})",
                                 R"({"do":"hide","index":7})",
                                 R"({"do":"compare","position":9})",
                                 R"({"do":"find","expression":""})",
                                 R"({"do":"command","line":""})",
                                 R"({"do":"command","line":"find"})",
                                 R"({"do":"rows","from":-1})",
                                 R"({"do":"view","graph":-2})"}) {
    INFO(text);
    const Json answer = rig.act(Json::parse(text));
    CHECK((answer.contains("said") || answer.contains("rows")));
    CHECK(rig.act("view")["position"] == 0);
  }
  CHECK(rig.act({{"do", "show"}, {"expression", std::string(5000, 'x')}})["said"] == "'expression' is too long");
  CHECK(rig.act("counterexample")["said"].get<std::string>().find("/nowhere/cmc") != std::string::npos);
  CHECK(!rig.explorer->has_ended());
  rig.act("end");
  CHECK(rig.explorer->has_ended());
}

TEST_CASE("explorer: a model whose initial state fails is shown, too") {
  Rig rig("byte a[2]; byte n = 5; byte x = a[n]; active proctype P() { skip }");
  for (const char* const action : {"view", "forward", "random", "back", "run", "reverse"}) {
    const Json view = rig.act(action);
    CHECK(view["position"] == 0);
  }
  CHECK(rig.act({{"do", "view"}, {"graph", 3}, {"around", 20}}).contains("graph"));
  CHECK(rig.act({{"do", "find"}, {"expression", "x == 1"}}).contains("said"));
  CHECK(rig.act({{"do", "compare"}, {"position", 0}}).contains("said"));
}

}  // namespace cmc::explore
