#include <limits>

#include "tests/support/model_builder.h"
#include "tests/vm/compare.h"

#include "tests/catch.h"

// Instructions that compute, load and store, against the reference interpreter.

namespace cmc::test {
namespace {

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
const std::vector<int32_t> kValues = {0,   1,    -1,   2,   7,     31,     32,   33,  127,
                                      128, -128, -129, 255, 40000, -40000, kMin, kMax};

// One process with one location whose edges all go to its end.
struct Fan {
  static constexpr LocationId kFrom = 1;
  static constexpr LocationId kTo = 2;
  ModelBuilder b;
  Fan() { b.activate(b.proctype("fan")); }
  void add(StatementId statement) { b.edge(kFrom, kTo, statement); }
  // The end of an edge is the start again.
  void repeat() { b.edge(kTo, kFrom, b.skip()); }
  Exploration run() {
    b.end(kTo);
    return explore(b.model);
  }
};

const std::vector<Operator> kBinary = {
    Operator::kAdd,      Operator::kSubtract,  Operator::kMultiply, Operator::kDivide,       Operator::kModulo,
    Operator::kBitAnd,   Operator::kBitOr,     Operator::kBitXor,   Operator::kShiftLeft,    Operator::kShiftRight,
    Operator::kLess,     Operator::kLessEqual, Operator::kGreater,  Operator::kGreaterEqual, Operator::kEqual,
    Operator::kNotEqual, Operator::kAnd,       Operator::kOr};

// Both operands in variables, one of them constant, and both constant, as a value and as a guard.
TEST_CASE("VM data: binary operators agree for edge values, all operands, as value and as guard") {
  for (const Operator op : kBinary) {
    Fan fan;
    const VariableReference result = fan.b.global(kIntType);
    std::vector<VariableReference> variables;
    for (const int32_t value : kValues) {
      variables.push_back(fan.b.global(kIntType));
      fan.b.initialize(variables.back(), value);
    }
    for (size_t i = 0; i < kValues.size(); ++i) {
      for (size_t j = 0; j < kValues.size(); ++j) {
        for (int kind = 0; kind < 4; ++kind) {
          const ExpressionId left = kind & 1 ? fan.b.constant(kValues[i]) : fan.b.read(variables[i]);
          const ExpressionId right = kind & 2 ? fan.b.constant(kValues[j]) : fan.b.read(variables[j]);
          const ExpressionId value = fan.b.op(op, {left, right});
          fan.add(fan.b.assign(result, value));
          fan.add(fan.b.condition(value));
          fan.add(fan.b.condition(fan.b.op(Operator::kNot, {value})));
        }
      }
    }
    INFO("operator " << static_cast<int>(op));
    const Exploration found = fan.run();
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.transitions > kValues.size());
    const bool divides = op == Operator::kDivide || op == Operator::kModulo;
    CHECK(found.errors.count("division") == (divides ? 1 : 0));
  }
}

TEST_CASE("VM data: unary operators and conditionals give the right value") {
  Fan fan;
  const VariableReference result = fan.b.global(kIntType);
  for (const int32_t value : kValues) {
    const VariableReference variable = fan.b.global(kIntType);
    fan.b.initialize(variable, value);
    for (const Operator op : {Operator::kNegate, Operator::kNot, Operator::kComplement}) {
      fan.add(fan.b.assign(result, fan.b.op(op, {fan.b.read(variable)})));
      fan.add(fan.b.assign(result, fan.b.op(op, {fan.b.constant(value)})));
      fan.add(fan.b.condition(fan.b.op(op, {fan.b.read(variable)})));
    }
    const ExpressionId choice =
        fan.b.op(Operator::kConditional, {fan.b.read(variable), fan.b.constant(11), fan.b.op(Operator::kOwnPid)});
    fan.add(fan.b.assign(result, choice));
    fan.add(fan.b.condition(choice));
  }
  CHECK(fan.run().differences == std::vector<std::string>{});
}

TEST_CASE("VM data: the right operand of && or || is evaluated only if the left one does not decide") {
  Fan fan;
  const VariableReference zero = fan.b.global(kIntType);
  const VariableReference one = fan.b.global(kIntType);
  fan.b.initialize(one, 1);
  const ExpressionId fails = fan.b.op(Operator::kDivide, {fan.b.constant(1), fan.b.read(zero)});
  fan.add(fan.b.condition(fan.b.op(Operator::kOr, {fan.b.read(one), fails})));
  fan.add(fan.b.condition(fan.b.op(Operator::kAnd, {fan.b.read(zero), fails})));
  const Exploration decided = fan.run();
  CHECK(decided.differences == std::vector<std::string>{});
  CHECK(decided.errors.empty());

  Fan failing;
  const VariableReference zero2 = failing.b.global(kIntType);
  const ExpressionId fails2 = failing.b.op(Operator::kModulo, {failing.b.constant(1), failing.b.read(zero2)});
  failing.add(failing.b.condition(failing.b.op(Operator::kOr, {failing.b.read(zero2), fails2})));
  const Exploration both = failing.run();
  CHECK(both.differences == std::vector<std::string>{});
  CHECK(both.errors == std::map<std::string, uint64_t>{{"division", 1}});
}

TEST_CASE("VM data: a value is truncated and extended as its type says when it is stored") {
  const std::vector<ScalarType> types = {kBitType,          kByteType,         kShortType,        kIntType,
                                         unsigned_type(3),  unsigned_type(8),  unsigned_type(11), unsigned_type(16),
                                         unsigned_type(20), unsigned_type(31), unsigned_type(32)};
  for (const bool local : {false, true}) {
    Fan fan;
    const VariableReference copy = fan.b.global(kIntType);
    for (const ScalarType& type : types) {
      const VariableReference target = local ? fan.b.local(type) : fan.b.global(type);
      const VariableReference array = local ? fan.b.local(type, 3) : fan.b.global(type, 3);
      const VariableReference element = ModelBuilder::element(array, fan.b.constant(1), 3);
      for (const int32_t value : kValues) {
        const VariableReference source = fan.b.global(kIntType);
        fan.b.initialize(source, value);
        fan.add(fan.b.assign(target, value));
        fan.add(fan.b.assign(target, fan.b.read(source)));
        fan.add(fan.b.assign(element, fan.b.read(source)));
        fan.add(fan.b.increment(target, value));
        fan.add(fan.b.assign(target, fan.b.op(Operator::kSubtract, {fan.b.read(target), fan.b.constant(value)})));
      }
      fan.add(fan.b.assign(copy, fan.b.read(target)));
      fan.add(fan.b.assign(copy, fan.b.read(element)));
    }
    fan.repeat();
    const Exploration found = explore(fan.b.model, 80);
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.states == 80);
  }
}

