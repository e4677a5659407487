#include "ir/state_printer.h"
#include "tests/generator/explore.h"
#include "tests/support/model_builder.h"

#include "tests/catch.h"

// Buffered channels and rendezvous.

namespace cmc::test {
namespace {

using Kind = RuntimeErrorKind;

std::vector<std::string> messages(const Model& model, const Bytes& state, size_t channel = 0) {
  return decode_state(model, state).channels.at(channel).messages;
}

TEST_CASE("channel: a send blocks only when the channel is full, and the order is first in first out") {
  ModelBuilder b;
  const auto q = b.channel("q", 2, {kByteType, kShortType});
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.send(q, {b.constant(1), b.constant(-1)}));
  b.edge(2, 3, b.send(q, {b.constant(300), b.constant(2)}));
  b.edge(3, 4, b.send(q, {b.constant(0), b.constant(0)}));
  b.edge(3, 5, b.receive(q, {b.into(x), b.ignore()}));
  b.end(4);
  b.end(5);
  REQUIRE(validate(b.model).empty());
  Explorer e(b.model);
  Bytes state = e.next(e.next(e.initial()));
  REQUIRE(!state.empty());
  CHECK(messages(b.model, state) == std::vector<std::string>{"1,-1", "44,2"});
  state = e.next(state);
  REQUIRE(!state.empty());
  CHECK(e.location(state, 0) == 5);
  CHECK(e.value(state, x) == 1);
  CHECK(messages(b.model, state) == std::vector<std::string>{"44,2"});
}

TEST_CASE("channel: a freed slot is cleared, so that equal states are equal") {
  ModelBuilder b;
  const auto q = b.channel("q", 2, {kByteType});
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.send(q, {b.constant(7)}));
  b.edge(2, 1, b.receive(q, {b.ignore()}));
  Explorer e(b.model);
  CHECK(e.next(e.next(e.initial())) == e.initial());
}

TEST_CASE("channel: sorted send puts a message behind equal ones, and compares field by field") {
  ModelBuilder b;
  const auto q = b.channel("q", 5, {kByteType, kByteType});
  b.activate(b.proctype("P"));
  const std::vector<std::pair<int, int>> sends = {{5, 1}, {3, 9}, {5, 0}, {4, 4}, {5, 1}};
  LocationId at = 1;
  for (const auto& [first, second] : sends) {
    b.edge(at, static_cast<LocationId>(at + 1), b.send(q, {b.constant(first), b.constant(second)}, true));
    ++at;
  }
  b.end(at);
  Explorer e(b.model);
  Bytes state = e.initial();
  for (size_t i = 0; i < sends.size(); ++i) state = e.next(state);
  CHECK(messages(b.model, state) == std::vector<std::string>{"3,9", "4,4", "5,0", "5,1", "5,1"});
}

TEST_CASE("channel: matches are compared, random receive looks at all messages, a poll removes none") {
  ModelBuilder b;
  const auto q = b.channel("q", 3, {kByteType, kByteType});
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.send(q, {b.constant(1), b.constant(10)}));
  b.edge(2, 3, b.send(q, {b.constant(2), b.constant(20)}));
  b.edge(3, 4, b.receive(q, {b.match(b.constant(2)), b.into(x)}));
  b.edge(3, 5, b.receive(q, {b.match(b.constant(2)), b.into(x)}, true, true));
  b.edge(5, 6, b.receive(q, {b.match(b.constant(2)), b.into(x)}, true));
  b.end(4);
  b.end(6);
  Explorer e(b.model);
  Bytes state = e.next(e.next(e.next(e.initial())));
  REQUIRE(!state.empty());
  CHECK(e.location(state, 0) == 5);
  CHECK(e.value(state, x) == 20);
  CHECK(messages(b.model, state).size() == 2);
  state = e.next(state);
  CHECK(messages(b.model, state) == std::vector<std::string>{"1,10"});
}

TEST_CASE("channel: a later store sees an earlier one in its index") {
  ModelBuilder b;
  const auto q = b.channel("q", 1, {kByteType, kByteType});
  const auto i = b.global("i", kByteType);
  const auto a = b.global("a", kByteType, 3);
  b.activate(b.proctype("P"));
  b.sequence({b.send(q, {b.constant(2), b.constant(9)}), b.receive(q, {b.into(i), b.into(b.indexed(a, b.read(i)))})});
  Explorer e(b.model);
  const Bytes state = e.next(e.next(e.initial()));
  REQUIRE(!state.empty());
  CHECK(e.value(state, b.at(a, 2u)) == 9);
}

