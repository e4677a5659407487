#include "checker/automata/evaluate.h"

#include "tests/automata/formulas.h"
#include "tests/automata/lasso.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// "pq.q|.p": the letters {p,q}, {}, {q}, then {} and {p} for ever; a letter ends at the next space.
LassoWord word_of(const std::string& text, const std::string& atoms) {
  LassoWord word;
  uint32_t letter = 0;
  for (const char c : text + " ") {
    if (c == '|') word.loop_start = word.letters.size();
    if (atoms.find(c) != std::string::npos) letter |= uint32_t{1} << atoms.find(c);
    if (c != ' ') continue;
    word.letters.push_back(letter);
    letter = 0;
  }
  return word;
}

bool holds(const std::string& formula, const std::string& word) {
  Formulary formulary;
  const std::vector<ExpressionId> atoms = {formulary.variable("p"), formulary.variable("q"), formulary.variable("r")};
  const uint32_t root = formulary.parse(formula);
  const LassoWord letters = word_of(word, "pqr");
  return automata::holds_on(letters.with_atoms(atoms), formulary.model().formulas, root);
}

TEST_CASE("formula on a word: every operator means what it should") {
  CHECK(holds("p", "p |."));
  CHECK(!holds("p", ". |p"));
  CHECK(holds("true", "|."));
  CHECK(!holds("false", "|."));
  CHECK(holds("X p", ". |p"));
  CHECK(holds("X p", "|. p"));
  CHECK(holds("X X p", "|p ."));
  CHECK(!holds("X p", "|p ."));
  CHECK(holds("[] p", "p |p"));
  CHECK(!holds("[] p", "p |p ."));
  CHECK(holds("<> p", ". . |. p"));
  CHECK(!holds("<> p", ". . |."));
  CHECK(holds("p U q", "p p |q"));
  CHECK(!holds("p U q", "p |p"));
  CHECK(!holds("p U q", "p . |q"));
  CHECK(holds("p W q", "p |p"));
  CHECK(!holds("p W q", "p |."));
  CHECK(holds("p V q", "q |q"));
  CHECK(holds("p V q", "q pq |."));
  CHECK(!holds("p V q", "q p |."));
  CHECK(holds("p -> q", "|."));
  CHECK(!holds("p <-> q", "|p"));
  CHECK(holds("[] <> p", ". |. . p"));
  CHECK(!holds("<> [] p", "p |p ."));
  CHECK(holds("<> [] p", ". |p"));
  CHECK(holds("[] (p -> X q)", "|p q"));
  CHECK(holds("[] (p -> (q U r))", "pq |pq q r"));
  // The loop begins before the position from which the value comes.
  CHECK(holds("X X X p", "|p . ."));
  CHECK(holds("q U p", "|q p"));
  CHECK(!holds("X (q U p)", "p |q"));
}

}  // namespace
}  // namespace cmc::test
