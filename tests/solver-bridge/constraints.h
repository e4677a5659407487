#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "solver-bridge/protocol/query.h"

// Constraints with a text for the solver and the same in C++, and random questions about them.

namespace cmc::solver::test {

struct Example {
  ConstraintPtr constraint;
  std::function<bool(const std::vector<int32_t>& parameters, const Tuple& tuple)> holds;
};

inline uint32_t u(int32_t value) { return static_cast<uint32_t>(value); }

inline std::vector<Example> examples() {
  const auto make = [](std::vector<std::string> parameters, std::vector<std::string> targets, std::string text) {
    return std::make_shared<const Constraint>(std::move(parameters), std::move(targets), std::move(text));
  };
  return {
      {make({"p"}, {"x", "y"}, "(assert (= (bvadd (bvmul x x) y) p))"),
       [](const auto& p, const Tuple& t) { return u(t[0]) * u(t[0]) + u(t[1]) == u(p[0]); }},
      {make({"p", "q"}, {"x", "y"},
            "(assert (and (bvslt x y) (= (bvand (bvxor x p) #x00000003) (bvand q #x00000003))))"),
       [](const auto& p, const Tuple& t) { return t[0] < t[1] && ((t[0] ^ p[0]) & 3) == (p[1] & 3); }},
      {make({"p"}, {"a b"}, "(assert (bvsge (bvmul |a b| |a b|) p))(assert (bvsle |a b| p))"),
       [](const auto& p, const Tuple& t) { return static_cast<int32_t>(u(t[0]) * u(t[0])) >= p[0] && t[0] <= p[0]; }},
  };
}

// A question with small ranges, some of them empty or negative.
inline Question random_question(const Constraint& constraint, std::mt19937& random) {
  const auto between = [&random](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Question question{.parameters = {}, .ranges = {}};
  question.goal = static_cast<Goal>(between(1, 3));
  if (question.goal == Goal::kAll && between(0, 1) == 0) question.max_witnesses = u(between(1, 4));
  for (size_t i = 0; i < constraint.parameters().size(); ++i) question.parameters.push_back(between(-20, 40));
  for (size_t i = 0; i < constraint.targets().size(); ++i) {
    const int low = between(-8, 4);
    question.ranges.push_back({low, low + between(-1, 8)});
  }
  return question;
}

// The answer by trying every tuple, in ascending order.
inline Answer expected_answer(const Example& example, const Question& question) {
  Answer answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}};
  std::vector<Tuple> tuples = {{}};
  for (const Range& range : question.ranges) {
    std::vector<Tuple> longer;
    for (const Tuple& tuple : tuples) {
      for (int value = range.low; value <= range.high; ++value) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    }
    tuples = longer;
  }
  for (const Tuple& tuple : tuples) {
    if (!example.holds(question.parameters, tuple)) continue;
    answer.outcome = Outcome::kSat;
    answer.witnesses.push_back(tuple);
  }
  const size_t wanted = question.goal != Goal::kAll ? 1 : question.max_witnesses;
  if (wanted != 0 && answer.witnesses.size() > wanted) {
    answer.witnesses.resize(wanted);
    answer.more = question.goal == Goal::kAll;
  }
  return answer;
}

// Is the answer what is expected? For kExists the witness may be any, or none.
inline bool agrees(const Example& example, const Question& question, const Answer& answer) {
  const Answer expected = expected_answer(example, question);
  if (answer.outcome != expected.outcome || answer.more != expected.more) return false;
  if (question.goal == Goal::kExists && answer.witnesses.empty()) return true;
  if (!well_formed(question, answer)) return false;
  if (question.goal != Goal::kExists) return answer.witnesses == expected.witnesses;
  return answer.witnesses.empty() || example.holds(question.parameters, answer.witnesses[0]);
}

// Hard for Z3: a factor of a product of two primes near 2^26, modulo 2^32 in both halves.
inline ConstraintPtr hard_constraint() {
  return std::make_shared<const Constraint>(
      std::vector<std::string>{"p"}, std::vector<std::string>{"x", "y"},
      "(assert (= (bvmul ((_ zero_extend 32) x) ((_ zero_extend 32) y)) (bvadd #x000ffffcc0000f1b ((_ zero_extend "
      "32) p))))"
      "(assert (bvult #x00000001 x))(assert (bvult x y))(assert (bvult #x00000001 y))");
}
inline Question hard_question(Goal goal = Goal::kLeast, int32_t parameter = 0) {
  return {.goal = goal, .parameters = {parameter}, .ranges = {{2, 0x7fffffff}, {2, 0x7fffffff}}};
}

}  // namespace cmc::solver::test