TEST_CASE("channel: len, full, empty, nfull, nempty and polls are right for buffered and rendezvous channels") {
  ModelBuilder b;
  const auto q = b.channel("q", 1, {kByteType});
  const auto r = b.channel("r", 0, {kByteType});
  const auto results = b.global("results", kByteType, 11);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.send(q, {b.constant(3)}));
  const std::vector<Operator> tests = {Operator::kLength, Operator::kFull, Operator::kEmpty, Operator::kNotFull,
                                       Operator::kNotEmpty};
  LocationId at = 2;
  uint32_t slot = 0;
  const auto ask = [&](ExpressionId expression) {
    b.edge(at, static_cast<LocationId>(at + 1), b.assign(b.at(results, slot++), expression));
    ++at;
  };
  for (const Operator op : tests) ask(b.op(op, {b.read(q)}));
  for (const Operator op : tests) ask(b.op(op, {b.read(r)}));
  Expression poll;
  poll.op = Operator::kPoll;
  poll.operands = {b.read(q)};
  poll.arguments = {b.match(b.constant(3))};
  ask(b.add(poll));
  poll.operands = {b.read(r)};
  b.edge(at, static_cast<LocationId>(at + 1), b.condition(b.add(poll)));
  b.end(static_cast<LocationId>(at + 1));
  Explorer e(b.model);
  Bytes state = e.next(e.initial());
  for (uint32_t i = 0; i < slot; ++i) state = e.next(state);
  REQUIRE(!state.empty());
  const std::vector<int> expected = {1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1};
  for (uint32_t i = 0; i < slot; ++i) {
    INFO(i);
    CHECK(e.value(state, b.at(results, i)) == expected[i]);
  }
  const SuccessorBatch batch = e.expand(state);
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].kind == Kind::kRendezvousPolled);
}

TEST_CASE("channel: an uninitialized channel, or one that does not exist, is an error") {
  ModelBuilder b;
  const auto c = b.global("c", kChanType);
  b.activate(b.proctype("P"));
  b.edge(1, 2, b.send(c, {b.constant(1)}));
  b.edge(1, 2, b.receive(c, {b.ignore()}));
  b.edge(1, 3, b.assign(c, 9));
  b.edge(3, 4, b.condition(b.op(Operator::kLength, {b.read(c)})));
  b.end(2);
  b.end(4);
  Explorer e(b.model);
  SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.size() == 1);
  REQUIRE(batch.errors.size() == 2);
  CHECK(batch.errors[0].kind == Kind::kUninitializedChannel);
  batch = e.expand(e.copy(batch, 0));
  REQUIRE(batch.errors.size() == 1);
  CHECK(batch.errors[0].message.find('9') != std::string::npos);
}

TEST_CASE("channel: a wrong number of fields is an error, and exploration goes on") {
  ModelBuilder b;
  const auto q = b.channel("q", 2, {kByteType, kByteType});
  const auto x = b.global("x", kByteType);
  b.activate(b.proctype("P"));
  b.sequence({b.send(q, {b.constant(5)}), b.send(q, {b.constant(6), b.constant(7), b.constant(8)}),
              b.receive(q, {b.into(x)}), b.receive(q, {b.into(x)}, false, true),
              b.receive(q, {b.ignore(), b.ignore(), b.into(x)})});
  Explorer e(b.model);
  Bytes state = e.initial();
  const std::vector<size_t> errors = {1, 1, 1, 0, 1};
  std::vector<std::string> messages;
  for (const size_t expected : errors) {
    const SuccessorBatch batch = e.expand(state);
    REQUIRE(batch.entries.size() == 1);
    CHECK(batch.errors.size() == expected);
    for (const RuntimeError& error : batch.errors) messages.push_back(error.message);
    state = e.copy(batch, 0);
  }
  CHECK(e.value(state, x) == 0);
  CHECK(messages[1].starts_with("3 fields sent, but the channel's messages have 2"));
  CHECK(messages[2].starts_with("1 field received, but the channel's messages have 2"));
}

struct Rendezvous {
  ModelBuilder b;
  VariableReference x = b.global("x", kByteType);
  VariableReference r = b.channel("r", 0, {kByteType});

  // Sends 1 from location 1 to 2.
  void sender(bool atomic = false) {
    b.activate(b.proctype("Sender"));
    b.edge(1, 2, b.send(r, {b.constant(257)}), atomic);
    b.end(2);
  }
};

