#pragma once

#include "solver-bridge/oracle/queued_oracle.h"
#include "solver-bridge/worker/z3_session.h"

namespace cmc::solver {

// The same Z3 session in this process: what the bridge costs is measured against it. A crash of the solver is a crash
// of the checker, and only the resource limit ends a query.
class InProcessOracle final : public QueuedOracle {
 public:
  InProcessOracle(uint32_t rlimit, const Clock& clock) : QueuedOracle(clock), rlimit_(rlimit) {}

 private:
  [[nodiscard]] Answer answer(const Query& query) override;

  uint32_t rlimit_;
  Z3Session session_;
};

}  // namespace cmc::solver
