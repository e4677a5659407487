#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "solver-bridge/oracle/guard_oracle.h"

namespace cmc::solver {

// After open(), writes a line for each request.
class RequestLog {
 public:
  explicit RequestLog(const Clock& clock) : clock_(clock), start_(clock.wall_seconds()) {}
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  // Columns, separated by tabs: seconds since the start, ticket, constraint (8 digits), goal, who answered, outcome,
  // ms from the question to the answer, ms of them without waiting in a queue, number of witnesses, reason. Of a
  // worker that died: "-" for what a question has, "worker", "died", and why.
  [[nodiscard]] Status open(const std::string& path);
  void note(const Completed& completed, const Query& query);
  void note_loss(const std::string& why, uint64_t asked_again);

 private:
  void write(std::string_view text);

  const Clock& clock_;
  double start_;
  std::FILE* file_ = nullptr;
};

}  // namespace cmc::solver
