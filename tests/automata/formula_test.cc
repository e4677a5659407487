#include "checker/automata/read_formula.h"
#include "ir/print.h"
#include "ir/validate.h"
#include "tests/automata/formulas.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using automata::ReadFormula;

automata::FormulaId read(Formulary& formulary, uint32_t formula) {
  const Result<ReadFormula> result = automata::read_formula(formulary.model(), formula);
  REQUIRE(result.ok());
  return result.value().root;
}

TEST_CASE("formula: formulas are simplified") {
  // Two formulas become one iff their equivalence becomes true.
  for (const char* text : {
           "<> [] <> p <-> [] <> p",
           "[] <> [] p <-> <> [] p",
           "X [] <> p <-> [] <> p",
           "<> (p || <> q) <-> (<> p || <> q)",
           "([] p && [] q) <-> [] (p && q)",
           "(<> [] p && <> [] q) <-> <> [] (p && q)",
           "<> [] (p && <> q) <-> (<> [] p && [] <> q)",
           "(X p && X q) <-> X (p && q)",
           "(X p U X q) <-> X (p U q)",
           "(p U (p U q)) <-> (p U q)",
           "((p U q) U q) <-> (p U q)",
           "(true U p) <-> <> p",
           "(false V p) <-> [] p",
           "(!p U p) <-> <> p",
           "((p || q) U q) <-> (p U q)",
           "((p && !q) U q) <-> (p U q)",
           "(p U (q || <> r)) <-> ((p U q) || <> r)",
           "(p U (q && [] <> r)) <-> ((p U q) && [] <> r)",
           "(p W q) <-> (q V (p || q))",
           "!(p U q) <-> (!p V !q)",
           "([] p || (p U q)) <-> (p W q)",
           "([] p && p) <-> [] p",
           "(<> p || p) <-> <> p",
           "([] p && <> p) <-> [] p",
           "((p U r) && (q U r)) <-> ((p && q) U r)",
           "((p U q) || (p U r)) <-> (p U (q || r))",
           "!([] p && <> !p)",
           "[] p -> <> p",
           "(p -> q) <-> (!p || q)",
       }) {
    INFO(text);
    Formulary formulary;
    CHECK(read(formulary, formulary.parse(text)) == automata::kTrue);
  }
}

TEST_CASE("formula: different formulas stay apart") {
  for (const char* text :
       {"[] <> p <-> <> [] p", "(p U q) <-> (p W q)", "X p <-> p", "<> (p && q) <-> (<> p && <> q)",
        "((q U p) U r) <-> (q U r)", "[] (p || q) <-> ([] p || [] q)"}) {
    INFO(text);
    Formulary formulary;
    const automata::FormulaId id = read(formulary, formulary.parse(text));
    CHECK(id != automata::kTrue);
    CHECK(id != automata::kFalse);
  }
}

// A formula `[] (a <-> b)` over expressions of a model with x, y, array, flag.
struct Expressions {
  ModelBuilder b;
  VariableReference x = b.global("x", kByteType);
  VariableReference y = b.global("y", kByteType);
  VariableReference flag = b.global("flag", kBitType);
  VariableReference array = b.global("array", kByteType, 3);

  uint32_t add(Formula formula) {
    b.model.formulas.push_back(formula);
    return static_cast<uint32_t>(b.model.formulas.size() - 1);
  }
  uint32_t atom(ExpressionId id) { return add({Formula::Op::kAtom, kNoFormula, kNoFormula, id}); }

  // How many atoms the equivalence has; 0: it is true or false.
  size_t atoms(ExpressionId left, ExpressionId right, bool expected = true) {
    const uint32_t root = add({Formula::Op::kEquivalent, atom(left), atom(right)});
    const Result<ReadFormula> result = automata::read_formula(b.model, root);
    REQUIRE(result.ok());
    const automata::FormulaId constant = expected ? automata::kTrue : automata::kFalse;
    return result.value().root == constant ? 0 : result.value().atoms.size();
  }
};

