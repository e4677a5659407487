#include "checker/automata/claim.h"

#include "checker/automata/automaton_text.h"
#include "checker/automata/strength.h"
#include "checker/automata/translate.h"
#include "ir/print.h"
#include "ir/product.h"
#include "ir/validate.h"
#include "tests/automata/formulas.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using automata::Strength;

// One letter for each location from 1 on: none, strong, weak, terminal.
std::string strengths_of(const Model& model, const Proctype& claim) {
  std::string text;
  for (const Strength strength : automata::strengths(model, claim)) text += "-SWT"[static_cast<size_t>(strength)];
  return text.substr(1);
}

std::string strengths_of_violations(const std::string& formula) {
  Formulary formulary;
  Model& model = formulary.model();
  const auto automaton = automata::automaton_of_violations(model, formulary.parse(formula));
  REQUIRE(automaton.ok());
  const uint32_t claim = automata::add_claim(model, automaton.value(), "f", {});
  CHECK(validate(model).empty());
  CHECK(validate(with_observers(model, claim)).empty());
  return strengths_of(model, model.claims[claim]);
}

TEST_CASE("a claim is not what the automaton is") {
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

TEST_CASE("a claim without words, or with a union as a label, is wrong") {
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

TEST_CASE("the strength of an automaton's states is wrong") {
  CHECK(strengths_of_violations("[] p") == "-T-");
  CHECK(strengths_of_violations("[] (p -> <> q)") == "-W-");
  CHECK(strengths_of_violations("<> p") == "W-");
  CHECK(strengths_of_violations("[] <> p") == "-W-");
  CHECK(strengths_of_violations("<> [] p") == "SS-");
  CHECK(strengths_of_violations("[] (p -> (q U r))") == "-WT-");
  CHECK(strengths_of_violations("[] <> p -> [] <> q") == "-SS-");
  CHECK(strengths_of_violations("false") == "T-");
  CHECK(strengths_of_violations("true") == "--");
}

TEST_CASE("the strength of a never claim's locations is wrong") {
  const auto of = [](const std::string& claim, const std::string& process = "skip") {
    const Model model = compile_text("byte x; active proctype P() { " + process + " } never { " + claim + " }");
    return strengths_of(model, model.claims.at(0));
  };
  const auto set = [](const std::string& strengths) {
    std::string letters = strengths;
    std::sort(letters.begin(), letters.end());
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    return letters;
  };
  CHECK(set(of("do :: x == 2 -> break :: true od")) == "-");
  CHECK(set(of("T0: do :: x == 2 -> goto accept_s :: true od; accept_s: do :: x == 2 od")) == "-W");
  CHECK(set(of("T0: do :: x == 2 -> goto accept_s :: true od; accept_s: do :: true od")) == "-T");
  CHECK(set(of("T0: do :: x == 2 -> goto accept_s :: true od; accept_s: do :: x == 1 :: else od")) == "-W");
  CHECK(set(of("T0: do :: true od; accept_s: x == 1; goto T0")) == "-");
  CHECK(set(of("T0: do :: true :: x == 1 -> goto accept_s od; accept_s: x == 1; goto T0")) == "-S");
  // Complete, but it can be left.
  CHECK(set(of("accept_s: do :: true :: x == 1 -> break od; x == 2")) == "-T");
  // A label of a process can make any cycle accepting.
  CHECK(set(of("do :: true od", "accept: do :: x = 1 od")) == "-S");
  // A location inside an atomic sequence is never seen between two steps of the system.
  CHECK(set(of("do :: atomic { x == 1 -> accept_s: x == 1 } od")) == "-S");
}

TEST_CASE("an automaton is printed wrongly") {
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
