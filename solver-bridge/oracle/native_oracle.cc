#include "solver-bridge/oracle/native_oracle.h"

#include <fmt/format.h>

#include "base/check.h"

namespace cmc::solver {

Answer enumerate(const Query& query, const Evaluate& evaluate, uint64_t max_tuples) {
  const Question& question = query.question;
  CHECK(fits(question, *query.constraint));
  const uint64_t tuples = tuple_count(question.ranges);
  if (tuples > max_tuples) return Answer::unknown(fmt::format("{} tuples are too many to try", tuples));
  Answer answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}, .from = Source::kNative};
  if (tuples == 0) return answer;
  const bool all = question.goal == Goal::kAll;
  const uint64_t wanted = !all ? 1 : question.max_witnesses == 0 ? UINT64_MAX : question.max_witnesses;
  Tuple tuple = first_tuple(question.ranges);
  do {
    if (!evaluate(query, tuple)) continue;
    answer.outcome = Outcome::kSat;
    answer.more = answer.witnesses.size() == wanted;
    if (answer.more) break;
    answer.witnesses.push_back(tuple);
    if (!all) break;
  } while (next_tuple(tuple, question.ranges));
  return answer;
}

}  // namespace cmc::solver
