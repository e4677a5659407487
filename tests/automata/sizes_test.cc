#include "checker/automata/translate.h"
#include "tests/automata/formulas.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// The patterns of Dwyer, Avrunin, Corbett (Patterns in property specifications for finite-state verification, 1999),
// fairness, and others. Numbers of states: of the automaton of violations and of the formula's own, each beside that
// of SPIN 6.5.2 (spin -f), or 0 where SPIN takes more than a minute or does not know X. W is written as V for SPIN.
struct Row {
  const char* formula;
  size_t violations;
  size_t violations_in_spin;
  size_t own;
  size_t own_in_spin;
};

constexpr Row kRows[] = {
    {"[] p", 2, 2, 1, 2},
    {"<> p", 1, 2, 2, 2},
    {"[] <> p", 2, 2, 2, 2},
    {"<> [] p", 2, 2, 2, 2},
    {"p U q", 2, 3, 2, 2},
    {"p W q", 2, 2, 2, 3},
    {"p V q", 2, 2, 2, 3},
    {"[] (p -> <> q)", 2, 2, 2, 4},
    {"[] (p -> (q U r))", 3, 3, 2, 4},
    {"[] (p -> (q W r))", 3, 3, 2, 4},
    {"[] (p -> [] q)", 3, 3, 2, 4},
    {"[] (p -> <> (q && <> r))", 3, 4, 5, 10},
    {"[] (p || q)", 2, 2, 1, 2},
    {"<> (p && <> q)", 2, 4, 3, 3},
    {"[] <> p && [] <> q", 3, 3, 3, 3},
    {"[] <> p -> [] <> q", 3, 3, 5, 5},
    {"<> [] p -> [] <> q", 2, 4, 2, 5},
    {"([] <> p && [] <> q) -> [] (r -> <> s)", 4, 4, 6, 8},
    {"[] <> p -> [] (q -> <> r)", 3, 3, 5, 7},
    {"<> [] p -> [] (q -> <> r)", 3, 4, 5, 7},
    {"([] <> p -> [] <> q) && ([] <> r -> [] <> s)", 7, 7, 12, 15},
    {"([] <> p || <> [] q) && ([] <> r || <> [] s)", 7, 7, 12, 15},
    {"[] <> p && [] <> q && [] <> r", 4, 4, 4, 4},
    {"([] <> p && [] <> q && [] <> r) -> [] <> s", 5, 14, 7, 7},
    {"[] (p -> X q)", 3, 0, 2, 0},
    {"[] (p -> X X q)", 4, 0, 4, 0},
    {"[] (p <-> X q)", 4, 0, 3, 0},
    {"[] (p -> X (q U r))", 3, 0, 3, 0},
    {"<> r -> (!p U r)", 3, 3, 3, 4},
    {"[] (q -> [] !p)", 3, 3, 2, 4},
    {"[] ((q && !r && <> r) -> (!p U r))", 4, 4, 3, 7},
    {"[] ((q && !r) -> (!p W r))", 3, 3, 2, 4},
    {"!r W (p && !r)", 2, 2, 2, 3},
    {"[] !q || <> (q && <> p)", 2, 3, 3, 5},
    {"[] ((q && !r) -> (!r W (p && !r)))", 3, 3, 2, 4},
    {"[] ((q && !r) -> (!r U (p && !r)))", 3, 3, 2, 4},
    {"<> r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))", 7, 7,
     7, 8},
    {"(!p W (p W (!p W (p W [] !p))))", 6, 80, 5, 36},
    {"<> r -> (p U r)", 3, 3, 3, 4},
    {"[] (q -> [] p)", 3, 3, 2, 4},
    {"[] ((q && !r && <> r) -> (p U r))", 4, 4, 3, 7},
    {"[] ((q && !r) -> (p W r))", 3, 3, 2, 4},
    {"!p W s", 2, 2, 2, 3},
    {"<> r -> (!p U (s || r))", 3, 4, 3, 4},
    {"[] !q || <> (q && (!p W s))", 3, 6, 5, 5},
    {"[] ((q && !r && <> r) -> (!p U (s || r)))", 4, 5, 3, 8},
    {"[] ((q && !r) -> (!p W (s || r)))", 3, 3, 2, 4},
    {"<> r -> ((p -> (!r U (s && !r))) U r)", 3, 6, 3, 5},
    {"[] (q -> [] (p -> <> s))", 3, 3, 3, 6},
    {"[] ((q && !r && <> r) -> ((p -> (!r U (s && !r))) U r))", 4, 7, 3, 10},
    {"[] ((q && !r) -> ((p -> (!r U (s && !r))) W r))", 4, 4, 3, 6},
    {"<> p -> (!p U (s && !p && X (!p U t)))", 3, 0, 3, 0},
    {"[] (p -> <> (s && X <> t))", 3, 0, 7, 0},
    {"<> r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)", 4, 0, 4, 0},
    {"[] ((s && X <> t) -> X <> (t && <> p))", 3, 0, 9, 0},
    {"[] (p -> <> (s && !z && X (!z U t)))", 3, 0, 7, 0},
    {"(p U q) U r", 3, 5, 4, 4},
    {"p U (q U r)", 3, 5, 3, 3},
    {"p U (q && (r U s))", 4, 7, 3, 3},
    {"<> (p && X <> (q && X <> r))", 3, 0, 4, 0},
    {"!([] <> p && <> [] q)", 3, 3, 5, 5},
    {"[] (p U q)", 3, 3, 2, 2},
    {"<> [] (p U q)", 3, 4, 3, 3},
    {"[] <> (p && X q)", 3, 0, 2, 0},
    {"(p -> <> q) U r", 2, 4, 4, 4},
    {"[] (p -> (q && (r U s)))", 3, 3, 2, 4},
    {"[] p || [] q || [] r", 8, 8, 4, 8},
    {"<> p && <> q && <> r", 4, 8, 8, 8},
    {"[] (<> p && <> q)", 3, 3, 3, 3},
    {"(<> p && [] q) || ([] <> r U s)", 9, 14, 7, 7},
    {"[] (p -> (p U q))", 3, 3, 2, 4},
    {"[] ((p -> <> q) && (r -> <> s))", 3, 3, 6, 10}};

TEST_CASE("automaton sizes: the numbers of states are those written here") {
  for (const Row& row : kRows) {
    INFO(row.formula);
    Formulary formulary;
    const uint32_t formula = formulary.parse(row.formula);
    const auto violations = automata::automaton_of_violations(formulary.model(), formula);
    const auto own = automata::automaton_of(formulary.model(), formula);
    REQUIRE(violations.ok());
    REQUIRE(own.ok());
    CHECK(violations.value().states.size() == row.violations);
    CHECK(own.value().states.size() == row.own);
    CHECK((row.violations_in_spin == 0 || row.violations <= row.violations_in_spin));
    CHECK((row.own_in_spin == 0 || row.own <= row.own_in_spin));
  }
}

}  // namespace
}  // namespace cmc::test
