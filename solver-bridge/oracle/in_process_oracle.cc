#include "solver-bridge/oracle/in_process_oracle.h"

#include <algorithm>

namespace cmc::solver {

Answer InProcessOracle::answer(const Query& query) {
  const Status prepared = session_.prepare(*query.constraint);
  if (!prepared.ok()) return Answer::unknown("the solver refuses the constraint: " + prepared.error());
  const uint64_t rlimit = std::min<uint64_t>(uint64_t{rlimit_} * query.effort, UINT32_MAX);
  return session_.solve({.constraint_key = query.constraint->key(),
                         .question = query.question,
                         .rlimit = static_cast<uint32_t>(rlimit),
                         .cold = query.cold});
}

}  // namespace cmc::solver
