#include <sstream>

#include "ir/dump.h"
#include "ir/print.h"
#include "tests/ir/example_model.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

TEST_CASE("model text: the dump of a model is the one written here") {
  std::ostringstream out;
  dump(example_model(), out);
  const std::string expected = R"(mtype msg=1 ack=2
globals: 23 bytes, 1 hidden, header @1, timeout, rendezvous
  @0     byte scratch hidden
  @4     int x
  @8     byte a[3] stride 1
  @11    mtype kind
  @12    chan q
  @19    chan r
  @22    chan moving
  @13    chan q = [2] of {mtype,byte}
  @20    chan r = [0] of {byte}
  init q = chan q
  init r = chan r
  init moving = q
active Main
proctype 0 Main: frame 5 bytes, start 1, end 7
  @4     byte n
  location 1
    -> 2  x = run Child(3)
  location 2
    -> 3  q!2,n
  location 3
    -> 4  q?kind,a[n]  atomic
  location 4
    -> 5  r!1
  location 5
    -> 6  d_step
       guard (x==1)
       0 -> 1  x = 2
       1 -> done  a[2] = 4
  location 6
    -> 6  (n==1)  escape 7
    -> 7  (timeout)
  location 7 valid-end
    -> 0  -end-
proctype 1 Child: frame 9 bytes, start 1, end 5
  @4     byte p parameter
  @5     chan own
  @6     chan own = [1] of {byte}
  init own = chan own
  location 1
    -> 2  r?1
  location 2
    -> 3  own!p
  location 3
    -> 4  moving!1,1
  location 4
    -> 5  (enabled(0))
  location 5 end_child: valid-end
    -> 0  -end-
)";
  CHECK(out.str() == expected);
}

TEST_CASE("model text: a damaged model can be printed") {
  Model model = example_model();
  for (Expression& e : model.expressions) {
    e.reference.variable = 99;
    e.proctype = 200;
    e.operands.push_back(0xfffffff0);
  }
  model.mtype_set_names.clear();
  model.channel_types.clear();
  model.proctypes[0].locations[1].edges[0].statement = 12345;
  model.formulas = {{Formula::Op::kAlways, 0}, {Formula::Op::kUntil, 5, 0}, {Formula::Op::kAtom}};
  for (uint32_t formula = 0; formula < 5; ++formula) {
    model.properties.push_back({Property::Kind::kLtl, "p", {}, kNoClaim, formula});
  }
  std::ostringstream out;
  dump(model, out);
  CHECK(!out.str().empty());
}

TEST_CASE("model text: formulas have the parentheses that they need") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  std::vector<Formula>& formulas = b.model.formulas;
  const auto add = [&](Formula::Op op, uint32_t left = kNoFormula, uint32_t right = kNoFormula) {
    formulas.push_back({op, left, right});
    return static_cast<uint32_t>(formulas.size() - 1);
  };
  const auto atom = [&](ExpressionId expression) {
    formulas.push_back({Formula::Op::kAtom, kNoFormula, kNoFormula, expression});
    return static_cast<uint32_t>(formulas.size() - 1);
  };
  const auto text = [&](uint32_t formula) { return build_formula_text(b.model, formula); };
  const uint32_t p = atom(b.equal(x, 1)), q = atom(b.read(x));
  CHECK(text(p) == "(x==1)");
  CHECK(text(q) == "x");
  CHECK(text(add(Formula::Op::kTrue)) == "true");
  CHECK(text(add(Formula::Op::kFalse)) == "false");
  CHECK(text(add(Formula::Op::kNot, p)) == "!(x==1)");
  CHECK(text(add(Formula::Op::kNext, q)) == "X (x)");
  CHECK(text(add(Formula::Op::kAlways, add(Formula::Op::kEventually, q))) == "[] (<> (x))");
  CHECK(text(add(Formula::Op::kAnd, p, q)) == "((x==1) && x)");
  CHECK(text(add(Formula::Op::kOr, p, q)) == "((x==1) || x)");
  CHECK(text(add(Formula::Op::kImplies, p, q)) == "((x==1) -> x)");
  CHECK(text(add(Formula::Op::kEquivalent, p, q)) == "((x==1) <-> x)");
  CHECK(text(add(Formula::Op::kUntil, p, q)) == "((x==1) U x)");
  CHECK(text(add(Formula::Op::kRelease, p, q)) == "((x==1) V x)");
  CHECK(text(add(Formula::Op::kWeakUntil, p, q)) == "((x==1) W x)");
  CHECK(text(99) == "?");
}

TEST_CASE("model text: expressions have the parentheses and names that they need") {
  ModelBuilder b;
  const auto q = b.channel("q", 2, {kByteType, kByteType});
  const auto x = b.global("x", kByteType);
  Variable& pair = b.model.globals.emplace_back();
  pair.name = "s";
  pair.type = kByteType;
  pair.offset = 100;
  pair.dimensions = {{2, 10, ".f"}, {5, 2, ".g"}};
  VariableReference field;
  field.type = kByteType;
  field.variable = static_cast<uint32_t>(b.model.globals.size()) - 1;
  field.offset = 100 + 4;
  field.indices = {{b.read(x), 2, 10}};
  b.proctype("P");
  const auto text = [&](ExpressionId id) { return expression_text(b.model, nullptr, id); };
  CHECK(text(b.read(field)) == "s[x].f[2].g");
  CHECK(text(b.op(Operator::kNot, {b.equal(x, 1)})) == "!((x==1))");
  CHECK(text(b.op(Operator::kConditional, {b.read(x), b.constant(1), b.constant(-2)})) == "(x -> 1 : -2)");
  CHECK(text(b.op(Operator::kLength, {b.read(q)})) == "len(q)");
  Expression poll;
  poll.op = Operator::kPoll;
  poll.flag = true;
  poll.operands = {b.read(q)};
  poll.arguments = {b.match(b.read(x)), b.ignore()};
  CHECK(text(b.add(poll)) ==
        "q?"
        "?[eval(x),_]");
  const StatementId receive = b.receive(q, {b.into(x), b.match(b.constant(7))}, true, true);
  CHECK(statement_text(b.model, nullptr, receive) ==
        "q?"
        "?<x,7>");
  b.model.statements[receive].text = "as written";
  CHECK(statement_text(b.model, nullptr, receive) == "as written");
  CHECK(statement_text(b.model, nullptr, b.send(q, {b.constant(1), b.read(x)}, true)) == "q!!1,x");
}

}  // namespace
}  // namespace cmc::test
