#pragma once

#include "tests/support/model_builder.h"

namespace cmc::test {

// Something of everything: hidden and global variables, arrays, mtype, channels of all kinds, run, d_step, unless.
inline Model example_model() {
  ModelBuilder b(1);
  b.model.mtype_sets = {{"msg", "ack"}};
  b.hidden_global("scratch", kByteType);
  const auto x = b.global("x", kIntType);
  const auto a = b.global("a", kByteType, 3);
  const auto kind = b.global("kind", kMtypeType);
  const auto q = b.channel("q", 2, {kMtypeType, kByteType});
  const auto r = b.channel("r", 0, {kByteType});
  const auto moving = b.global("moving", kChanType);
  b.initialize(moving, b.read(q));

  b.activate(b.proctype("Main"));
  const auto n = b.local("n", kByteType);
  b.edge(1, 2, b.assign(x, b.run(1, {b.constant(3)})));
  b.edge(2, 3, b.send(q, {b.constant(2), b.read(n)}));
  b.edge(3, 4, b.receive(q, {b.into(kind), b.into(b.indexed(a, b.read(n)))}), true);
  b.edge(4, 5, b.send(r, {b.constant(1)}));
  b.edge(5, 6, b.block(b.equal(x, 1), {b.assign(x, 2), b.assign(b.at(a, 2u), 4)}));
  b.edge(6, 6, b.condition(b.equal(n, 1)), false, 7);
  b.edge(6, 7, b.condition(b.op(Operator::kTimeout)));
  b.model.uses_timeout = true;
  b.end(7);

  b.proctype("Child");
  const auto p = b.parameter("p", kByteType);
  const auto own = b.local_channel("own", 1, {kByteType});
  b.edge(1, 2, b.receive(r, {b.match(b.constant(1))}));
  b.edge(2, 3, b.send(own, {b.read(p)}));
  b.edge(3, 4, b.send(moving, {b.constant(1), b.constant(1)}));
  b.edge(4, 5, b.condition(b.op(Operator::kEnabled, {b.constant(0)})));
  b.end(5);
  b.location(5).labels = {"end_child"};
  return b.model;
}

}  // namespace cmc::test
