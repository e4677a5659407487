#include "solver-bridge/worker/z3_session.h"

#include <chrono>
#include <thread>

#include "tests/solver-bridge/constraints.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

using test::examples;
using test::random_question;

SolveRequest request_of(const ConstraintPtr& constraint, Question question) {
  return {.constraint_key = constraint->key(), .question = std::move(question)};
}

TEST_CASE("session of z3: answers are those of trying every tuple, warm and cold") {
  Z3Session session;
  std::mt19937 random(3);
  const auto all = examples();
  for (const auto& example : all) REQUIRE(session.prepare(*example.constraint).ok());
  CHECK(session.prepared_count() == all.size());
  for (int i = 0; i < 120; ++i) {
    const auto& example = all[random() % all.size()];
    SolveRequest request = request_of(example.constraint, random_question(*example.constraint, random));
    request.cold = i % 10 == 0;
    const Answer answer = session.solve(request);
    INFO(i << " " << name_of(request.question.goal) << " " << answer.reason);
    REQUIRE(agrees(example, request.question, answer));
    REQUIRE(answer.from == (request.cold ? Source::kColdSolver : Source::kWarmSolver));
  }
}

TEST_CASE("session of z3: the ends of the 32-bit numbers, and no targets, are decided") {
  Z3Session session;
  const Constraint any({}, {"x"}, "(assert (= (bvand x #x00ffffff) #x00000005))");
  REQUIRE(session.prepare(any).ok());
  Question question{.goal = Goal::kLeast, .parameters = {}, .ranges = {{INT32_MIN, INT32_MAX}}};
  Answer answer = session.solve({.constraint_key = any.key(), .question = question});
  CHECK(answer.witnesses == std::vector<Tuple>{{INT32_MIN + 5}});
  question.goal = Goal::kAll;
  answer = session.solve({.constraint_key = any.key(), .question = question});
  REQUIRE(answer.witnesses.size() == 256);
  CHECK(answer.witnesses.back() == Tuple{0x7f000005});
  CHECK(well_formed(question, answer));

  const Constraint closed({"p"}, {}, "(assert (= p #x00000001))");
  REQUIRE(session.prepare(closed).ok());
  for (const Goal goal : {Goal::kExists, Goal::kAll, Goal::kLeast}) {
    const Question yes{.goal = goal, .parameters = {1}, .ranges = {}};
    const Question no{.goal = goal, .parameters = {2}, .ranges = {}};
    CHECK(session.solve({.constraint_key = closed.key(), .question = yes}).outcome == Outcome::kSat);
    CHECK(session.solve({.constraint_key = closed.key(), .question = no}).outcome == Outcome::kUnsat);
  }
}

TEST_CASE("session of z3: an error of Z3 about a text is told, and harms nothing else") {
  Z3Session session;
  const Constraint bad({}, {"x"}, "(assert (= x foo))");
  const Status status = session.prepare(bad);
  REQUIRE(!status.ok());
  CHECK(status.error().find("unknown constant foo") != std::string::npos);
  CHECK_FALSE(session.is_prepared(bad.key()));
  CHECK_FALSE(session.prepare(Constraint({}, {"x"}, "(assert")).ok());
  CHECK_FALSE(session.prepare(Constraint({}, {"x"}, "(assert x)")).ok());
  const auto example = examples()[0];
  REQUIRE(session.prepare(*example.constraint).ok());
  const Question question{.goal = Goal::kLeast, .parameters = {5}, .ranges = {{0, 9}, {0, 9}}};
  CHECK(session.solve(request_of(example.constraint, question)).outcome == Outcome::kSat);
  CHECK_FALSE(session.solve(request_of(example.constraint, {.parameters = {}, .ranges = {}})).decided());
}

TEST_CASE("session of z3: a resource limit that is used up is unknown, and the solver goes on") {
  Z3Session session;
  const ConstraintPtr hard = test::hard_constraint();
  REQUIRE(session.prepare(*hard).ok());
  SolveRequest request = request_of(hard, test::hard_question());
  request.rlimit = 20'000;
  for (const bool cold : {false, true, false}) {
    request.cold = cold;
    const Answer answer = session.solve(request);
    CHECK_FALSE(answer.decided());
    CHECK(answer.reason == "the resource limit is used up");
    CHECK(answer.witnesses.empty());
  }
  request.rlimit = 0;
  request.question.ranges = {{7, 7}, {2, 50}};
  CHECK(session.solve(request).decided());
}

TEST_CASE("session of z3: an interrupt at any moment makes an answer unknown, never wrong") {
  Z3Session session;
  const ConstraintPtr hard = test::hard_constraint();
  const auto example = examples()[0];
  REQUIRE(session.prepare(*hard).ok());
  REQUIRE(session.prepare(*example.constraint).ok());
  std::mt19937 random(4);
  for (int i = 0; i < 12; ++i) {
    session.resume();
    std::thread other([&session, delay = random() % 15] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      session.interrupt();
    });
    CHECK(session.solve(request_of(hard, test::hard_question())).reason == "interrupted");
    other.join();
    session.interrupt();  // while nothing runs
    CHECK_FALSE(
        session.solve(request_of(example.constraint, random_question(*example.constraint, random))).decided());
    session.resume();
    const Question question = random_question(*example.constraint, random);
    CHECK(agrees(example, question, session.solve(request_of(example.constraint, question))));
  }
}

TEST_CASE("session of z3: it takes commands for debugging, and a reset") {
  Z3Session session;
  CHECK(session.evaluate("(declare-const q Int)(assert (> q 3))(check-sat)") == "sat\n");
  CHECK(session.evaluate("(foo").find("error") != std::string::npos);
  const auto example = examples()[0];
  REQUIRE(session.prepare(*example.constraint).ok());
  session.reset();
  CHECK_FALSE(session.is_prepared(example.constraint->key()));
  CHECK(Z3Session::z3_version().find('.') != std::string::npos);
}

}  // namespace
}  // namespace cmc::solver
