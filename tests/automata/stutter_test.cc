#include "checker/automata/stutter.h"

#include <map>
#include <set>

#include "checker/automata/claim.h"
#include "checker/automata/claim_letters.h"
#include "checker/automata/translate.h"
#include "tests/automata/formulas.h"
#include "tests/automata/lasso.h"
#include "tests/automata/spin_claims.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using automata::is_closed_under_stuttering;
using automata::LetterAutomaton;
using Letters = std::vector<uint32_t>;

LetterAutomaton random_automaton(std::mt19937_64& engine) {
  LetterAutomaton automaton;
  automaton.letters = 2 + engine() % 2;
  automaton.states.resize(2 + engine() % 3);
  const bool has_final = engine() % 3 == 0;
  for (uint32_t number = 0; number < automaton.states.size(); ++number) {
    LetterAutomaton::State& state = automaton.states[number];
    state.final = has_final && number + 1 == automaton.states.size();
    state.accepting = state.final || engine() % 3 == 0;
    for (size_t letter = 0; letter < automaton.letters; ++letter) {
      std::vector<uint32_t>& targets = state.targets.emplace_back();
      for (uint32_t target = 0; target < automaton.states.size(); ++target) {
        if (state.final ? target == number : engine() % 5 < 2) targets.push_back(target);
      }
    }
  }
  return automaton;
}

bool accepts(const LetterAutomaton& automaton, const LassoWord& word) {
  const size_t length = word.letters.size();
  std::vector<std::vector<size_t>> successors(automaton.states.size() * length);
  for (size_t node = 0; node < successors.size(); ++node) {
    for (const uint32_t target : automaton.states[node / length].targets[word.letters[node % length]]) {
      successors[node].push_back(target * length + word.successor(node % length));
    }
  }
  const auto accepting = [&](size_t node) { return automaton.states[node / length].accepting; };
  return has_cycle(successors, accepting, accepting);
}

bool ends(const LetterAutomaton& automaton, const Letters& word) {
  std::set<uint32_t> at{0};
  for (const uint32_t letter : word) {
    std::set<uint32_t> next;
    for (const uint32_t state : at) {
      for (const uint32_t target : automaton.states[state].targets[letter]) next.insert(target);
    }
    at = next;
  }
  return std::ranges::any_of(at, [&](uint32_t state) { return automaton.states[state].final; });
}

// The first letters without repetitions; of a word that repeats one for ever the last one fills up.
Letters without_repetitions(const LassoWord& word) {
  constexpr size_t kLength = 12;
  Letters letters;
  for (size_t i = 0, at = 0; i < 100 && letters.size() < kLength; ++i, at = word.successor(at)) {
    if (letters.empty() || letters.back() != word.letters[at]) letters.push_back(word.letters[at]);
  }
  letters.resize(kLength, letters.back());
  return letters;
}

// All words with at most so many letters.
std::vector<Letters> words(size_t letters, size_t longest) {
  std::vector<Letters> all{{}};
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == longest) break;
    for (uint32_t letter = 0; letter < letters; ++letter) {
      Letters longer = all[i];
      longer.push_back(letter);
      all.push_back(std::move(longer));
    }
  }
  all.erase(all.begin());
  return all;
}

// Whether two short words, or two prefixes, that differ in repetitions only are told apart.
bool tells_apart(const LetterAutomaton& automaton) {
  std::map<Letters, bool> known;
  std::map<Letters, bool> known_prefixes;
  for (const Letters& letters : words(automaton.letters, 5)) {
    for (size_t loop = 0; loop < letters.size(); ++loop) {
      const LassoWord word{letters, loop};
      const bool accepted = accepts(automaton, word);
      if (known.try_emplace(without_repetitions(word), accepted).first->second != accepted) return true;
    }
    Letters shortest = letters;
    shortest.erase(std::unique(shortest.begin(), shortest.end()), shortest.end());
    const bool ended = ends(automaton, letters);
    if (known_prefixes.try_emplace(shortest, ended).first->second != ended) return true;
  }
  return false;
}

void check_random_automata(uint64_t seed, int rounds) {
  std::mt19937_64 engine(seed);
  int closed = 0;
  for (int round = 0; round < rounds; ++round) {
    const LetterAutomaton automaton = random_automaton(engine);
    if (!is_closed_under_stuttering(automaton)) continue;
    ++closed;
    INFO("seed " << seed << ", round " << round);
    REQUIRE_FALSE(tells_apart(automaton));
  }
  CHECK(closed > rounds / 10);
}

