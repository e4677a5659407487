#include "solver-bridge/oracle/guard_oracle.h"

#include <utility>

namespace cmc::solver {

std::vector<Completed> GuardOracle::poll(double seconds) {
  if (!kept_.empty()) return std::exchange(kept_, {});
  return collect(seconds);
}

Answer GuardOracle::solve(Query query) {
  constexpr double kLong = 3600;
  const Ticket ticket = submit(std::move(query));
  Answer answer;
  bool found = false;
  while (!found) {
    for (Completed& completed : collect(kLong)) {
      if (completed.ticket != ticket) {
        kept_.push_back(std::move(completed));
        continue;
      }
      answer = std::move(completed.answer);
      found = true;
    }
  }
  return answer;
}

}  // namespace cmc::solver
