#include "solver-bridge/request_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace cmc::solver {

RequestLog::~RequestLog() {
  if (file_ != nullptr) std::fclose(file_);
}

Status RequestLog::open(const std::string& path) {
  file_ = std::fopen(path.c_str(), "we");
  if (file_ == nullptr) return Error{fmt::format("cannot write '{}': {}", path, std::strerror(errno))};
  fmt::print(file_, "seconds\tticket\tconstraint\tgoal\tfrom\toutcome\tms\twitnesses\treason\n");
  return Success{};
}

void RequestLog::note(Ticket ticket, const Query& query, const Answer& answer, double seconds) {
  ConstraintFigures& figures = constraints_[query.constraint->key()];
  figures.constraint = query.constraint;
  ++figures.queries;
  if (!answer.decided()) ++figures.unknown;
  figures.seconds += seconds;
  figures.slowest_seconds = std::max(figures.slowest_seconds, seconds);
  if (file_ == nullptr) return;
  std::string reason = answer.reason;
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  fmt::print(file_, "{:.6f}\t{}\t{}\t{}\t{}\t{}\t{:.3f}\t{}\t{}\n", clock_.wall_seconds() - start_, ticket,
             query.constraint->key().substr(0, 8), name_of(query.question.goal), name_of(answer.from),
             name_of(answer.outcome), seconds * 1000, answer.witnesses.size(), reason);
  if (!answer.decided()) std::fflush(file_);
}

std::vector<ConstraintFigures> RequestLog::most_expensive(size_t number) const {
  std::vector<ConstraintFigures> all;
  for (const auto& [key, figures] : constraints_) all.push_back(figures);
  std::sort(all.begin(), all.end(), [](const ConstraintFigures& a, const ConstraintFigures& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.constraint->key() < b.constraint->key();
  });
  if (all.size() > number) all.resize(number);
  return all;
}

}  // namespace cmc::solver
