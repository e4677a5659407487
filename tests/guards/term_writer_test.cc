#include "checker/guards/term_writer.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "base/clock.h"
#include "checker/reference/reference.h"
#include "ir/print.h"
#include "ir/scalar.h"
#include "ir/validate.h"
#include "solver-bridge/oracle/in_process_oracle.h"
#include "tests/guards/agree.h"
#include "tests/support/model_builder.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::guards {
namespace {

using solver::Constraint;
using solver::Question;
using solver::Tuple;
using test::ModelBuilder;

// Scalars of one model: some are targets, some are parameters with a value.
struct Cell {
  VariableReference place;
  std::optional<solver::Range> range;  // of a target
  int32_t value = 0;                   // of a parameter

  [[nodiscard]] std::string name() const { return fmt::format("c{}", place.offset); }
};

class CellSymbols final : public Symbols {
 public:
  CellSymbols(const Model& model, const std::vector<Cell>& cells) : model_(model), cells_(cells) {}
  std::optional<Term> symbol(ExpressionId id, uint32_t offset) override {
    if (model_.expressions[id].op != Operator::kVariable) return std::nullopt;
    for (const Cell& cell : cells_) {
      if (cell.place.offset == offset) return Term{cell.name()};
    }
    return std::nullopt;
  }

 private:
  const Model& model_;
  const std::vector<Cell>& cells_;
};

// A model with variables of all kinds, random expressions over them, and random questions.
class RandomTerm {
 public:
  explicit RandomTerm(uint32_t seed) : random_(seed) {
    const ScalarType types[] = {test::kBitType, test::kByteType, test::kShortType, test::kIntType,
                                test::unsigned_type(5)};
    for (const ScalarType& type : types) scalars_.push_back(b_.global(type));
    array_ = b_.global("a", test::kByteType, 3);
    square_ = b_.global("square", test::kShortType, 4);
    b_.model.globals.back().dimensions = {{2, 4, ""}, {2, 2, ""}};
    b_.proctype("p");
    b_.sequence({b_.skip()});
    b_.activate(0);
    for (const VariableReference& scalar : scalars_) cells_.push_back({scalar, std::nullopt, 0});
    for (uint32_t i = 0; i < 3; ++i) cells_.push_back({ModelBuilder::at(array_, i), std::nullopt, 0});
    for (uint32_t i = 0; i < 4; ++i) cells_.push_back({ModelBuilder::at(square_, i), std::nullopt, 0});
    for (Cell& cell : cells_) cell.value = truncate(cell.place.type, value());
    std::shuffle(cells_.begin(), cells_.end(), random_);
    const int targets = 1 + below(3);
    for (int i = 0; i < targets; ++i) make_target(cells_[static_cast<size_t>(i)]);
    root = expression(4);
    CHECK(validate(b_.model).empty());
    SuccessorBatch batch;
    make_reference_generator(b_.model)->initial(batch);
    const ByteView initial = batch.state(batch.entries.front());
    state_.assign(initial.begin(), initial.end());
  }

  ExpressionId root = 0;
  [[nodiscard]] const Model& model() const { return b_.model; }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

