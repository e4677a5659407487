#include "ir/effects.h"

#include <algorithm>
#include <vector>

#include "tests/ir/example_model.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// Of all statements that stand at an edge, and of the initializers.
std::vector<ExpressionId> evaluated(const Model& model) {
  std::vector<ExpressionId> ids;
  const auto note = [&](const Expression& e) {
    ids.push_back(static_cast<ExpressionId>(&e - model.expressions.data()));
  };
  for (const Initializer& initializer : model.initializers) for_each_expression(model, initializer.value, note);
  for (const Proctype& proctype : model.proctypes) {
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) for_each_expression(model, model.statements[edge.statement], note);
    }
  }
  return ids;
}

TEST_CASE("effects: each expression of a model is evaluated somewhere, operands first") {
  const Model model = example_model();
  const std::vector<ExpressionId> ids = evaluated(model);
  for (ExpressionId id = 0; id < model.expressions.size(); ++id) {
    const auto place = std::ranges::find(ids, id);
    CAPTURE(id);
    REQUIRE(place != ids.end());
    for (const ExpressionId operand : model.expressions[id].operands) {
      CHECK(std::find(ids.begin(), place, operand) != place);
    }
  }
}

TEST_CASE("effects: what a d_step does is in its body") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const auto a = b.global("a", kByteType, 3);
  b.activate(b.proctype("P"));
  const auto n = b.local("n", kByteType);
  const StatementId block = b.block(b.equal(x, 1), {b.assign(n, b.read(x)), b.assign(b.indexed(a, b.read(n)), 4)});
  b.edge(1, 2, block);
  b.end(2);
  const Statement& statement = b.model.statements[block];
  size_t statements = 0;
  for_each_statement(b.model, statement, [&](const Statement&) { ++statements; });
  CHECK(statements == 3);
  std::vector<std::string> written;
  for_each_written(b.model, statement, [&](const VariableReference& target) {
    written.push_back(target.space == Space::kGlobal ? b.model.globals[target.variable].name : "local");
  });
  CHECK(written == std::vector<std::string>{"local", "a"});
  size_t reads = 0;  // x twice, n as an index
  for_each_expression(b.model, statement, [&](const Expression& e) { reads += e.op == Operator::kVariable ? 1 : 0; });
  CHECK(reads == 3);
}

TEST_CASE("effects: an expression of the process reads its own variables only") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  const auto n = b.local("n", kByteType);
  const auto own = b.local("own", kByteType, 3);
  CHECK(is_of_process(b.model, b.equal(n, 1)));
  CHECK(is_of_process(b.model, b.read(b.indexed(own, b.read(n)))));
  CHECK_FALSE(is_of_process(b.model, b.read(b.indexed(own, b.read(x)))));
  CHECK_FALSE(is_of_process(b.model, b.equal(x, 1)));
  CHECK_FALSE(is_of_process(b.model, b.op(Operator::kTimeout)));
}

}  // namespace
}  // namespace cmc::test
