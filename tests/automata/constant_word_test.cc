#include "checker/automata/constant_word.h"

#include <random>
#include <string>

#include "checker/automata/translate.h"
#include "tests/automata/formulas.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

bool has_word(const std::string& text) {
  Formulary formulary;
  const uint32_t formula = formulary.parse(text);
  return automata::has_constant_word(formulary.model(), formula);
}

TEST_CASE("constant word: a formula that one letter satisfies for ever is found") {
  CHECK(has_word("[] (p -> <> q)"));
  CHECK(has_word("[] (p -> <> q) && <> p"));
  CHECK(has_word("p U (X q && !r)"));
  CHECK(!has_word("[] !p && <> p"));
  CHECK(!has_word("p && X !p"));
  CHECK(!has_word("[] <> p && [] <> !p"));
  CHECK(!has_word("false"));
  CHECK(has_word("true"));
}

// Its automaton has thousands of states.
TEST_CASE("constant word: many conjuncts take no time") {
  Formulary formulary;
  uint32_t all = formulary.add({Formula::Op::kTrue, kNoFormula, kNoFormula, kNoExpression});
  for (int i = 0; i < 9; ++i) {
    const uint32_t answer =
        formulary.add({Formula::Op::kEventually, formulary.atom("a" + std::to_string(i)), kNoFormula, kNoExpression});
    const uint32_t asks =
        formulary.add({Formula::Op::kImplies, formulary.atom("r" + std::to_string(i)), answer, kNoExpression});
    const uint32_t always = formulary.add({Formula::Op::kAlways, asks, kNoFormula, kNoExpression});
    all = formulary.add({Formula::Op::kAnd, all, always, kNoExpression});
  }
  CHECK(automata::has_constant_word(formulary.model(), all));
}

TEST_CASE("constant word: a formula that has one has an automaton with words") {
  std::mt19937_64 engine(20261129);
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    Formulary formulary;
    const uint32_t formula = formulary.random(engine, 4, 3);
    INFO(formulary.text(formula));
    if (!automata::has_constant_word(formulary.model(), formula)) continue;
    ++found;
    const auto automaton = automata::automaton_of(formulary.model(), formula);
    REQUIRE(automaton.ok());
    CHECK(!automaton.value().states.front().edges.empty());
  }
  CHECK(found > 100);
}

}  // namespace
}  // namespace cmc::test
