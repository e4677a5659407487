#pragma once

#include <deque>

#include "checker/base/clock.h"
#include "solver-bridge/guard_oracle.h"
#include "solver-bridge/z3_session.h"

namespace cmc::solver {

// The same Z3 session in this process: what the bridge costs is measured against it. A crash of the solver is a crash
// of the checker, and only the resource limit ends a query.
class InProcessOracle final : public GuardOracle {
 public:
  InProcessOracle(uint32_t rlimit, const Clock& clock) : rlimit_(rlimit), clock_(clock) {}

  Ticket submit(Query query) override;
  [[nodiscard]] size_t pending() const override { return queue_.size(); }

 private:
  struct Job {
    Ticket ticket;
    Query query;
    double submitted;
  };
  [[nodiscard]] std::vector<Completed> collect(double seconds) override;
  [[nodiscard]] Answer answer(const Query& query);

  uint32_t rlimit_;
  const Clock& clock_;
  Z3Session session_;
  std::deque<Job> queue_;
  Ticket last_ticket_ = 0;
};

}  // namespace cmc::solver