TEST_CASE("formula: one atom in two places is one") {
  Expressions e;
  ModelBuilder& b = e.b;
  const auto x = [&] { return b.read(e.x); };
  const auto y = [&] { return b.read(e.y); };
  const auto compare = [&](Operator op, bool exchanged = false) {
    return exchanged ? b.op(op, {y(), x()}) : b.op(op, {x(), y()});
  };
  CHECK(e.atoms(b.equal(e.x, 3), b.equal(e.x, 3)) == 0);
  CHECK(e.atoms(b.equal(e.x, 3), b.op(Operator::kEqual, {b.constant(3), x()})) == 0);
  CHECK(e.atoms(b.equal(e.x, 3), b.op(Operator::kNotEqual, {x(), b.constant(3)}), false) == 0);
  CHECK(e.atoms(compare(Operator::kLess), compare(Operator::kGreater, true)) == 0);
  CHECK(e.atoms(compare(Operator::kLess), compare(Operator::kGreaterEqual), false) == 0);
  CHECK(e.atoms(compare(Operator::kLess), compare(Operator::kLessEqual, true), false) == 0);
  CHECK(e.atoms(compare(Operator::kLessEqual), compare(Operator::kGreaterEqual, true)) == 0);
  CHECK(e.atoms(x(), b.op(Operator::kNotEqual, {b.constant(0), x()})) == 0);
  CHECK(e.atoms(b.read(e.flag), b.equal(e.flag, 1)) == 0);
  CHECK(e.atoms(b.read(e.flag), b.equal(e.flag, 0), false) == 0);
  CHECK(e.atoms(b.op(Operator::kAnd, {x(), b.read(e.flag)}), b.op(Operator::kAnd, {b.read(e.flag), x()})) == 0);

  CHECK(e.atoms(b.equal(e.x, 3), b.equal(e.x, 4)) == 2);
  CHECK(e.atoms(b.equal(e.x, 3), b.equal(e.y, 3)) == 2);
  CHECK(e.atoms(compare(Operator::kLess), compare(Operator::kLess, true)) == 2);
  CHECK(e.atoms(x(), b.equal(e.x, 1)) == 2);
}

TEST_CASE("formula: a constant is no atom") {
  Expressions e;
  ModelBuilder& b = e.b;
  const ExpressionId two = b.op(Operator::kAdd, {b.constant(1), b.constant(1)});
  CHECK(e.atoms(two, b.constant(1)) == 0);
  CHECK(e.atoms(b.op(Operator::kAnd, {b.constant(0), b.read(e.x)}), b.constant(0)) == 0);
  CHECK(e.atoms(b.op(Operator::kConditional, {b.constant(0), b.constant(0), b.constant(7)}), b.constant(0), false) ==
        0);
  // A division by zero has no value.
  CHECK(e.atoms(b.op(Operator::kDivide, {b.constant(1), b.constant(0)}), b.constant(0)) == 1);
}

TEST_CASE("formula: what protects an operand stays with it") {
  Expressions e;
  ModelBuilder& b = e.b;
  const ExpressionId bound = b.op(Operator::kLess, {b.read(e.x), b.constant(3)});
  const ExpressionId element = b.read(b.indexed(e.array, b.read(e.x)));
  const auto atoms = [&](Operator op, ExpressionId left, ExpressionId right) {
    const uint32_t root = e.add({Formula::Op::kEventually, e.atom(b.op(op, {left, right}))});
    return automata::read_formula(b.model, root).value().atoms.size();
  };
  CHECK(atoms(Operator::kAnd, bound, element) == 1);
  CHECK(atoms(Operator::kOr, b.op(Operator::kNot, {bound}), element) == 1);
  CHECK(atoms(Operator::kAnd, bound, b.read(e.flag)) == 2);
}

TEST_CASE("formula: too many atoms or operators are refused") {
  Formulary formulary;
  std::string text = "v0";
  for (int i = 1; i < 20; ++i) text += " && <> v" + std::to_string(i);
  CHECK(automata::read_formula(formulary.model(), formulary.parse(text)).ok());
  const Result<ReadFormula> atoms = automata::read_formula(formulary.model(), formulary.parse(text + " && X v20"));
  REQUIRE(!atoms.ok());
  CHECK(atoms.error().find("21 atoms") != std::string::npos);

  std::string deep = "p";
  for (int i = 0; i < 2'500; ++i) deep = "X " + deep;
  const Result<ReadFormula> operators = automata::read_formula(formulary.model(), formulary.parse(deep));
  REQUIRE(!operators.ok());
  CHECK(operators.error().find("2501 operators") != std::string::npos);
}

}  // namespace
}  // namespace cmc::test
