#include "solver-bridge/protocol/query.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

Answer sat(std::vector<Tuple> witnesses, bool more = false) {
  return {.outcome = Outcome::kSat, .witnesses = std::move(witnesses), .more = more, .reason = {}};
}

TEST_CASE("query: a constraint's key tells all of its parts apart") {
  const std::string key = Constraint({"p"}, {"x"}, "t").key();
  CHECK(key.size() == 40);
  CHECK(key == Constraint({"p"}, {"x"}, "t").key());
  CHECK(key != Constraint({"p", "x"}, {}, "t").key());
  CHECK(key != Constraint({}, {"p", "x"}, "t").key());
  CHECK(key != Constraint({"p"}, {"x"}, "tt").key());
  CHECK(Constraint({"ab"}, {"c"}, "").key() != Constraint({"a"}, {"bc"}, "").key());
}

TEST_CASE("query: the number of tuples is the product of the ranges") {
  CHECK(tuple_count({}) == 1);
  const std::vector<Range> small = {{-1, 1}, {0, 9}};
  CHECK(tuple_count(small) == 30);
  const std::vector<Range> whole = {{INT32_MIN, INT32_MAX}};
  CHECK(tuple_count(whole) == uint64_t{1} << 32);
  const std::vector<Range> huge(3, Range{INT32_MIN, INT32_MAX});
  CHECK(tuple_count(huge) == UINT64_MAX);
  std::vector<Range> empty = huge;
  empty.push_back({1, 0});
  CHECK(tuple_count(empty) == 0);
}

TEST_CASE("query: an answer has the form that was asked for") {
  const Question all{.goal = Goal::kAll, .parameters = {}, .ranges = {{0, 9}, {0, 9}}};
  CHECK(well_formed(all, sat({{0, 9}, {1, 0}})));
  CHECK_FALSE(well_formed(all, sat({})));
  CHECK_FALSE(well_formed(all, sat({{1, 0}, {0, 9}})));  // not ascending
  CHECK_FALSE(well_formed(all, sat({{1, 0}, {1, 0}})));  // twice
  CHECK_FALSE(well_formed(all, sat({{0, 10}})));         // outside
  CHECK_FALSE(well_formed(all, sat({{0}})));             // too short
  CHECK_FALSE(well_formed(all, sat({{0, 9}}, true)));    // more of all?
  Question two = all;
  two.max_witnesses = 2;
  CHECK(well_formed(two, sat({{0, 9}, {1, 0}}, true)));
  CHECK_FALSE(well_formed(two, sat({{0, 9}}, true)));
  CHECK_FALSE(well_formed(two, sat({{0, 9}, {1, 0}, {1, 1}})));
  const Question least{.goal = Goal::kLeast, .parameters = {}, .ranges = {{0, 9}, {0, 9}}};
  CHECK_FALSE(well_formed(least, sat({{0, 9}, {1, 0}})));
  Answer unsat = sat({{0, 0}});
  unsat.outcome = Outcome::kUnsat;
  CHECK_FALSE(well_formed(least, unsat));
}

TEST_CASE("query: a query is a text for z3") {
  const auto constraint = std::make_shared<const Constraint>(std::vector<std::string>{"p"},
                                                             std::vector<std::string>{"x"}, "(assert (= x p))");
  const std::string text = to_smt2({.constraint = constraint, .question = {.parameters = {-1}, .ranges = {{-2, 3}}}});
  CHECK(text.find("(declare-const |p| (_ BitVec 32))\n(declare-const |x| (_ BitVec 32))\n(assert (= x p))\n"
                  "(assert (= |p| #xffffffff))\n(assert (and (bvsle #xfffffffe |x|) (bvsle |x| #x00000003)))\n"
                  "(check-sat)\n") != std::string::npos);
}

}  // namespace
}  // namespace cmc::solver
