#include "checker/automata/claim.h"

#include "checker/automata/automaton_text.h"
#include "checker/automata/translate.h"
#include "ir/print.h"
#include "ir/product.h"
#include "ir/validate.h"
#include "tests/automata/formulas.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

TEST_CASE("claim: a claim is what the automaton is") {
  Formulary formulary;
  Model& model = formulary.model();
  const uint32_t formula = formulary.parse("[] (p -> (q U r))");
  const auto automaton = automata::automaton_of_violations(model, formula);
  REQUIRE(automaton.ok());
  const uint32_t number = automata::add_claim(model, automaton.value(), "request", {0, 7, 3});
  REQUIRE(number == 0);
  CHECK(validate(model).empty());
  CHECK(validate(with_observers(model, number)).empty());
  const Proctype& claim = model.claims[number];
  CHECK(claim.name == "request");
  CHECK(claim.place == SourcePlace{0, 7, 3});
  std::string text;
  for (size_t location = 1; location < claim.end; ++location) {
    CHECK(claim.locations[location].accepting == claim.locations[location].labels[0].starts_with("accept"));
    text += claim.locations[location].labels[0] + "\n";
    for (const Edge& edge : claim.locations[location].edges) {
      text += "  " + std::to_string(edge.target) + " " + statement_text(model, nullptr, edge.statement) + "\n";
    }
  }
  CHECK(text ==
        "T0_init\n"
        "  1 (1)\n"
        "  2 ((p&&q)&&!(r))\n"
        "  3 ((p&&!(q))&&!(r))\n"
        "accept_S1\n"
        "  2 (q&&!(r))\n"
        "  3 (!(q)&&!(r))\n"
        "accept_all\n"
        "  3 (1)\n");
}

TEST_CASE("claim: claims without words, and with unions as labels, are right") {
  Formulary formulary;
  Model& model = formulary.model();
  const auto none = automata::automaton_of(model, formulary.parse("p && !p"));
  const Proctype empty = model.claims[automata::add_claim(model, none.value(), "none", {})];
  CHECK(empty.locations[1].edges.empty());
  CHECK(empty.locations[1].text == "(0)");
  const auto either = automata::automaton_of(model, formulary.parse("[] (p || q)"));
  const Proctype claim = model.claims[automata::add_claim(model, either.value(), "either", {})];
  REQUIRE(claim.locations[1].edges.size() == 1);
  CHECK(statement_text(model, nullptr, claim.locations[1].edges[0].statement) == "(p||q)");
  CHECK(claim.locations[1].labels == std::vector<std::string>{"accept_init"});
  CHECK(validate(model).empty());
}

TEST_CASE("claim: an automaton is printed in every format") {
  Formulary formulary;
  Model& model = formulary.model();
  const Result<automata::Automaton> automaton =
      automata::automaton_of_violations(model, formulary.parse("[] (p -> X q) && [] (q || r)"));
  REQUIRE(automaton.ok());
  const auto print = [&](automata::Format format) {
    return automata::automaton_text(model, automaton.value(), "next", "a \"title\"", format);
  };
  CHECK(print(automata::Format::kNever) == R"text(never next {  /* a "title" */
T0_init:
	do
	:: ((!p && q) || (!p && r)) -> goto T0_init
	:: (!q && !r) -> goto accept_all
	:: ((p && q) || (p && r)) -> goto T0_S2
	od;
accept_all:
	do
	:: (1) -> goto accept_all
	od;
T0_S2:
	do
	:: (!p && q) -> goto T0_init
	:: (!q) -> goto accept_all
	:: (p && q) -> goto T0_S2
	od;
}
)text");
  CHECK(print(automata::Format::kHoa) == R"text(HOA: v1
name: "next: a \"title\""
States: 3
Start: 0
AP: 3 "p" "q" "r"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc deterministic
--BODY--
State: 0
[!0&1 | !0&2] 0
[!1&!2] 1
[0&1 | 0&2] 2
State: 1 {0}
[t] 1
State: 2
[!0&1] 0
[!1] 1
[0&1] 2
--END--
)text");
  CHECK(print(automata::Format::kDot) == R"text(digraph "next" {
  label = "a \"title\""
  rankdir = LR
  start [shape = point]
  start -> 0
  0 [label = "T0_init", shape = circle]
  0 -> 0 [label = "((!p && q) || (!p && r))"]
  0 -> 1 [label = "(!q && !r)"]
  0 -> 2 [label = "((p && q) || (p && r))"]
  1 [label = "accept_all", shape = doublecircle]
  1 -> 1 [label = "(1)"]
  2 [label = "T0_S2", shape = circle]
  2 -> 0 [label = "(!p && q)"]
  2 -> 1 [label = "(!q)"]
  2 -> 2 [label = "(p && q)"]
}
)text");
}

}  // namespace
}  // namespace cmc::test
