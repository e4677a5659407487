#include "solver-bridge/native_oracle.h"

#include <fmt/format.h>

#include "checker/base/check.h"

namespace cmc::solver {

namespace {

// The next tuple in lexicographic order; false: it was the last.
bool advance(Tuple& tuple, const std::vector<Range>& ranges) {
  for (size_t i = tuple.size(); i-- > 0;) {
    if (tuple[i] < ranges[i].high) {
      ++tuple[i];
      return true;
    }
    tuple[i] = ranges[i].low;
  }
  return false;
}

}  // namespace

Answer enumerate(const Query& query, const Evaluate& evaluate, uint64_t max_tuples) {
  const Question& question = query.question;
  CHECK(fits(question, *query.constraint));
  const uint64_t tuples = tuple_count(question.ranges);
  if (tuples > max_tuples) return Answer::unknown(fmt::format("{} tuples are too many to try", tuples));
  Answer answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}, .from = Source::kNative};
  if (tuples == 0) return answer;
  const bool all = question.goal == Goal::kAll;
  const uint64_t wanted = !all ? 1 : question.max_witnesses == 0 ? UINT64_MAX : question.max_witnesses;
  Tuple tuple;
  for (const Range& range : question.ranges) tuple.push_back(range.low);
  do {
    if (!evaluate(query, tuple)) continue;
    answer.outcome = Outcome::kSat;
    answer.more = answer.witnesses.size() == wanted;
    if (answer.more) break;
    answer.witnesses.push_back(tuple);
    if (!all) break;
  } while (advance(tuple, question.ranges));
  return answer;
}

Ticket NativeOracle::submit(Query query) {
  queue_.push_back({++last_ticket_, std::move(query), clock_.wall_seconds()});
  return last_ticket_;
}

std::vector<Completed> NativeOracle::collect(double) {
  if (queue_.empty()) return {};
  const Job job = std::move(queue_.front());
  queue_.pop_front();
  Answer answer = enumerate(job.query, evaluate_, max_tuples_);
  return {{job.ticket, std::move(answer), clock_.wall_seconds() - job.submitted}};
}

}  // namespace cmc::solver
