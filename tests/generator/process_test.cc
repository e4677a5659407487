#include "tests/generator/explore.h"
#include "tests/support/model_builder.h"

#include "tests/catch.h"

// Creation of processes, references to other processes, d_step.

namespace cmc::test {
namespace {

using Kind = RuntimeErrorKind;

TEST_CASE("process: arguments of run are truncated, and initializers run as the new process") {
  ModelBuilder b;
  const auto made = b.global("made", kByteType);
  const auto q = b.channel("q", 2, {kByteType});
  const ProctypeId creator = b.proctype("Creator");
  const auto own = b.local_channel("c", 1, {kByteType});
  b.sequence({b.assign(made, b.run(1, {b.constant(-1), b.constant(513)}, 7)),
              b.condition(b.run(1, {b.constant(1), b.constant(2)}))});
  b.activate(creator);
  b.proctype("Created");
  const auto bit = b.parameter("bit", kBitType);
  const auto byte = b.parameter("byte", kByteType);
  const auto me = b.local("me", kIntType);
  b.initialize(me, b.op(Operator::kAdd, {b.op(Operator::kOwnPid), b.read(byte)}));
  const auto mine = b.local_channel("d", 3, {kShortType});
  b.sequence({b.skip()});
  REQUIRE(validate(b.model).empty());
  Explorer e(b.model);
  Bytes state = e.initial();
  CHECK(e.value(state, q) == 1);
  CHECK(e.value(state, own, 0) == 2);
  state = e.next(state);
  REQUIRE(!state.empty());
  CHECK(e.processes(state) == 2);
  CHECK(e.value(state, made) == 1);
  CHECK(e.value(state, bit, 1) == 1);
  CHECK(e.value(state, byte, 1) == 1);
  CHECK(e.value(state, me, 1) == 2);
  CHECK(e.value(state, mine, 1) == 3);
  CHECK(load<uint8_t>(state.data() + e.frame(state, 1) + kFramePriority) == 7);
  const SuccessorBatch batch = e.expand(state);
  REQUIRE(batch.entries.size() == 2);
  state = e.copy(batch, 1);
  CHECK(e.processes(state) == 3);
  CHECK(e.value(state, mine, 2) == 4);
  CHECK(load<uint8_t>(state.data() + e.frame(state, 2) + kFramePriority) == 1);
  CHECK(state.size() == e.frame(state, 2) + b.current().frame_bytes);
}

TEST_CASE("process: the 256th process or channel is an error") {
  for (const bool channels : {false, true}) {
    ModelBuilder b;
    const ProctypeId p = b.proctype("P");
    if (channels) {
      b.local_channel("c", 1, {kByteType});
      b.local_channel("d", 1, {kByteType});
    }
    b.edge(1, 1, b.condition(b.run(p)));
    b.activate(p);
    Explorer e(b.model);
    Bytes state = e.initial();
    SuccessorBatch batch = e.expand(state);
    while (!batch.entries.empty()) {
      state = e.copy(batch, 0);
      batch = e.expand(state);
    }
    CHECK(e.processes(state) == (channels ? 127 : 255));
    REQUIRE(batch.errors.size() == e.processes(state));
    CHECK(batch.errors[0].kind == (channels ? Kind::kTooManyChannels : Kind::kTooManyProcesses));
  }
}

TEST_CASE("process: remote references read the process that they name") {
  ModelBuilder b;
  const auto results = b.global("r", kByteType, 8);
  const ProctypeId other = b.proctype("Other");
  const auto y = b.local("y", kByteType);
  b.initialize(y, 42);
  b.sequence({b.condition(b.constant(0))});
  const auto remote = [&](Operator op, int pid, ProctypeId proctype, int value) {
    Expression expression;
    expression.op = op;
    expression.proctype = proctype;
    expression.value = value;
    expression.reference = y;
    if (pid >= 0) expression.operands = {b.constant(pid)};
    return b.add(expression);
  };
  const ProctypeId asker = b.proctype("Asker");
  const std::vector<std::pair<ExpressionId, int>> cases = {
      {remote(Operator::kRemoteVariable, 1, other, 0), 42}, {remote(Operator::kRemoteVariable, 0, other, 0), 0},
      {remote(Operator::kRemoteVariable, 9, other, 0), 0},  {remote(Operator::kRemoteVariable, -1, other, 0), 42},
      {remote(Operator::kRemoteLocation, 1, other, 1), 1},  {remote(Operator::kRemoteLocation, -1, other, 2), 0},
      {remote(Operator::kLocationOf, 1, 0, 0), 1},          {remote(Operator::kPriorityOf, 2, 0, 0), 4}};
  LocationId at = 1;
  for (size_t i = 0; i < cases.size(); ++i, ++at) {
    b.edge(at, static_cast<LocationId>(at + 1), b.assign(b.at(results, static_cast<uint32_t>(i)), cases[i].first));
  }
  b.end(at);
  b.activate(asker);
  b.activate(other);
  b.activate(other, 1, 4);
  Explorer e(b.model);
  Bytes state = e.initial();
  for (size_t i = 0; i < cases.size(); ++i) state = e.next(state);
  REQUIRE(!state.empty());
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO(i);
    CHECK(e.value(state, b.at(results, static_cast<uint32_t>(i))) == cases[i].second);
  }
}

TEST_CASE("process: a d_step is one step, and sees its own assignments") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const auto y = b.global("y", kByteType);
  b.activate(b.proctype("P"));
  const StatementId block =
      b.block(b.equal(x, 0), {b.assign(x, 3), b.assign(y, b.read(x)), b.condition(b.equal(y, 3))});
  b.sequence({block});
  REQUIRE(validate(b.model).empty());
  Explorer e(b.model);
  const Bytes state = e.next(e.initial());
  REQUIRE(!state.empty());
  CHECK(e.value(state, y) == 3);
  CHECK(e.location(state, 0) == 2);
}