TEST_CASE("channel: a rendezvous has one successor per receiver, in the order of SPIN") {
  Rendezvous m;
  m.sender();
  const ProctypeId receiver = m.b.proctype("Receiver");
  m.b.edge(1, 2, m.b.receive(m.r, {m.b.match(m.b.constant(2))}));
  m.b.edge(1, 2, m.b.receive(m.r, {m.b.into(m.x)}));
  m.b.edge(1, 2, m.b.receive(m.r, {m.b.match(m.b.constant(1))}));
  m.b.end(2);
  m.b.activate(receiver, 2);
  REQUIRE(validate(m.b.model).empty());
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.entries.size() == 4);
  REQUIRE(batch.steps.size() == 4);
  CHECK(batch.steps[0].pid == 0);
  CHECK(batch.steps[0].partner == 2);
  CHECK(batch.steps[0].partner_edge == 1);
  CHECK(batch.steps[1].partner_edge == 2);
  CHECK(batch.steps[2].partner == 1);
  const Bytes state = e.copy(batch, 0);
  CHECK(e.value(state, m.x) == 1);
  CHECK(e.location(state, 0) == 2);
  CHECK(e.location(state, 1) == 1);
  CHECK(e.location(state, 2) == 2);
}

TEST_CASE("channel: a rendezvous without a partner is no step, nor is a receive by itself") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Elsewhere"));
  m.b.sequence({m.b.condition(m.b.constant(0)), m.b.receive(m.r, {m.b.ignore()})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.blocked);
  CHECK(batch.invalid_end);
}

TEST_CASE("channel: after a handshake an atomic receiver has atomicity, and the sender has lost it") {
  for (const bool atomic_receiver : {false, true}) {
    Rendezvous m;
    m.sender(true);
    m.b.activate(m.b.proctype("Receiver"));
    m.b.edge(1, 2, m.b.receive(m.r, {m.b.ignore()}), atomic_receiver);
    m.b.end(2);
    Explorer e(m.b.model);
    const Bytes state = e.next(e.initial());
    REQUIRE(!state.empty());
    CHECK(e.holder(state) == (atomic_receiver ? 1u : 255u));
  }
}

TEST_CASE("channel: else is taken only beside a rendezvous without a partner") {
  for (const bool partner : {false, true}) {
    Rendezvous m;
    m.b.activate(m.b.proctype("Sender"));
    m.b.edge(1, 2, m.b.send(m.r, {m.b.constant(1)}));
    m.b.edge(1, 3, m.b.otherwise());
    m.b.end(2);
    m.b.end(3);
    m.b.activate(m.b.proctype("Receiver"));
    m.b.sequence({m.b.receive(m.r, {m.b.match(m.b.constant(partner ? 1 : 0))})});
    Explorer e(m.b.model);
    const Bytes state = e.next(e.initial());
    REQUIRE(!state.empty());
    CHECK(e.location(state, 0) == (partner ? 2 : 3));
  }
}

TEST_CASE("channel: an escape is forgotten whose rendezvous has no partner") {
  // SPIN: the first edge is an escape; the blocked send resets the comparison; the third edge is tried again.
  Rendezvous m;
  m.b.activate(m.b.proctype("P"));
  m.b.edge(1, 4, m.b.skip(), false, 4);
  m.b.edge(1, 5, m.b.send(m.r, {m.b.constant(1)}), false, 4);
  m.b.edge(1, 2, m.b.skip());
  m.b.end(2);
  m.b.end(4);
  m.b.end(5);
  Explorer e(m.b.model);
  CHECK(e.expand(e.initial()).entries.size() == 2);
}

TEST_CASE("channel: no ordinary statement of a third process is executed in the middle of a handshake") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Other"));
  m.b.edge(1, 2, m.b.assign(m.x, 9));
  m.b.edge(1, 2, m.b.otherwise());
  m.b.end(2);
  m.b.activate(m.b.proctype("Receiver"));
  m.b.sequence({m.b.receive(m.r, {m.b.ignore()})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.entries.size() == 2);
  CHECK(batch.steps[0].pid == 1);
  CHECK(batch.steps[1].partner == 2);
  CHECK(e.value(e.copy(batch, 1), m.x) == 0);
}

TEST_CASE("channel: a d_step that begins with a receive takes the message of a rendezvous") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Receiver"));
  const StatementId receive = m.b.receive(m.r, {m.b.into(m.x)});
  Expression guard;
  guard.op = Operator::kReceivable;
  guard.statement = receive;
  const ExpressionId doubled = m.b.op(Operator::kAdd, {m.b.read(m.x), m.b.constant(5)});
  m.b.sequence({m.b.block(m.b.add(guard), {receive, m.b.assign(m.x, doubled)})});
  REQUIRE(validate(m.b.model).empty());
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  REQUIRE(batch.entries.size() == 1);
  CHECK(batch.steps[0].partner == 1);
  CHECK(e.value(e.copy(batch, 0), m.x) == 6);
}