TEST_CASE("VM data: comparisons with a constant are right at the limits of their fused form") {
  for (const bool local : {false, true}) {
    for (const ScalarType& type : {kByteType, kShortType, kIntType, unsigned_type(32)}) {
      Fan fan;
      for (const int32_t stored : {0, 1, 127, 128, 129, 255, -1, -128, -129, 32767, -32768, 40000}) {
        const VariableReference variable = local ? fan.b.local(type) : fan.b.global(type);
        fan.b.initialize(variable, stored);
        for (const int32_t constant :
             {0, 127, 128, 255, -1, -128, -129, 32767, 32768, -32768, -32769, 65535, 65536}) {
          for (const Operator op : {Operator::kLess, Operator::kLessEqual, Operator::kGreater,
                                    Operator::kGreaterEqual, Operator::kEqual, Operator::kNotEqual}) {
            fan.add(fan.b.condition(fan.b.op(op, {fan.b.read(variable), fan.b.constant(constant)})));
            fan.add(fan.b.condition(fan.b.op(op, {fan.b.constant(constant), fan.b.read(variable)})));
          }
        }
      }
      CHECK(fan.run().differences == std::vector<std::string>{});
    }
  }
}

TEST_CASE("VM data: an index outside an array is an error, and one inside the right element") {
  for (const bool local : {false, true}) {
    Fan fan;
    const VariableReference index = fan.b.global(kIntType);
    const VariableReference array = local ? fan.b.local(kByteType, 4) : fan.b.global(kByteType, 4);
    const VariableReference wide = local ? fan.b.local(kShortType, 4) : fan.b.global(kShortType, 4);
    // struct { byte a; int b[3] } s[2]
    VariableReference field = local ? fan.b.local(kByteType, 26) : fan.b.global(kByteType, 26);
    field.type = kIntType;
    field.offset += 1;
    const auto nested = [&](ExpressionId outer, ExpressionId inner) {
      return ModelBuilder::element(ModelBuilder::element(field, outer, 2, 13), inner, 3, 4);
    };
    for (const int32_t value : {0, 1, 2, 3, 4, -1, 255, 65536, kMin}) {
      fan.add(fan.b.assign(index, value));
      fan.add(fan.b.assign(ModelBuilder::element(array, fan.b.constant(value), 4), 9));
    }
    const ExpressionId i = fan.b.read(index);
    const ExpressionId less = fan.b.op(Operator::kSubtract, {i, fan.b.constant(1)});
    fan.add(fan.b.assign(ModelBuilder::element(array, i, 4), 3));
    fan.add(fan.b.assign(ModelBuilder::element(wide, i, 4), fan.b.read(ModelBuilder::element(array, less, 4))));
    fan.add(fan.b.assign(nested(less, i), 77));
    fan.add(fan.b.assign(index, fan.b.read(nested(i, less))));
    fan.add(fan.b.condition(fan.b.op(Operator::kLess, {fan.b.read(ModelBuilder::element(array, i, 4)), i})));
    fan.repeat();
    const Exploration found = explore(fan.b.model, 5'000);
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.errors.at("index") > 0);
  }
}