TEST_CASE("process: a d_step needs its guard, tries alternatives in their order, and knows else") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  Statement s;
  s.kind = StatementKind::kAtomicBlock;
  s.body = {{{{b.condition(b.equal(x, 9)), DeterministicNode::kDone}, {b.assign(x, 1), 1}, {b.assign(x, 2), 1}}},
            {{{b.condition(b.equal(x, 9)), 0}, {b.otherwise(), DeterministicNode::kDone}}}};
  b.sequence({b.add(s)});
  b.activate(b.proctype("Q"));
  b.sequence({b.block(b.constant(0), {b.assign(x, 5)})});
  Explorer e(b.model);
  const Bytes state = e.next(e.initial());
  REQUIRE(!state.empty());
  CHECK(e.value(state, x) == 1);
}

TEST_CASE("process: a d_step that blocks, never ends or sends a rendezvous is an error") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const auto r = b.channel("r", 0, {kByteType});
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.block(kNoExpression, {b.assign(x, 1), b.condition(b.equal(x, 2))}));
  Statement endless;
  endless.kind = StatementKind::kAtomicBlock;
  endless.body = {{{{b.skip(), 0}}}};
  b.edge(1, 2, b.add(endless));
  b.edge(1, 2, b.block(kNoExpression, {b.send(r, {b.constant(1)})}));
  b.end(2);
  Explorer e(b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.empty());
  REQUIRE(batch.errors.size() == 3);
  CHECK(batch.errors[0].kind == Kind::kAtomicBlockBlocks);
  CHECK(batch.errors[1].kind == Kind::kEndlessAtomicBlock);
  CHECK(batch.errors[2].kind == Kind::kRendezvousInAtomicBlock);
}

TEST_CASE("process: arithmetic is that of C, wraps and never traps") {
  ModelBuilder b;
  struct Case {
    Operator op;
    int32_t a, b, expected;
  };
  const std::vector<Case> cases = {{Operator::kAdd, INT32_MAX, 1, INT32_MIN},
                                   {Operator::kSubtract, INT32_MIN, 1, INT32_MAX},
                                   {Operator::kMultiply, 65536, 65536, 0},
                                   {Operator::kDivide, -7, 2, -3},
                                   {Operator::kModulo, -7, 2, -1},
                                   {Operator::kShiftLeft, 1, 33, 2},
                                   {Operator::kShiftRight, -8, 1, -4},
                                   {Operator::kBitXor, 6, 3, 5},
                                   {Operator::kAnd, 2, 0, 0},
                                   {Operator::kOr, 0, 4, 1},
                                   {Operator::kLess, -1, 0, 1}};
  const auto x = b.global("x", kIntType);
  b.activate(b.proctype("P"));
  LocationId at = 1;
  for (const Case& c : cases) {
    b.edge(at, static_cast<LocationId>(at + 1), b.assign(x, b.op(c.op, {b.constant(c.a), b.constant(c.b)})));
    ++at;
  }
  b.edge(at, static_cast<LocationId>(at + 1),
         b.assign(x, b.op(Operator::kModulo, {b.constant(INT32_MIN), b.constant(-1)})));
  b.end(static_cast<LocationId>(at + 1));
  Explorer e(b.model);
  Bytes state = e.initial();
  for (const Case& c : cases) {
    state = e.next(state);
    REQUIRE(!state.empty());
    INFO(static_cast<int>(c.op));
    CHECK(e.value(state, x) == c.expected);
  }
  const SuccessorBatch batch = e.expand(state);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kDivisionByZero);
}

TEST_CASE("process: an assignment truncates to the type") {
  ModelBuilder b;
  const auto bit = b.global("bit", kBitType);
  const auto byte = b.global("byte", kByteType);
  const auto wide = b.global("wide", kShortType);
  const auto five = b.global("five", ScalarType{BasicType::kUnsigned, 5, 1, 0});
  b.activate(b.proctype("P"));
  b.sequence({b.assign(bit, 2), b.assign(byte, -1), b.assign(wide, 40000), b.assign(five, 33)});
  Explorer e(b.model);
  Bytes state = e.initial();
  for (int i = 0; i < 4; ++i) state = e.next(state);
  CHECK(e.value(state, bit) == 0);
  CHECK(e.value(state, byte) == 255);
  CHECK(e.value(state, wide) == 40000 - 65536);
  CHECK(e.value(state, five) == 1);
}

TEST_CASE("process: a failing initializer of a global leaves no initial state") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.initialize(x, b.op(Operator::kDivide, {b.constant(1), b.constant(0)}));
  Explorer e(b.model);
  const SuccessorBatch batch = e.initial_batch();
  CHECK(batch.entries.empty());
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].path_count == 0);
}

TEST_CASE("process: np_ is 0 where a process is at a progress label, else 1") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.assign(x, b.op(Operator::kNonProgress)));
  b.edge(2, 3, b.assign(x, b.op(Operator::kNonProgress)));
  b.location(2).progress = true;
  b.end(3);
  Explorer e(b.model);
  Bytes state = e.next(e.initial());
  CHECK(e.value(state, x) == 1);
  CHECK(e.value(e.next(state), x) == 0);
}

}  // namespace
}  // namespace cmc::test
