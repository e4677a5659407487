#pragma once

#include "solver-bridge/oracle/queued_oracle.h"

namespace cmc::solver {

// The answer by trying the tuples in ascending order, up to `max_tuples`; unknown if there are more. Exact, and the
// reference for every solver. Ends early with the first witness where no more are wanted.
[[nodiscard]] Answer enumerate(const Query& query, const Evaluate& evaluate, uint64_t max_tuples);

class NativeOracle final : public QueuedOracle {
 public:
  NativeOracle(Evaluate evaluate, uint64_t max_tuples, const Clock& clock)
      : QueuedOracle(clock), evaluate_(std::move(evaluate)), max_tuples_(max_tuples) {}

 private:
  [[nodiscard]] Answer answer(const Query& query) override { return enumerate(query, evaluate_, max_tuples_); }

  Evaluate evaluate_;
  uint64_t max_tuples_;
};

}  // namespace cmc::solver