TEST_CASE("VM data: offsets, counts and strides beyond 16 bits are kept") {
  Fan fan;
  const VariableReference index = fan.b.global(kIntType);
  const VariableReference big = fan.b.global(kByteType, 70'000);
  const VariableReference behind = fan.b.global(kByteType);
  const VariableReference behind_int = fan.b.global(kIntType);
  VariableReference matrix = fan.b.global(kByteType, 140'000);  // byte m[2][70000]
  const VariableReference local_behind = fan.b.local(kByteType, 66'000);
  const VariableReference local_last = fan.b.local(kByteType);
  for (const int32_t value : {0, 1, 65'535, 65'536, 69'999, 70'000}) {
    const VariableReference slot = fan.b.global(kIntType);
    fan.b.initialize(slot, value);
    const ExpressionId i = fan.b.read(slot);
    fan.add(fan.b.assign(ModelBuilder::element(big, i, 70'000), 5));
    fan.add(fan.b.assign(index, fan.b.read(ModelBuilder::element(big, i, 70'000))));
    fan.add(fan.b.assign(ModelBuilder::element(local_behind, i, 66'000), 6));
    const ExpressionId row = fan.b.op(Operator::kModulo, {i, fan.b.constant(3)});
    fan.add(fan.b.assign(ModelBuilder::element(ModelBuilder::element(matrix, row, 2, 70'000), i, 70'000), 8));
  }
  for (const VariableReference& variable : {behind, behind_int, local_last}) {
    fan.add(fan.b.assign(variable, 3));
    fan.add(fan.b.increment(variable));
    fan.add(fan.b.condition(fan.b.op(Operator::kEqual, {fan.b.read(variable), fan.b.constant(0)})));
  }
  const Exploration found = fan.run();
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("index") > 0);
}

// ((x + (x + (x + ...))) and x < (x < ...): more operands wait than there are registers.
TEST_CASE("VM data: a deeply nested expression has enough registers") {
  for (const Operator op : {Operator::kSubtract, Operator::kLess, Operator::kAnd, Operator::kDivide}) {
    Fan fan;
    const VariableReference x = fan.b.global(kIntType);
    const VariableReference result = fan.b.global(kIntType);
    fan.b.initialize(x, 3);
    ExpressionId deep = fan.b.read(x);
    for (int i = 0; i < 1'000; ++i) deep = fan.b.op(op, {fan.b.op(Operator::kNegate, {fan.b.read(x)}), deep});
    fan.add(fan.b.assign(result, deep));
    fan.add(fan.b.condition(deep));
    fan.add(fan.b.assertion(deep));
    const VariableReference array = fan.b.global(kByteType, 7);
    ExpressionId nested = fan.b.read(x);
    for (int i = 0; i < 600; ++i) {
      nested = fan.b.op(Operator::kAdd, {fan.b.read(x), fan.b.read(ModelBuilder::element(array, nested, 7))});
    }
    fan.add(fan.b.assign(result, nested));
    const Exploration found = fan.run();
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.states >= 3);
  }
}

}  // namespace
}  // namespace cmc::test