TEST_CASE("channel: a d_step without guard runs in the middle of a rendezvous, and is on the path") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Other"));
  m.b.sequence({m.b.block(kNoExpression, {m.b.assign(m.x, 9)})});
  m.b.activate(m.b.proctype("Receiver"));
  m.b.sequence({m.b.receive(m.r, {m.b.ignore()})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  // The d_step alone; the handshake alone; the d_step in its middle.
  REQUIRE(batch.entries.size() == 3);
  const Bytes middle = e.copy(batch, 2);
  CHECK(e.value(middle, m.x) == 9);
  CHECK(e.location(middle, 0) == 2);
  CHECK(e.location(middle, 1) == 2);
  CHECK(e.location(middle, 2) == 2);
  REQUIRE(batch.entries[2].path_count == 2);
  CHECK(batch.steps[batch.entries[2].path_begin].pid == 1);
  CHECK(batch.steps[batch.entries[2].path_begin + 1].partner == 2);
}

TEST_CASE("channel: an error of a receiver shows the d_step in the middle of the rendezvous") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Other"));
  m.b.sequence({m.b.block(kNoExpression, {m.b.assertion(m.b.constant(0)), m.b.assign(m.x, 9)})});
  m.b.activate(m.b.proctype("Receiver"));
  const auto array = m.b.global("array", kByteType, 2);
  m.b.sequence({m.b.receive(m.r, {m.b.match(m.b.read(m.b.indexed(array, m.b.read(m.x))))})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  // The d_step alone violates its assertion; in the middle, too, and then the receiver fails.
  REQUIRE(batch.errors.size() == 3);
  CHECK(batch.errors[1].kind == RuntimeErrorKind::kAssertion);
  CHECK(batch.errors[2].kind == RuntimeErrorKind::kIndexOutOfBounds);
  REQUIRE(batch.errors[2].path_count == 2);
  CHECK(batch.steps[batch.errors[2].path_begin].pid == 1);
  CHECK(batch.steps[batch.errors[2].path_begin + 1].partner == 2);
}

TEST_CASE("channel: a d_step that needs to be alone does not run in the middle of a rendezvous") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Other"));
  m.b.sequence({m.b.block(m.b.op(Operator::kNoRendezvous), {m.b.assign(m.x, 9)})});
  Explorer e(m.b.model);
  CHECK(e.expand(e.initial()).entries.size() == 1);
}

TEST_CASE("channel: a receive from an uninitialized channel leaves the handshakes of others alone") {
  Rendezvous m;
  m.sender();
  m.b.activate(m.b.proctype("Broken"));
  const auto c = m.b.local("c", kChanType);
  m.b.sequence({m.b.receive(c, {m.b.ignore()})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.empty());
  CHECK(batch.errors.size() == 1);
}

TEST_CASE("channel: a rendezvous with a wrong number of fields is an error, and exploration goes on") {
  Rendezvous m;
  m.b.activate(m.b.proctype("Sender"));
  m.b.sequence({m.b.send(m.r, {})});
  m.b.activate(m.b.proctype("Receiver"));
  m.b.sequence({m.b.receive(m.r, {m.b.into(m.x), m.b.into(m.x)})});
  Explorer e(m.b.model);
  const SuccessorBatch batch = e.expand(e.initial());
  CHECK(batch.entries.size() == 1);
  REQUIRE(batch.errors.size() == 2);
  REQUIRE(batch.errors[0].path_count == 1);
  CHECK(batch.steps[batch.errors[0].path_begin].partner == kNoProcess);
  CHECK(batch.errors[1].path_begin == batch.entries[0].path_begin);
}

TEST_CASE("channel: a rendezvous with a wrong number of fields is one error, however many take it") {
  for (const size_t receivers : {size_t{0}, size_t{1}, size_t{3}}) {
    Rendezvous m;
    m.b.activate(m.b.proctype("Sender"));
    m.b.sequence({m.b.send(m.r, {m.b.constant(1), m.b.constant(2)})});
    m.b.proctype("Receiver");
    for (size_t i = 0; i < receivers; ++i) m.b.activate(1);
    m.b.sequence({m.b.receive(m.r, {m.b.into(m.x)})});
    Explorer e(m.b.model);
    const SuccessorBatch batch = e.expand(e.initial());
    CHECK(batch.entries.size() == receivers);
    CHECK(batch.blocked == (receivers == 0));
    REQUIRE(batch.errors.size() == 1);
    CHECK(batch.errors[0].kind == RuntimeErrorKind::kMessageFields);
    CHECK(batch.steps[batch.errors[0].path_begin].partner == kNoProcess);
  }
}

}  // namespace
}  // namespace cmc::test
