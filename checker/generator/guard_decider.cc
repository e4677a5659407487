#include "checker/generator/guard_decider.h"

namespace cmc {

GuardAnswer try_tuples(const Model& model, const GuardQuestion& question, uint64_t max_tuples) {
  using Outcome = GuardAnswer::Outcome;
  const SolverGuard& guard = model.guards[question.guard];
  const uint64_t tuples = tuple_count(question.ranges);
  GuardAnswer answer;
  if (tuples > max_tuples) return answer;
  answer.outcome = Outcome::kNone;
  if (tuples == 0) return answer;
  const bool all = question.goal == GuardGoal::kAll;
  const uint64_t wanted = !all ? 1 : question.most_witnesses == 0 ? UINT64_MAX : question.most_witnesses;
  const bool may_stop = !may_be_undefined(model, guard);
  Witness tuple = first_tuple(question.ranges);
  do {
    const ConditionResult result = evaluate_condition(model, guard, question.parameters, tuple);
    if (!result.defined()) return {Outcome::kUndefined, {}, false, result};
    if (result.kind == ConditionResult::Kind::kFalse) continue;
    if (answer.witnesses.size() < wanted) {
      answer.outcome = Outcome::kSome;
      answer.witnesses.push_back(tuple);
    } else {
      answer.more = all;
    }
    const bool enough = all ? answer.more : true;
    if (may_stop && enough) break;
  } while (next_tuple(tuple, question.ranges));
  if (question.goal == GuardGoal::kExists) answer.witnesses.clear();
  return answer;
}

}  // namespace cmc
