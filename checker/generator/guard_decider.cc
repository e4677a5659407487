#include "checker/generator/guard_decider.h"

namespace cmc {

namespace {

// UINT64_MAX: that many or more.
uint64_t tuple_count(const std::vector<GuardRange>& ranges) {
  uint64_t count = 1;
  for (const GuardRange& range : ranges) {
    if (range.low > range.high) return 0;
    const uint64_t values = static_cast<uint64_t>(int64_t{range.high} - range.low) + 1;
    if (__builtin_mul_overflow(count, values, &count)) count = UINT64_MAX;
  }
  return count;
}

// The next tuple in lexicographic order. False: it was the last.
bool advance(Witness& tuple, const std::vector<GuardRange>& ranges) {
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
  Witness tuple;
  for (const GuardRange& range : question.ranges) tuple.push_back(range.low);
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
  } while (advance(tuple, question.ranges));
  if (question.goal == GuardGoal::kExists) answer.witnesses.clear();
  return answer;
}

}  // namespace cmc
