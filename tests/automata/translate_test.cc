#include "checker/automata/translate.h"

#include "tests/automata/formulas.h"
#include "tests/automata/lasso.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using automata::Automaton;

// Formulas and what they say of words, and both automata of each.
void compare_random_formulas(uint64_t seed, int formulas, int words) {
  constexpr unsigned kAtoms = 3;
  std::mt19937_64 engine(seed);
  int refused = 0;
  for (int round = 0; round < formulas; ++round) {
    Formulary formulary;
    const std::vector<ExpressionId> atoms = {formulary.variable("p"), formulary.variable("q"),
                                             formulary.variable("r")};
    const uint32_t formula = formulary.random(engine, 1 + round % 6, kAtoms);
    INFO("seed " << seed << ", round " << round << ": " << formulary.text(formula));
    const Result<Automaton> own = automata::automaton_of(formulary.model(), formula);
    const Result<Automaton> violations = automata::automaton_of_violations(formulary.model(), formula);
    if (!own.ok() || !violations.ok()) {
      ++refused;
      continue;
    }
    for (int i = 0; i < words; ++i) {
      const LassoWord word = random_word(engine, kAtoms);
      const bool holds = automata::holds_on(word.with_atoms(atoms), formulary.model().formulas, formula);
      if (accepts(own.value(), word, atoms) != holds) FAIL("word " << i << ", own");
      if (accepts(violations.value(), word, atoms) == holds) FAIL("word " << i << ", violations");
    }
  }
  CHECK(refused <= formulas / 500);
}

TEST_CASE("translation: automaton and formula agree about words") { compare_random_formulas(2026, 1'000, 40); }

TEST_CASE("translation: automaton and formula agree about words, many formulas", "[.][slow]") {
  const PartOfDay part;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    if (part.has(seed)) compare_random_formulas(seed, 1'000, 100);
  }
}

TEST_CASE("translation: no word is accepted by the automata of a formula and of its negation") {
  std::mt19937_64 engine(7);
  for (int round = 0; round < 500; ++round) {
    Formulary formulary;
    const uint32_t formula = formulary.random(engine, 1 + round % 4, 3);
    INFO("round " << round << ": " << formulary.text(formula));
    const Result<Automaton> own = automata::automaton_of(formulary.model(), formula);
    const Result<Automaton> violations = automata::automaton_of_violations(formulary.model(), formula);
    REQUIRE(own.ok());
    REQUIRE(violations.ok());
    CHECK(disjoint(own.value(), violations.value()));
    CHECK(disjoint(own.value(), own.value()) == accepts_nothing(own.value()));
  }
}

TEST_CASE("translation: an automaton guesses only where it needs to") {
  // Safety, guarantee, and what is deterministic by itself.
  for (const char* text : {"[] (p -> X q)", "[] ((q && !r) -> (!p W r))", "<> (p && <> q)", "[] <> p", "p U (q U r)",
                           "[] <> p && [] <> q", "!([] (p || q))", "[] p || <> q"}) {
    INFO(text);
    Formulary formulary;
    const Result<Automaton> automaton = automata::automaton_of(formulary.model(), formulary.parse(text));
    REQUIRE(automaton.ok());
    CHECK(deterministic(automaton.value()));
  }
}

TEST_CASE("translation: the automaton of a formula that says nothing is plain") {
  Formulary formulary;
  const Result<Automaton> all = automata::automaton_of(formulary.model(), formulary.parse("p || !p"));
  REQUIRE(all.ok());
  REQUIRE(all.value().states.size() == 1);
  CHECK(all.value().states[0].accepting);
  REQUIRE(all.value().states[0].edges.size() == 1);
  CHECK(all.value().states[0].edges[0].label == std::vector{automata::Cube{}});

  const Result<Automaton> none =
      automata::automaton_of_violations(formulary.model(), formulary.parse("[] p || <> !p"));
  REQUIRE(none.ok());
  REQUIRE(none.value().states.size() == 1);
  CHECK(none.value().states[0].edges.empty());
  CHECK(!none.value().states[0].accepting);
}

std::string conjunction(const std::string& before, int count, const std::string& behind) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : " && ") + before + "v" + std::to_string(i) + behind;
  return text;
}

TEST_CASE("translation: a large formula is translated, a too large one refused") {
  const auto states = [](const std::string& text) {
    Formulary formulary;
    const Result<Automaton> automaton = automata::automaton_of(formulary.model(), formulary.parse(text));
    return automaton.ok() ? std::to_string(automaton.value().states.size()) : automaton.error();
  };
  CHECK(states(conjunction("[] <> ", 10, "")) == "11");
  CHECK(states(conjunction("<> ", 6, "")) == "64");
  CHECK(states(conjunction("[] (", 18, " -> <> w)")) == "2");
  CHECK(states("!(" + conjunction("[] (", 18, " -> <> w)") + ")") == "2");
  CHECK(states(conjunction("[] ", 20, "")) == "1");
  CHECK(states(conjunction("<> ", 20, "")).find("the formula is too large: with") == 0);
  CHECK(states(conjunction("<> ", 20, "")).find("20 of them different atoms") != std::string::npos);
  CHECK(states(conjunction("[] <> ", 20, "")).find("the formula is too large: with") == 0);
}

}  // namespace
}  // namespace cmc::test
