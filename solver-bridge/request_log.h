#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/base/clock.h"
#include "checker/base/result.h"
#include "solver-bridge/guard_oracle.h"

namespace cmc::solver {

struct ConstraintFigures {
  ConstraintPtr constraint;
  uint64_t queries = 0;
  uint64_t unknown = 0;
  double seconds = 0;  // of all, from question to answer
  double slowest_seconds = 0;
};

// Counts what was asked and answered, for each constraint, and, after open(), writes a line for each request.
class RequestLog {
 public:
  explicit RequestLog(const Clock& clock) : clock_(clock), start_(clock.wall_seconds()) {}
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  // Columns, separated by tabs: seconds since the start, ticket, constraint (8 digits), goal, who answered, outcome,
  // duration in ms, number of witnesses, reason.
  [[nodiscard]] Status open(const std::string& path);
  void note(Ticket ticket, const Query& query, const Answer& answer, double seconds);

  // Those that took the most time altogether, the most expensive one first.
  [[nodiscard]] std::vector<ConstraintFigures> most_expensive(size_t number) const;

 private:
  const Clock& clock_;
  double start_;
  std::FILE* file_ = nullptr;
  std::unordered_map<std::string, ConstraintFigures> constraints_;
};

}  // namespace cmc::solver
