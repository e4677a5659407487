#include "tests/support/model_builder.h"
#include "tests/vm/compare.h"

#include "tests/catch.h"

// Channel instructions, against the reference interpreter.

namespace cmc::test {
namespace {

// A process that stays at one location, with the given statements as edges, and a second one that does the same.
struct Loop {
  ModelBuilder b;
  ProctypeId first = b.proctype("first");
  ProctypeId second = b.proctype("second");
  Loop() {
    b.activate(first);
    b.activate(second);
  }
  void add(ProctypeId proctype, StatementId statement) {
    b.select(proctype);
    b.edge(1, 1, statement);
  }
  Exploration run(uint64_t max_states = 20'000) { return explore(b.model, max_states); }
};

TEST_CASE("VM channel: a buffered channel keeps order and slots, and truncates") {
  Loop loop;
  ModelBuilder& b = loop.b;
  const VariableReference q = b.channel(b.channel_type(3, {kByteType, kShortType, kBitType}));
  const VariableReference x = b.global(unsigned_type(2));
  const VariableReference y = b.global(kShortType);
  const ExpressionId channel = b.read(q);
  loop.add(loop.first, b.send(channel, {b.read(x), b.constant(-1), b.read(x)}));
  loop.add(loop.first, b.send(channel, {b.constant(300), b.constant(70000), b.constant(3)}, true));
  loop.add(loop.first, b.send(channel, {b.read(x), b.read(y), b.constant(0)}, true));
  loop.add(loop.first, b.increment(x));
  using M = ModelBuilder;
  loop.add(loop.second, b.receive(channel, {M::into(x), M::into(y), M::ignore()}));
  loop.add(loop.second, b.receive(channel, {M::match(b.constant(44)), M::into(y), M::ignore()}, true));
  loop.add(loop.second, b.receive(channel, {M::match(b.read(x)), M::ignore(), M::match(b.constant(0))}, true));
  loop.add(loop.second, b.receive(channel, {M::into(x), M::ignore(), M::match(b.constant(1))}, false, true));
  loop.add(loop.second, b.receive(channel, {M::into(x), M::match(b.constant(4464)), M::ignore()}, true, true));
  loop.add(loop.second, b.condition(b.poll(channel, {M::match(b.read(x)), M::ignore(), M::ignore()})));
  loop.add(loop.second,
           b.condition(b.op(Operator::kNot, {b.poll(channel, {M::ignore(), M::match(b.constant(-1))}, true)})));
  const Exploration found = loop.run(3'000);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.states == 3'000);
}

TEST_CASE("VM channel: len, full, empty, nfull and nempty are right for buffered and rendezvous channels") {
  for (const uint32_t capacity : {0u, 2u}) {
    Loop loop;
    ModelBuilder& b = loop.b;
    const VariableReference q = b.channel(b.channel_type(capacity, {kByteType}));
    const VariableReference x = b.global(kByteType);
    for (const Operator op :
         {Operator::kLength, Operator::kFull, Operator::kEmpty, Operator::kNotFull, Operator::kNotEmpty}) {
      loop.add(loop.first, b.assign(x, b.op(op, {b.read(q)})));
      loop.add(loop.first, b.condition(b.op(op, {b.read(q)})));
      loop.add(loop.first, b.condition(b.op(Operator::kNot, {b.op(op, {b.read(q)})})));
    }
    loop.add(loop.first, b.send(b.read(q), {b.constant(1)}));
    loop.add(loop.second, b.receive(b.read(q), {ModelBuilder::into(x)}));
    const Exploration found = loop.run();
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.states >= 2);
  }
}

TEST_CASE("VM channel: a rendezvous takes a message only that matches, and its fields arrive") {
  Loop loop;
  ModelBuilder& b = loop.b;
  const VariableReference q = b.channel(b.channel_type(0, {kByteType, kShortType}));
  const VariableReference other = b.channel(b.channel_type(0, {kByteType}));
  const VariableReference x = b.global(unsigned_type(3));
  const VariableReference y = b.global(kShortType);
  using M = ModelBuilder;
  for (const ProctypeId proctype : {loop.first, loop.second}) {
    loop.add(proctype, b.send(b.read(q), {b.op(Operator::kAdd, {b.read(x), b.constant(255)}), b.constant(70000)}));
    loop.add(proctype, b.send(b.read(q), {b.op(Operator::kOwnPid), b.read(y)}));
    loop.add(proctype, b.receive(b.read(q), {M::match(b.read(x)), M::into(y)}));
    loop.add(proctype, b.receive(b.read(q), {M::into(x), M::match(b.constant(4464))}));
    loop.add(proctype, b.receive(b.read(q), {M::into(x), M::match(b.read(y))}, true));
    loop.add(proctype, b.receive(b.read(other), {M::into(x)}));
  }
  loop.add(loop.first, b.send(b.read(other), {b.constant(2)}));
  loop.add(loop.first, b.increment(x));
  const Exploration found = loop.run();
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.states >= 8);
}

TEST_CASE("VM channel: too few or too many fields are reported, and the step is completed") {
  for (const uint32_t capacity : {0u, 2u}) {
    Loop loop;
    ModelBuilder& b = loop.b;
    const VariableReference q = b.channel(b.channel_type(capacity, {kByteType, kByteType}));
    const VariableReference x = b.global(kBitType);
    const VariableReference array = b.global(kByteType, 2);
    const VariableReference index = b.global(kByteType);
    using M = ModelBuilder;
    const ExpressionId fails = b.op(Operator::kDivide, {b.constant(1), b.read(x)});
    loop.add(loop.first, b.send(b.read(q), {b.constant(3)}));
    loop.add(loop.first, b.send(b.read(q), {b.constant(2), b.constant(1), b.constant(4)}));
    loop.add(loop.first, b.send(b.read(q), {b.constant(2), b.constant(1), fails}));
    loop.add(loop.second, b.receive(b.read(q), {M::into(x)}));
    loop.add(loop.second, b.receive(b.read(q), {M::into(x), M::into(index), M::into(x)}));
    loop.add(loop.second, b.receive(b.read(q), {M::ignore(), M::ignore(), M::match(b.constant(0))}));
    loop.add(loop.second, b.receive(b.read(q), {M::into(index), M::into(M::element(array, b.read(index), 2))}));
    loop.add(loop.second, b.receive(b.read(q), {M::into(index)}, false, true));
    loop.add(loop.second, b.receive(b.read(q), {M::ignore(), M::ignore(), M::into(x)}, true, true));
    const Exploration found = loop.run();
    CHECK(found.differences == std::vector<std::string>{});
    CHECK(found.errors.at("message fields") > 0);
    CHECK(found.errors.at("index") > 0);
    CHECK(found.errors.at("division") > 0);
    if (capacity == 0) CHECK(found.errors.at("rendezvous polled") > 0);
  }
}

TEST_CASE("VM channel: an uninitialized channel that is used is an error") {
  Loop loop;
  ModelBuilder& b = loop.b;
  b.channel(b.channel_type(1, {kByteType}));
  const VariableReference id = b.global(kIntType);
  using M = ModelBuilder;
  for (const int32_t value : {0, 1, 2, 255, -1}) loop.add(loop.first, b.assign(id, value));
  loop.add(loop.first, b.send(b.read(id), {b.constant(1)}));
  loop.add(loop.first, b.receive(b.read(id), {M::ignore()}, true));
  loop.add(loop.second, b.receive(b.read(id), {M::ignore()}));
  loop.add(loop.second, b.condition(b.op(Operator::kEmpty, {b.read(id)})));
  loop.add(loop.second, b.condition(b.poll(b.read(id), {M::ignore()})));
  const Exploration found = loop.run();
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors.at("uninitialized channel") > 0);
}

TEST_CASE("VM channel: random receive reports an error also in a match that no slot comes to") {
  Loop loop;
  ModelBuilder& b = loop.b;
  const VariableReference q = b.channel(b.channel_type(2, {kByteType, kByteType}));
  const VariableReference zero = b.global(kByteType);
  using M = ModelBuilder;
  const ExpressionId fails = b.op(Operator::kModulo, {b.constant(1), b.read(zero)});
  loop.add(loop.first, b.send(b.read(q), {b.constant(1), b.constant(2)}));
  loop.add(loop.second, b.receive(b.read(q), {M::match(b.constant(9)), M::match(fails)}, true));
  loop.add(loop.second, b.receive(b.read(q), {M::match(b.constant(9)), M::match(fails)}));
  const Exploration found = loop.run();
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.errors == std::map<std::string, uint64_t>{{"division", 2}});
}

}  // namespace
}  // namespace cmc::test