TEST_CASE("stutter: an automaton that tells repeated letters apart is not closed") {
  check_random_automata(3, 3'000);
}

TEST_CASE("stutter: an automaton that tells repeated letters apart is not closed, many", "[.][slow]") {
  const PartOfDay part;
  for (uint64_t seed = 10; seed < 60; ++seed) {
    if (part.has(seed)) check_random_automata(seed, 10'000);
  }
}

bool is_closed(const Model& model, const Proctype& claim) {
  const Result<LetterAutomaton> automaton = automata::letters_of_claim(model, claim);
  INFO((automaton.ok() ? "" : automaton.error()));
  REQUIRE(automaton.ok());
  return is_closed_under_stuttering(automaton.value());
}

TEST_CASE("stutter: claims of formulas with X are closed only if the formula is") {
  std::mt19937_64 engine(5);
  int closed = 0;
  int counting = 0;
  for (int round = 0; round < 1'500; ++round) {
    Formulary formulary;
    const std::vector<ExpressionId> atoms = {formulary.variable("p"), formulary.variable("q")};
    const uint32_t formula = formulary.random(engine, 1 + round % 4, 2);
    INFO("round " << round << ": " << formulary.text(formula));
    Model& model = formulary.model();
    const auto automaton = automata::automaton_of_violations(model, formula);
    if (!automaton.ok()) continue;
    const uint32_t claim = automata::add_claim(model, automaton.value(), "f", {});
    if (!is_closed(model, model.claims[claim])) continue;
    ++closed;
    for (int i = 0; i < 60; ++i) {
      const LassoWord word = random_word(engine, 2);
      LassoWord longer;
      for (size_t at = 0; at < word.letters.size(); ++at) {
        if (at == word.loop_start) longer.loop_start = longer.letters.size();
        longer.letters.insert(longer.letters.end(), 1 + engine() % 3, word.letters[at]);
      }
      const auto& formulas = model.formulas;
      const bool holds = automata::holds_on(word.with_atoms(atoms), formulas, formula);
      if (automata::holds_on(longer.with_atoms(atoms), formulas, formula) != holds) ++counting;
    }
    REQUIRE(counting == 0);
  }
  CHECK(closed > 500);
}

Model claim_of(const std::string& claim) {
  return compile_text(
      "bit p, q, r; byte a[2], i; chan c = [1] of { bit };\n"
      "active proctype P() { L: do :: p = 1 - p :: q = 1 - q :: r = 1 - r :: i = 1 :: c!1 :: timeout -> skip od }\n" +
      claim);
}

TEST_CASE("stutter: claims that SPIN makes of formulas are closed") {
  for (const char* text : kSpinClaims) {
    INFO(text);
    const Model model = claim_of(text);
    CHECK(is_closed(model, model.claims.front()));
  }
}

TEST_CASE("stutter: a claim that counts states is not closed") {
  for (const char* body : {
           "p; q",                            // the second letter
           "do :: p -> break :: else od; q",  // the letter behind
           "accept: do :: p -> q od",         // every other state
           "T: do :: p -> goto accept :: q -> goto T od; accept: do :: q -> goto T od",
           "do :: true :: p -> break od; accept: do :: p -> !p od",
           "do :: true :: p -> goto accept od; accept: skip",  // one letter more to its end
           "do :: p -> assert(!q) :: else od",                 // the letter behind p
           "skip; skip",
       }) {
    INFO(body);
    const Model model = claim_of(std::string("never { ") + body + " }");
    CHECK_FALSE(is_closed(model, model.claims.front()));
  }
}

TEST_CASE("stutter: a claim that does not count states is closed") {
  for (const char* body : {
           "do :: p -> break :: else od",
           "do :: assert(p || !q) od",
           "do :: true :: len(c) < 1 -> goto accept od; accept: do :: len(c) < 1 od",
           "do :: atomic { p -> assert(!p) } :: true od",
           "do :: a[i] == 1 -> break :: else od",  // the condition that may fail is one letter
           "do :: P[0]@L :: !P[0]@L && i == 0 -> break od",
           "accept: do :: empty(c) || p od",
           "do :: true :: p -> goto accept od; accept: do :: !q od",  // it waits for the last p
           "end: skip",
       }) {
    INFO(body);
    const Model model = claim_of(std::string("never { ") + body + " }");
    CHECK(is_closed(model, model.claims.front()));
  }
}

TEST_CASE("stutter: a claim that does more than to look at the state is no automaton") {
  for (const char* body : {
           "do :: p -> i = 1 :: else od",
           "do :: timeout -> break :: else od",
           "do :: np_ -> break :: else od",
           "do :: enabled(0) -> break :: else od",
           "do :: pc_value(0) == 1 -> break :: else od",
           "do :: d_step { p -> skip } :: else od",
           "do :: a[1] == 2 && i == 1 :: i == 2 :: i == 3 :: i == 4 :: i == 5 :: i == 6 :: i == 7 :: i == 8 :: i == "
           "9 "
           ":: i == 10 :: i == 11 od",
       }) {
    INFO(body);
    const Model model = claim_of(std::string("never { ") + body + " }");
    CHECK_FALSE(automata::letters_of_claim(model, model.claims.front()).ok());
  }
}

}  // namespace
}  // namespace cmc::test