  // By the reference interpreter; none: undefined.
  std::optional<int32_t> value_for(const Tuple& tuple) {
    size_t next = 0;
    for (const Cell& cell : cells_) {
      store_scalar(cell.place.type, state_.data() + cell.place.offset, cell.range ? tuple[next++] : cell.value);
    }
    const ExpressionId ids[] = {root};
    const auto values = evaluate_expressions(b_.model, state_, 0, ids);
    if (!values) return std::nullopt;
    return values->front();
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  int32_t value() {
    constexpr int32_t kValues[] = {0, 1, 2, 3, -1, -2, 5, 31, 32, 255, INT32_MAX, INT32_MIN, INT32_MIN + 1, 40000};
    return kValues[below(std::size(kValues))];
  }

  // A few values that the variable can hold.
  void make_target(Cell& cell) {
    const int32_t low = truncate(cell.place.type, value());
    int32_t high = low;
    for (int i = below(5); i > 0 && high < INT32_MAX && truncate(cell.place.type, high + 1) == high + 1; --i) ++high;
    cell.range = {low, high};
  }

  VariableReference variable(int depth) {
    if (depth > 0 && below(3) == 0) {
      const ExpressionId index = expression(depth - 1);
      if (below(2) == 0) return ModelBuilder::element(array_, index, 3);
      return ModelBuilder::element(ModelBuilder::element(square_, index, 2, 4), expression(depth - 1), 2, 2);
    }
    return cells_[static_cast<size_t>(below(static_cast<int>(cells_.size())))].place;
  }

  ExpressionId expression(int depth) {
    if (depth == 0 || below(6) == 0) return below(3) == 0 ? b_.constant(value()) : b_.read(variable(depth));
    const auto op =
        static_cast<Operator>(static_cast<int>(Operator::kNegate) + below(static_cast<int>(Operator::kConditional) -
                                                                          static_cast<int>(Operator::kNegate) + 1));
    const size_t operands = op <= Operator::kComplement ? 1 : op == Operator::kConditional ? 3 : 2;
    std::vector<ExpressionId> ids;
    for (size_t i = 0; i < operands; ++i) ids.push_back(expression(depth - 1));
    return b_.op(op, ids);
  }

  std::mt19937 random_;
  ModelBuilder b_;
  std::vector<VariableReference> scalars_;
  VariableReference array_;
  VariableReference square_;
  std::vector<Cell> cells_;
  Bytes state_;
};

// What to ask about the guard: is it `formula` of (value, defined)?
solver::Query query_about(const RandomTerm& guard, const std::string& definitions, const std::string& formula) {
  std::vector<std::string> parameters;
  std::vector<std::string> targets;
  Question question{.goal = solver::Goal::kAll, .parameters = {}, .ranges = {}};
  for (const Cell& cell : guard.cells()) {
    (cell.range ? targets : parameters).push_back(cell.name());
    if (cell.range) {
      question.ranges.push_back(*cell.range);
    } else {
      question.parameters.push_back(cell.value);
    }
  }
  return {.constraint = std::make_shared<const Constraint>(parameters, targets,
                                                           definitions + fmt::format("(assert {})", formula)),
          .question = question};
}

void compare_random_terms(uint32_t first_seed, uint32_t guards) {
  const SystemClock clock;
  unsigned with_witness = 0;
  unsigned with_undefined = 0;
  for (uint32_t seed = first_seed; seed < first_seed + guards; ++seed) {
    RandomTerm guard(seed);
    CellSymbols symbols(guard.model(), guard.cells());
    TermWriter writer(guard.model(), symbols);
    const Result<Term> written = writer.write(guard.root);
    REQUIRE(written.ok());
    const Term& term = written.value();
    INFO("seed " << seed << ": " << expression_text(guard.model(), nullptr, guard.root));
    solver::InProcessOracle z3(0, clock);
    const auto compare = [&](const std::string& formula, const solver::Evaluate& holds) {
      return agree_on_a_witness(z3, query_about(guard, writer.definitions(), formula), holds);
    };
    with_witness += compare(all_of({term.defined, term.truth()}), [&](const solver::Query&, const Tuple& tuple) {
      return guard.value_for(tuple).value_or(0) != 0;
    });
    with_undefined += compare(fmt::format("(not {})", term.defined),
                              [&](const solver::Query&, const Tuple& tuple) { return !guard.value_for(tuple); });
    // Also as a number: is it ever the one that it is for the first tuple?
    Tuple first;
    for (const Cell& cell : guard.cells()) {
      if (cell.range) first.push_back(cell.range->low);
    }
    const std::optional<int32_t> value = guard.value_for(first);
    if (!value) continue;
    compare(all_of({term.defined, fmt::format("(= {} {})", term.number(), solver::smt2_constant(*value))}),
            [&](const solver::Query&, const Tuple& tuple) { return guard.value_for(tuple) == value; });
  }
  // Neither is rare among these expressions.
  CHECK(with_witness > guards / 5);
  CHECK(with_undefined > guards / 5);
}

TEST_CASE("terms: a solver and the reference interpreter agree about random expressions, tuple by tuple", "[long]") {
  compare_random_terms(0, 80);
}

TEST_CASE("terms: a solver and the reference interpreter agree about many random expressions", "[.][slow]") {
  const test::PartOfDay part;
  for (uint32_t seed = 1'000; seed < 6'000; seed += 500) {
    if (part.has(seed / 500)) compare_random_terms(seed, 500);
  }
}

class NoSymbols final : public Symbols {
  std::optional<Term> symbol(ExpressionId, uint32_t) override { return std::nullopt; }
};
class AnySymbol final : public Symbols {
  std::optional<Term> symbol(ExpressionId, uint32_t offset) override { return Term{fmt::format("s{}", offset)}; }
};

TEST_CASE("terms: what has no term is an error that names it") {
  ModelBuilder b;
  const ExpressionId sum = b.op(Operator::kAdd, {b.constant(1), b.op(Operator::kTimeout)});
  NoSymbols symbols;
  const Result<Term> term = TermWriter(b.model, symbols).write(sum);
  REQUIRE(!term.ok());
  CHECK(term.error() == "what a solver cannot be asked: timeout");
}

TEST_CASE("terms: too many elements of arrays are an error, and many are not") {
  ModelBuilder b;
  const VariableReference index = b.global("i", test::kIntType);
  const auto element_of = [&](uint32_t count) {
    return b.read(ModelBuilder::element(b.global(test::kByteType, count), b.read(index), count));
  };
  AnySymbol symbols;
  CHECK(TermWriter(b.model, symbols).write(element_of(4096)).ok());
  const Result<Term> term = TermWriter(b.model, symbols).write(element_of(4097));
  REQUIRE(!term.ok());
  CHECK(term.error() == "more than 4096 elements of arrays are in question");
}

TEST_CASE("terms: the text grows with the expression, not with its value") {
  ModelBuilder b;
  ExpressionId all = b.read(b.global("x", test::kIntType));
  for (int i = 0; i < 200; ++i) {
    all = b.op(Operator::kConditional, {b.op(Operator::kDivide, {all, b.constant(3)}), b.constant(i), b.constant(1)});
  }
  AnySymbol symbols;
  TermWriter writer(b.model, symbols);
  REQUIRE(writer.write(all).ok());
  CHECK(writer.definitions().size() < 200 * 400);
}

}  // namespace
}  // namespace cmc::guards
