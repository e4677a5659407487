#include "tests/generator/explore.h"
#include "tests/generator/models.h"

#include "tests/catch.h"

// The process loop: which edges of which processes are steps.

namespace cmc::test {
namespace {

using Kind = RuntimeErrorKind;

TEST_CASE("control: else is taken if no other edge is executable, and only then") {
  for (const int x : {0, 1}) {
    ModelBuilder b;
    const auto v = b.global("x", kByteType);
    b.initialize(v, x);
    b.activate(b.proctype("P"));
    b.edge(1, 2, b.condition(b.equal(v, 1)));
    b.edge(1, 3, b.otherwise());
    b.end(2);
    b.end(3);
    REQUIRE(validate(b.model).empty());
    Explorer e(b.model);
    const Bytes next = e.next(e.initial());
    REQUIRE(!next.empty());
    CHECK(e.location(next, 0) == (x == 1 ? 2 : 3));
  }
}

TEST_CASE("control: an executable escape hides the main statement, and a blocked one does not") {
  for (const int x : {0, 1}) {
    ModelBuilder b;
    const auto v = b.global("x", kByteType);
    b.initialize(v, x);
    b.activate(b.proctype("P"));
    b.edge(1, 3, b.condition(b.equal(v, 1)), false, 3);
    b.edge(1, 4, b.skip(), false, 3);
    b.edge(1, 2, b.skip());
    b.end(2);
    b.end(3);
    b.end(4);
    Explorer e(b.model);
    const SuccessorBatch batch = e.expand(e.initial());
    REQUIRE(batch.entries.size() == (x == 1 ? 2 : 1));
    CHECK(e.location(e.copy(batch, 0), 0) == (x == 1 ? 3 : 4));
  }
}

TEST_CASE("control: after an ordinary edge no edge of an escape is taken") {
  // SPIN compares with e_trans only if it is positive: an edge that comes from no escape leaves all others open.
  ModelBuilder b;
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.skip());
  b.edge(1, 3, b.skip(), false, 3);
  b.edge(1, 4, b.skip());
  b.end(2);
  b.end(3);
  b.end(4);
  Explorer e(b.model);
  CHECK(e.expand(e.initial()).entries.size() == 2);
}

TEST_CASE("control: processes are tried from the youngest down") {
  ModelBuilder b;
  const ProctypeId p = b.proctype("P");
  b.sequence({b.skip()});
  b.activate(p, 3);
  Explorer e(b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.steps.size() == 3);
  CHECK(batch.steps[0].pid == 2);
  CHECK(batch.steps[2].pid == 0);
  CHECK(e.explore().states == 8 + 4 + 2 + 1);
}

TEST_CASE("control: timeout is true if no process can move, and only then") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.model.uses_timeout = true;
  b.activate(b.proctype("Waits"));
  b.sequence({b.condition(b.op(Operator::kTimeout))});
  b.activate(b.proctype("Works"));
  b.sequence({b.assign(x, 1), b.condition(b.equal(x, 7))});
  Explorer e(b.model);
  SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 1);
  CHECK_FALSE(batch.steps[0].timeout);
  batch = e.expand(e.copy(batch, 0));
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 0);
  CHECK(batch.steps[0].timeout);
  batch = e.expand(e.copy(batch, 0));
  CHECK(batch.blocked);
  CHECK(batch.invalid_end);
}

TEST_CASE("control: a process whose provided clause is false does not move") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  b.current().provided = b.equal(x, 1);
  b.sequence({b.skip()});
  b.activate(b.proctype("Q"));
  b.sequence({b.assign(x, 1)});
  Explorer e(b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 1);
  CHECK(e.expand(e.copy(batch, 0)).steps.size() == 2);
}

TEST_CASE("control: a process of low priority waits while one of high priority can move") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.model.uses_priority = true;
  b.activate(b.proctype("Low"));
  b.sequence({b.assign(x, 1), b.assign(x, 2)});
  b.activate(b.proctype("High"), 1, 5);
  b.sequence({b.condition(b.equal(x, 1)), b.condition(b.equal(x, 5))});
  Explorer e(b.model);
  SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 0);
  batch = e.expand(e.copy(batch, 0));
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 1);
  batch = e.expand(e.copy(batch, 0));
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 0);
}

TEST_CASE("control: set_priority of a missing process does nothing, out of range is an error") {
  ModelBuilder b;
  b.model.uses_priority = true;
  const auto set = [&](int pid, int priority) { return b.set_priority(b.constant(pid), b.constant(priority)); };
  b.activate(b.proctype("P"));
  b.sequence({set(7, 300), set(0, 9), set(0, 256)});
  Explorer e(b.model);
  Bytes state = e.next(e.initial());
  REQUIRE(!state.empty());
  state = e.next(state);
  REQUIRE(!state.empty());
  CHECK(load<uint8_t>(state.data() + e.frame(state, 0) + kFramePriority) == 9);
  const SuccessorBatch batch = e.expand(state);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kPriorityRange);
  CHECK(batch.entries.empty());
}

TEST_CASE("control: a process ends after the younger ones, and its frame goes") {
  ModelBuilder b;
  const ProctypeId p = b.proctype("P");
  b.end(1);
  b.activate(p, 2);
  Explorer e(b.model);
  const Bytes both = e.initial();
  SuccessorBatch batch = e.expand(both);
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 1);
  const Bytes one = e.copy(batch, 0);
  CHECK(e.processes(one) == 1);
  CHECK(one.size() == both.size() - b.current().frame_bytes);
  const Bytes none = e.next(one);
  CHECK(e.processes(none) == 0);
  batch = e.expand(none);
  CHECK(batch.blocked);
  CHECK_FALSE(batch.invalid_end);
}

