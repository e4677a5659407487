#pragma once

#include "tests/support/model_builder.h"

namespace cmc::test {

// A process that enters an atomic sequence and blocks in it, at location 2, until x is 1.
inline void add_blocking_atomic(ModelBuilder& b, const VariableReference& x) {
  b.activate(b.proctype("Atomic"));
  b.edge(1, 2, b.skip(), true);
  b.edge(2, 3, b.condition(b.equal(x, 1)), true);
  b.edge(3, 4, b.skip());
  b.end(4);
}

}  // namespace cmc::test
