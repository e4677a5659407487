#pragma once

#include <deque>

#include "checker/base/clock.h"
#include "solver-bridge/guard_oracle.h"

namespace cmc::solver {

// The answer by trying the tuples in ascending order, up to `max_tuples`; unknown if there are more. Exact, and the
// reference for every solver. Ends early with the first witness where no more are wanted.
[[nodiscard]] Answer enumerate(const Query& query, const Evaluate& evaluate, uint64_t max_tuples);

class NativeOracle final : public GuardOracle {
 public:
  NativeOracle(Evaluate evaluate, uint64_t max_tuples, const Clock& clock)
      : evaluate_(std::move(evaluate)), max_tuples_(max_tuples), clock_(clock) {}

  Ticket submit(Query query) override;
  [[nodiscard]] size_t pending() const override { return queue_.size(); }

 private:
  struct Job {
    Ticket ticket;
    Query query;
    double submitted;
  };
  [[nodiscard]] std::vector<Completed> collect(double seconds) override;

  Evaluate evaluate_;
  uint64_t max_tuples_;
  const Clock& clock_;
  std::deque<Job> queue_;
  Ticket last_ticket_ = 0;
};

}  // namespace cmc::solver
