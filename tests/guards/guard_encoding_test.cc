#include "checker/guards/guard_encoding.h"

#include <iterator>
#include <random>

#include "base/clock.h"
#include "checker/guards/term_writer.h"
#include "ir/print.h"
#include "ir/validate.h"
#include "solver-bridge/oracle/in_process_oracle.h"
#include "tests/guards/agree.h"
#include "tests/support/model_builder.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::guards {
namespace {

using solver::Query;
using solver::Tuple;
using test::ModelBuilder;

// A model with one random guard, and random values for its parameters, some of them undefined.
class RandomGuard {
 public:
  explicit RandomGuard(uint32_t seed) : random_(seed) {
    const ExpressionId plain = b_.read(b_.global("x", cmc::test::kIntType));
    const ExpressionId quotient = b_.op(Operator::kDivide, {plain, plain});
    for (int i = 0; i < kParameters; ++i) {
      guard_.parameters.push_back(below(2) == 0 ? plain : quotient);
      const bool defined = guard_.parameters.back() == plain || below(4) != 0;
      values.push_back({defined ? value() : 0, defined});
    }
    const int targets = 1 + below(3);
    for (int i = 0; i < targets; ++i) guard_.targets.push_back({"t", b_.constant(0), b_.constant(0)});
    guard_.condition = expression(4);
    b_.model.guards.push_back(guard_);
    Expression exists;
    exists.op = Operator::kExists;
    b_.proctype("p");
    b_.sequence({b_.condition(b_.add(exists))});
    b_.activate(0);
    CHECK(validate(b_.model).empty());
  }

  std::vector<ParameterValue> values;
  [[nodiscard]] const Model& model() const { return b_.model; }
  [[nodiscard]] const SolverGuard& guard() const { return guard_; }

  solver::Question question(const GuardEncoding& encoding) {
    solver::Question question{.goal = solver::Goal::kAll, .parameters = encoding.pack(values), .ranges = {}};
    for (size_t i = 0; i < guard_.targets.size(); ++i) {
      const int64_t low = value();
      question.ranges.push_back(
          {static_cast<int32_t>(low), static_cast<int32_t>(std::min<int64_t>(low + below(6) - 1, INT32_MAX))});
      if (question.ranges.back().high > low + 4) question.ranges.back().high = static_cast<int32_t>(low);
    }
    if (below(3) == 0) question.max_witnesses = static_cast<uint32_t>(1 + below(3));
    return question;
  }

 private:
  static constexpr int kParameters = 8;

  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  int32_t value() {
    constexpr int32_t kValues[] = {0, 1, 2, 3, -1, -2, 5, 31, 32, 255, INT32_MAX, INT32_MIN + 1, 40000};
    return kValues[below(std::size(kValues))];
  }

  ExpressionId parameter(int depth) {
    Expression e;
    e.op = Operator::kParameter;
    if (depth > 0 && below(2) == 0) {
      e.value = below(3);
      e.reference.indices.push_back({expression(depth - 1), 3, 2});
      if (below(2) == 0) e.reference.indices.push_back({expression(depth - 1), 2, 1});
    } else {
      e.value = below(kParameters);
    }
    return b_.add(e);
  }

  ExpressionId leaf(int depth) {
    switch (below(3)) {
      case 0: return b_.constant(value());
      case 1: return parameter(depth);
      default: break;
    }
    Expression e;
    e.op = Operator::kTarget;
    e.value = below(static_cast<int>(guard_.targets.size()));
    return b_.add(e);
  }

  ExpressionId expression(int depth) {
    if (depth == 0 || below(6) == 0) return leaf(depth);
    const int first = static_cast<int>(Operator::kNegate);
    const auto op = static_cast<Operator>(first + below(static_cast<int>(Operator::kConditional) - first + 1));
    const size_t operands = op <= Operator::kComplement ? 1 : op == Operator::kConditional ? 3 : 2;
    std::vector<ExpressionId> ids;
    for (size_t i = 0; i < operands; ++i) ids.push_back(expression(depth - 1));
    return b_.op(op, ids);
  }

  std::mt19937 random_;
  ModelBuilder b_;
  SolverGuard guard_;
};

void compare_random_guards(uint32_t first_seed, uint32_t guards) {
  const SystemClock clock;
  unsigned with_witness = 0;
  unsigned with_undefined = 0;
  for (uint32_t seed = first_seed; seed < first_seed + guards; ++seed) {
    RandomGuard random(seed);
    const SolverGuard& guard = random.guard();
    INFO("seed " << seed << ": " << expression_text(random.model(), nullptr, guard.condition));
    const Result<GuardEncoding> made = GuardEncoding::make(random.model(), guard);
    REQUIRE(made.ok());
    const GuardEncoding& encoding = made.value();
    REQUIRE(encoding.unpack(encoding.pack(random.values)) == random.values);
    const auto evaluate = [&](const Query& query, const Tuple& tuple) {
      return evaluate_condition(random.model(), guard, encoding.unpack(query.question.parameters), tuple);
    };
    solver::InProcessOracle z3(0, clock);
    const solver::Question question = random.question(encoding);
    with_witness += agree_on_a_witness(z3, {.constraint = encoding.witness(), .question = question},
                                       [&](const Query& query, const Tuple& tuple) {
                                         return evaluate(query, tuple).kind == ConditionResult::Kind::kTrue;
                                       });
    const auto is_undefined = [&](const Query& query, const Tuple& tuple) {
      return !evaluate(query, tuple).defined();
    };
    REQUIRE((encoding.undefined() != nullptr) == may_be_undefined(random.model(), guard));
    if (encoding.undefined() == nullptr) {
      const Query same_tuples{.constraint = encoding.witness(), .question = question};
      REQUIRE(solver::enumerate(same_tuples, is_undefined, 1 << 16).outcome == solver::Outcome::kUnsat);
    } else {
      with_undefined +=
          agree_on_a_witness(z3, {.constraint = encoding.undefined(), .question = question}, is_undefined);
    }
  }
  // Neither is rare among these guards.
  CHECK(with_witness > guards / 8);
  CHECK(with_undefined > guards / 8);
}

TEST_CASE("guard encoding: a solver and the evaluation of the condition agree about random guards", "[long]") {
  compare_random_guards(0, 120);
}

TEST_CASE("guard encoding: a solver and the evaluation of the condition agree about many random guards",
          "[.][slow]") {
  const test::PartOfDay part;
  for (uint32_t seed = 1'000; seed < 6'000; seed += 500) {
    if (part.has(seed / 500)) compare_random_guards(seed, 500);
  }
}

TEST_CASE("guard encoding: a guard that divides by constants only is always defined") {
  ModelBuilder b;
  SolverGuard guard;
  guard.targets.push_back({"t", b.constant(0), b.constant(9)});
  Expression target;
  target.op = Operator::kTarget;
  guard.condition = b.op(Operator::kEqual, {b.op(Operator::kModulo, {b.add(target), b.constant(3)}), b.constant(0)});
  const Result<GuardEncoding> encoding = GuardEncoding::make(b.model, guard);
  REQUIRE(encoding.ok());
  CHECK(encoding.value().undefined() == nullptr);
  CHECK(encoding.value().pack({}).empty());
}

}  // namespace
}  // namespace cmc::guards
