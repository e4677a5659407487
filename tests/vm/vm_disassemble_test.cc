#include <set>
#include <sstream>

#include "checker/vm/program.h"
#include "tests/support/model_builder.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using namespace vm;

std::string listing(const Model& model) {
  std::ostringstream out;
  disassemble(compile(model), out);
  return out.str();
}

TEST_CASE("VM code: every instruction can be disassembled, and has a name of its own") {
  Program program;
  std::set<std::string> names;
  for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
    const OpcodeDescription& description = describe(static_cast<Opcode>(opcode));
    CHECK(names.insert(description.name).second);
    program.code.push_back(Instruction{static_cast<uint8_t>(opcode), 1, 2, 3});
  }
  std::ostringstream out;
  disassemble(program, out);
  for (const std::string& name : names) CHECK(out.str().find("  " + name) != std::string::npos);
  CHECK(out.str().find('%') == std::string::npos);
}

TEST_CASE("VM code: the code of a small model is the one written here") {
  ModelBuilder b;
  const VariableReference x = b.global(kByteType);
  const VariableReference flag = b.global(kBitType, 4);
  const VariableReference q = b.channel(b.channel_type(2, {kByteType, kIntType}));
  b.proctype("p");
  const VariableReference i = b.local(kIntType);
  const auto own = b.op(Operator::kOwnPid);
  const auto less = b.op(Operator::kLess, {b.read(x), b.constant(3)});
  const auto other = b.op(Operator::kNotEqual, {b.read(ModelBuilder::element(flag, b.read(i), 4)), own});
  b.condition(b.op(Operator::kOr, {less, other}));
  b.increment(x);
  b.assign(ModelBuilder::element(flag, own, 4), 1);
  b.assign(i, b.op(Operator::kModulo, {b.op(Operator::kAdd, {b.read(i), b.constant(1)}), b.constant(4)}));
  b.send(b.read(q), {b.read(x), b.constant(7)});
  b.receive(b.read(q), {ModelBuilder::match(b.constant(5)), ModelBuilder::into(i)}, true);
  b.assertion(b.op(Operator::kEqual, {b.read(i), b.constant(1000)}));
  CHECK(listing(b.model) == R"(    0  blocked
    1  executable
statement 0 test:
    2  jump_lt.g8 [3], 3, -> 6
    3  load.l32 r1, [4]
    4  load_element.g8 r1, [4][r1 < 4]
    5  jump_eq r1, r0, -> 0
    6  executable
statement 1 execute:
    7  add_constant.g8 1, [3]
    8  executable
statement 2 execute:
    9  constant r1, 1
   10  and.c r2, r1, 1
   11  store_element.g8 r2, [4][r0 < 4]
   12  executable
statement 3 execute:
   13  load.l32 r1, [4]
   14  add.c r1, r1, 1
   15  modulo.c r1, r1, 4
   16  store.l32 r1, [4]
   17  executable
statement 4 test:
   18  load.g8 r1, [8]
   19  test_send r1
statement 4 execute:
   20  load.g8 r1, [8]
   21  check_fields r1, 2
   22  load.g8 r2, [3]
   23  put r2, 0
   24  put.c 7, 1
   25  send r1, 2
   26  executable
statement 4 message:
   27  load.g8 r1, [8]
   28  check_fields r1, 2
   29  load.g8 r2, [3]
   30  put r2, 0
   31  put.c 7, 1
   32  transmit r1, 2
   33  executable
statement 5 test:
   34  load.g8 r1, [8]
   35  test_receive r1, -> 0
   36  constant r2, 0
   37  test_slot r1, r2, -> 0
   38  field r4, r1[r2].0
   39  jump_ne.c r4, 5, -> 41
   40  jump -> 43
   41  add.c r2, r2, 1
   42  jump -> 37
   43  test_received r1
statement 5 execute:
   44  load.g8 r1, [8]
   45  check_fields r1, 2
   46  constant r2, 0
   47  test_slot r1, r2, -> 0
   48  field r4, r1[r2].0
   49  jump_ne.c r4, 5, -> 51
   50  jump -> 53
   51  add.c r2, r2, 1
   52  jump -> 47
   53  field r3, r1[r2].1
   54  store.l32 r3, [4]
   55  remove r1[r2]
   56  executable
statement 6 execute:
   57  load.l32 r1, [4]
   58  jump_eq.c r1, 1000, -> 60
   59  assertion_fails
   60  executable
)");
}

}  // namespace
}  // namespace cmc::test
