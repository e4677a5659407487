#pragma once

#include "solver-bridge/oracle/guard_oracle.h"
#include "solver-bridge/oracle/native_oracle.h"

#include "tests/catch.h"

namespace cmc::guards {

// Asks the solver, tries all tuples, and compares. Returns whether there is a witness.
inline bool agree_on_a_witness(solver::GuardOracle& oracle, const solver::Query& query,
                               const solver::Evaluate& holds) {
  const solver::Answer expected = solver::enumerate(query, holds, 1 << 16);
  const solver::Answer answer = oracle.solve(query);
  INFO(solver::to_smt2(query) << answer.reason);
  REQUIRE(answer.outcome == expected.outcome);
  REQUIRE(answer.witnesses == expected.witnesses);
  REQUIRE(answer.more == expected.more);
  return answer.outcome == solver::Outcome::kSat;
}

}  // namespace cmc::guards