TEST_CASE("control: atomicity is kept to the end of the sequence, and lost where its holder blocks") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  add_blocking_atomic(b, x);
  b.activate(b.proctype("Q"));
  b.sequence({b.skip(), b.assign(x, 1)});
  Explorer e(b.model);
  SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.steps.size() == 2);
  const Bytes held = e.copy(batch, 1);
  CHECK(e.holder(held) == 0);
  batch = e.expand(held);
  CHECK(batch.holder_released);
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 1);
  CHECK(e.holder(e.copy(batch, 0)) == kNoProcess);
  batch = e.expand(e.next(e.copy(batch, 0)));
  CHECK_FALSE(batch.holder_released);
  REQUIRE(batch.steps.size() >= 1);
  const Bytes again = e.copy(batch, batch.entries.size() - 1);
  CHECK(e.holder(again) == 0);
  batch = e.expand(again);
  REQUIRE(batch.steps.size() == 1);
  CHECK(batch.steps[0].pid == 0);
  CHECK(e.holder(e.copy(batch, 0)) == kNoProcess);
}

TEST_CASE("control: _last is the process that moved, and is written only if somebody asks") {
  for (const bool uses : {false, true}) {
    ModelBuilder b;
    b.model.uses_last = uses;
    const ProctypeId p = b.proctype("P");
    b.sequence({b.skip()});
    b.activate(p, 2);
    Explorer e(b.model);
    const Bytes state = e.copy(e.expand(e.initial()), 0);
    CHECK(load<uint8_t>(state.data() + b.model.last_offset()) == (uses ? 1 : 0));
  }
}

TEST_CASE("control: nondeterminism in a D_proctype is an error, and skip and else are none") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("D"));
  b.current().deterministic = true;
  b.edge(1, 2, b.skip());
  b.edge(1, 2, b.skip());
  b.edge(1, 3, b.assign(x, 1));
  b.edge(1, 3, b.otherwise());
  b.end(2);
  b.end(3);
  Explorer e(b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.size() == 3);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kNondeterminism);
}

TEST_CASE("control: enabled() is right for itself, a missing process, a blocked one, one at an else") {
  ModelBuilder b;
  const auto x = b.global("x", kByteType);
  const auto results = b.global("results", kByteType, 3);
  const auto enabled = [&](int pid) { return b.op(Operator::kEnabled, {b.constant(pid)}); };
  b.activate(b.proctype("Asks"));
  b.sequence({b.assign(b.at(results, 0u), enabled(9)), b.assign(b.at(results, 1u), enabled(1)),
              b.assign(b.at(results, 2u), enabled(2)), b.condition(enabled(0))});
  b.activate(b.proctype("Blocked"));
  b.sequence({b.condition(b.equal(x, 1))});
  b.activate(b.proctype("Else"));
  b.edge(1, 2, b.condition(b.equal(x, 1)));
  b.edge(1, 2, b.otherwise());
  b.end(2);
  Explorer e(b.model);
  Bytes state = e.initial();
  for (int i = 0; i < 3; ++i) state = e.copy(e.expand(state), 1);
  CHECK(e.value(state, b.at(results, 0u)) == 0);
  CHECK(e.value(state, b.at(results, 1u)) == 0);
  CHECK(e.value(state, b.at(results, 2u)) == 1);
  const SuccessorBatch batch = e.expand(state);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kEnabledOfSelf);
  CHECK(batch.errors[0].path_count == 1);
}

TEST_CASE("control: processes that ask for each other with enabled() need no deep stack") {
  ModelBuilder b;
  const ProctypeId p = b.proctype("P");
  const ExpressionId other =
      b.op(Operator::kEnabled, {b.op(Operator::kSubtract, {b.constant(1), b.op(Operator::kOwnPid)})});
  b.sequence({b.condition(other)});
  b.activate(p, 2);
  Explorer e(b.model);
  CHECK(e.expand(e.initial()).errors.size() == 2);
}

TEST_CASE("control: an error is no deadlock and has no successor") {
  ModelBuilder b;
  const auto a = b.global("a", kByteType, 3);
  const auto x = b.global("x", kByteType);
  b.initialize(x, 3);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.assign(b.indexed(a, b.read(x)), 1));
  b.edge(1, 2, b.condition(b.op(Operator::kDivide, {b.constant(1), b.constant(0)})));
  b.edge(1, 2, b.otherwise());
  b.end(2);
  Explorer e(b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.empty());
  CHECK_FALSE(batch.blocked);
  REQUIRE(batch.errors.size() == 2);
  CHECK(batch.errors[0].kind == Kind::kIndexOutOfBounds);
  CHECK(batch.errors[0].message.find('3') != std::string::npos);
  CHECK(batch.errors[1].kind == Kind::kDivisionByZero);
  CHECK(batch.steps[batch.errors[1].path_begin].edge == 1);
  CHECK(batch.errors[1].place.line > batch.errors[0].place.line);
}

TEST_CASE("control: exploration goes on behind a failed assertion, and a true one does not fail") {
  ModelBuilder b;
  b.activate(b.proctype("P"));
  b.sequence({b.assertion(b.constant(1)), b.assertion(b.constant(0))});
  b.model.statements[1].text = "assert(0)";
  Explorer e(b.model);
  const Bytes state = e.next(e.initial());
  REQUIRE(!state.empty());
  const SuccessorBatch batch = e.expand(state);
  CHECK(batch.entries.size() == 1);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kAssertion);
  CHECK(batch.errors[0].path_count == 1);
}

}  // namespace
}  // namespace cmc::test
