#pragma once

#include <deque>

#include "base/clock.h"
#include "solver-bridge/oracle/guard_oracle.h"

namespace cmc::solver {

// An oracle that answers in this thread: one query in each poll, in the order in which they came.
class QueuedOracle : public GuardOracle {
 public:
  explicit QueuedOracle(const Clock& clock) : clock_(clock) {}

  Ticket submit(Query query) override {
    queue_.push_back({++last_ticket_, std::move(query), clock_.wall_seconds()});
    return last_ticket_;
  }
  [[nodiscard]] size_t pending() const override { return queue_.size(); }

 private:
  struct Job {
    Ticket ticket;
    Query query;
    double submitted;
  };
  [[nodiscard]] virtual Answer answer(const Query& query) = 0;
  [[nodiscard]] std::vector<Completed> collect(double /*seconds*/) override {
    if (queue_.empty()) return {};
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    const double begin = clock_.wall_seconds();
    Answer result = answer(job.query);
    const double end = clock_.wall_seconds();
    return {{job.ticket, std::move(result), end - job.submitted, end - begin}};
  }

  const Clock& clock_;
  std::deque<Job> queue_;
  Ticket last_ticket_ = 0;
};

}  // namespace cmc::solver
