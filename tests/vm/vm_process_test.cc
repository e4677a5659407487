#include "tests/support/model_builder.h"
#include "tests/vm/compare.h"
#include "tests/vm/peterson.h"

#include "tests/catch.h"

// Processes, control and whole models, against the reference interpreter.

namespace cmc::test {
namespace {

TEST_CASE("VM process: the protocol of Peterson has the state space of the literature") {
  const Exploration two = explore(peterson(2));
  CHECK(two.differences == std::vector<std::string>{});
  CHECK(two.states == 294);
  CHECK(two.transitions == 540);
  const Exploration three = explore(peterson(3));
  CHECK(three.differences == std::vector<std::string>{});
  CHECK(three.states == 45'915);
  CHECK(three.transitions == 128'653);
}

// init runs workers with arguments; each has a channel of its own, sends into it, looks at others, and ends.
TEST_CASE("VM process: parameters, own channels, initializers and the pid of run are right") {
  ModelBuilder b;
  const VariableReference last = b.global(kByteType);
  const VariableReference shared = b.global(kChanType);
  const ProctypeId worker = b.proctype("worker");
  const VariableReference a = b.parameter(kBitType);
  const VariableReference c = b.parameter(kShortType);
  const VariableReference own = b.local_channel(b.channel_type(2, {kShortType}));
  const VariableReference start = b.local(kByteType);
  const auto pid = b.op(Operator::kOwnPid);
  b.initialize(start, b.op(Operator::kAdd, {b.read(c), pid}));
  Expression remote;
  remote.op = Operator::kRemoteVariable;
  remote.proctype = worker;
  remote.reference = start;
  const ExpressionId of_first = b.add(remote);
  remote.operands = {b.op(Operator::kSubtract, {pid, b.constant(1)})};
  const ExpressionId of_previous = b.add(remote);
  Expression at;
  at.op = Operator::kRemoteLocation;
  at.proctype = worker;
  at.value = 3;
  const ExpressionId first_is_at = b.add(at);
  at.operands = {b.op(Operator::kSubtract, {pid, b.constant(1)})};
  const ExpressionId previous_is_at = b.add(at);
  b.sequence({b.send(b.read(own), {b.op(Operator::kAdd, {b.read(a), of_previous})}), b.assign(shared, b.read(own)),
              b.assign(last, b.op(Operator::kAdd, {first_is_at, of_first})), b.assign(start, previous_is_at),
              b.receive(b.read(shared), {ModelBuilder::into(c)}),
              b.assign(last, b.op(Operator::kLocationOf, {b.read(start)}))});
  const ProctypeId init = b.proctype("init");
  const VariableReference child = b.local(kByteType);
  b.sequence({b.assign(child, b.run(worker, {b.constant(3), b.constant(70'001)})),
              b.condition(b.run(worker, {b.read(child), b.op(Operator::kProcessCount)}, 7)),
              b.assign(last, b.op(Operator::kNonProgress)),
              b.condition(b.op(Operator::kEqual, {b.op(Operator::kProcessCount), b.constant(1)}))});
  b.activate(init);
  const Exploration found = explore(b.model);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.complete);
  CHECK(found.states > 100);
}

TEST_CASE("VM process: a location beyond 255 is seen whole by another process") {
  ModelBuilder b;
  const VariableReference x = b.global(kIntType);
  const ProctypeId walker = b.proctype("walker");
  b.sequence(std::vector<StatementId>(300, b.skip()));
  const ProctypeId watcher = b.proctype("watcher");
  Expression at;
  at.op = Operator::kRemoteLocation;
  at.proctype = walker;
  at.value = 290;
  b.edge(1, 1, b.assign(x, b.op(Operator::kLocationOf, {b.constant(0)})));
  b.edge(1, 1, b.condition(b.add(at)));
  b.edge(1, 1, b.assertion(b.op(Operator::kLess, {b.read(x), b.constant(280)})));
  b.activate(walker);
  b.activate(watcher);
  const Exploration found = explore(b.model);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("assertion") > 0);
}

// q ! 5, enabled(other): to decide enabled, the message that the other process offers is composed as well.
TEST_CASE("VM process: enabled() in a message keeps the values in front of it") {
  ModelBuilder b;
  const VariableReference q = b.channel(b.channel_type(1, {kByteType, kByteType}));
  const VariableReference handshake = b.channel(b.channel_type(0, {kByteType, kByteType}));
  const VariableReference x = b.global(kByteType);
  const ProctypeId sender = b.proctype("sender");
  b.sequence({b.send(b.read(q), {b.constant(5), b.op(Operator::kEnabled, {b.constant(1)})}),
              b.receive(b.read(q), {ModelBuilder::into(x), ModelBuilder::match(b.constant(1))}),
              b.assertion(b.op(Operator::kEqual, {b.read(x), b.constant(5)}))});
  const ProctypeId offering = b.proctype("offering");
  b.sequence({b.send(b.read(handshake), {b.constant(7), b.constant(8)})});
  const ProctypeId taking = b.proctype("taking");
  b.sequence({b.receive(b.read(handshake), {ModelBuilder::ignore(), ModelBuilder::ignore()})});
  for (const ProctypeId proctype : {sender, offering, taking}) b.activate(proctype);
  const Exploration found = explore(b.model);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.empty());
  CHECK(found.states > 5);
}

TEST_CASE("VM process: enabled() that fails does not report a message that another process only tried to send") {
  ModelBuilder b;
  const VariableReference handshake = b.channel(b.channel_type(0, {kByteType}));
  const auto enabled_of = [&](int32_t pid) { return b.condition(b.op(Operator::kEnabled, {b.constant(pid)})); };
  const ProctypeId sender = b.proctype("sender");
  b.edge(1, 0, b.send(b.read(handshake), {b.constant(1), b.constant(2)}));
  b.edge(1, 0, enabled_of(0));
  const ProctypeId asker = b.proctype("asker");
  b.sequence({enabled_of(0)});
  for (const ProctypeId proctype : {sender, asker}) b.activate(proctype);
  const Exploration found = explore(b.model);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("message fields") == 1);  // of the sender's own offer
  CHECK(found.errors.count("enabled") == 1);
}

TEST_CASE("VM process: too many processes or channels are the right error") {
  for (const bool with_channel : {false, true}) {
    ModelBuilder b;
    const ProctypeId child = b.proctype("child");
    if (with_channel) b.local_channel(b.channel_type(1, {kByteType}));
    if (with_channel) b.local_channel(0);
    const ProctypeId init = b.proctype("init");
    b.edge(1, 1, b.condition(b.run(child)));
    b.activate(init);
    const Exploration found = explore(b.model);
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.errors.count(with_channel ? "too many channels" : "too many processes") == 1);
    CHECK(found.states == (with_channel ? 128 : 255));
  }
}

TEST_CASE("VM process: priorities, enabled and provided decide as in the reference") {
  ModelBuilder b;
  b.model.uses_priority = true;
  const VariableReference x = b.global(kByteType);
  const VariableReference q = b.channel(b.channel_type(1, {kByteType}));
  const ProctypeId low = b.proctype("low");
  b.current().provided = b.op(Operator::kNotEqual, {b.read(x), b.constant(3)});
  const auto pid = b.op(Operator::kOwnPid);
  const ExpressionId other = b.op(Operator::kSubtract, {b.constant(1), pid});
  b.edge(1, 1, b.assign(x, b.op(Operator::kEnabled, {other})));
  b.edge(1, 1, b.increment(x));
  b.edge(1, 1, b.set_priority(other, b.read(x)));
  b.edge(1, 1, b.set_priority(pid, b.op(Operator::kAdd, {b.op(Operator::kOwnPriority), b.constant(1)})));
  b.edge(1, 1, b.assign(x, b.op(Operator::kPriorityOf, {b.read(x)})));
  b.edge(1, 1, b.send(b.read(q), {b.op(Operator::kEnabled, {other})}));
  b.edge(1, 1, b.receive(b.read(q), {ModelBuilder::match(b.op(Operator::kEnabled, {b.read(x)}))}));
  b.edge(1, 1, b.otherwise());
  b.activate(low, 2);
  b.model.active[0].priority = 5;
  const Exploration found = explore(b.model, 4'000);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("priority") > 0);
  CHECK(found.errors.at("enabled") > 0);
  CHECK(found.states > 100);
}

TEST_CASE("VM process: the guard, branches and a receive of a d_step are right") {
  for (const uint32_t capacity : {0u, 1u}) {
    ModelBuilder b;
    const VariableReference x = b.global(kByteType);
    const VariableReference q = b.channel(b.channel_type(capacity, {kByteType}));
    const StatementId receive = b.receive(b.read(q), {ModelBuilder::into(x)});
    const ProctypeId server = b.proctype("server");
    Statement block;
    block.kind = StatementKind::kAtomicBlock;
    Expression receivable;
    receivable.op = Operator::kReceivable;
    receivable.statement = receive;
    block.guard = b.add(receivable);
    const StatementId odd = b.condition(b.op(Operator::kBitAnd, {b.read(x), b.constant(1)}));
    const StatementId small = b.condition(b.op(Operator::kLess, {b.read(x), b.constant(200)}));
    block.body = {
        DeterministicNode{{{receive, 1}}}, DeterministicNode{{{odd, 2}, {b.otherwise(), DeterministicNode::kDone}}},
        DeterministicNode{{{b.increment(x, 5), 3}}}, DeterministicNode{{{small, DeterministicNode::kDone}}}};
    b.edge(1, 1, b.add(block));
    block.guard = b.op(Operator::kAnd, {b.op(Operator::kNoRendezvous), b.op(Operator::kElseGuard)});
    block.body = {DeterministicNode{{{b.increment(x), 1}}},
                  DeterministicNode{{{b.assertion(odd == 0 ? 0 : b.read(x)), DeterministicNode::kDone}}}};
    b.edge(1, 1, b.add(block));
    const ProctypeId client = b.proctype("client");
    b.edge(1, 1, b.send(b.read(q), {b.op(Operator::kAdd, {b.read(x), b.constant(1)})}));
    b.activate(server);
    b.activate(client);
    const Exploration found = explore(b.model);
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.states > 100);
    CHECK(found.errors.at("blocked d_step") > 0);
    CHECK(found.errors.at("assertion") > 0);
  }
}

TEST_CASE("VM process: operands of printf, assertions in expressions, _last and timeout are right") {
  ModelBuilder b;
  b.model.uses_last = true;
  b.model.uses_timeout = true;
  const VariableReference x = b.global(kByteType);
  const ProctypeId p = b.proctype("p");
  Statement print;
  print.kind = StatementKind::kPrintf;
  print.operands = {b.read(x),
                    b.op(Operator::kDivide, {b.constant(9), b.op(Operator::kSubtract, {b.read(x), b.constant(2)})})};
  const ExpressionId below = b.op(Operator::kLess, {b.read(x), b.constant(3)});
  const StatementId step =
      b.condition(b.op(Operator::kAnd, {below, b.op(Operator::kNot, {b.op(Operator::kTimeout)})}));
  b.edge(1, 2, step);
  b.edge(1, 2, b.condition(b.op(Operator::kTimeout)));
  b.edge(2, 2, b.add(print));
  b.edge(2, 1, b.increment(x));
  b.edge(2, 1, b.assertion(b.op(Operator::kOr, {b.op(Operator::kLast), below})));
  b.activate(p, 2);
  const Exploration found = explore(b.model, 2'000);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("division") > 0);
  CHECK(found.errors.at("assertion") > 0);
  CHECK(found.states > 50);
}

}  // namespace
}  // namespace cmc::test
