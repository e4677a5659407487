#pragma once

#include "checker/generator/guard_decider.h"
#include "checker/generator/machine.h"

// What both the Stepper and a Machine need about solver guards. Templates over the Machine, as process_rules.h.

namespace cmc {

// Asks about a guard as the process that `view` is. False: a fault was noted, which may be that nobody could decide.
template <Machine M>
bool ask_guard(M& machine, const View& view, uint32_t number, GuardGoal goal, uint32_t most_witnesses,
               GuardAnswer& answer) {
  const Model& model = machine.model();
  const SolverGuard& guard = model.guards[number];
  GuardQuestion question{number, goal, most_witnesses, {}, {}};
  for (const SolverGuard::Target& target : guard.targets) {
    IntRange& range = question.ranges.emplace_back();
    if (!machine.evaluate(view, target.low, range.low) || !machine.evaluate(view, target.high, range.high))
      return false;
  }
  std::vector<Fault> faults(guard.parameters.size());
  for (size_t i = 0; i < guard.parameters.size(); ++i) {
    ParameterValue& parameter = question.parameters.emplace_back();
    const size_t noted = view.faults->size();
    parameter.defined = machine.evaluate(view, guard.parameters[i], parameter.value);
    if (parameter.defined) continue;
    if (view.faults->back().is_open_question()) return false;
    parameter.value = 0;
    faults[i] = view.faults->back();
    view.faults->resize(noted);
  }
  GuardDecider* const decider = machine.decider();
  answer = decider != nullptr ? decider->decide(question) : try_tuples(model, question, kTriedTuples);
  if (answer.outcome == GuardAnswer::Outcome::kUndecided) {
    return view.fault(RuntimeErrorKind::kUndecidedGuard, static_cast<int32_t>(number));
  }
  if (answer.outcome == GuardAnswer::Outcome::kPending) {
    return view.fault(RuntimeErrorKind::kPendingGuard, static_cast<int32_t>(answer.question));
  }
  if (answer.outcome != GuardAnswer::Outcome::kUndefined) return true;
  switch (answer.undefined.kind) {
    case ConditionResult::Kind::kParameter: {
      const Fault& fault = faults[static_cast<size_t>(answer.undefined.detail)];
      return view.fault(fault.kind, fault.value);
    }
    case ConditionResult::Kind::kIndex:
      return view.fault(RuntimeErrorKind::kIndexOutOfBounds, answer.undefined.detail);
    default: return view.fault(RuntimeErrorKind::kDivisionByZero);
  }
}

// The value of a kExists. False: a fault was noted.
template <Machine M>
bool guard_exists(M& machine, const View& view, uint32_t number, int32_t& value) {
  GuardAnswer answer;
  if (!ask_guard(machine, view, number, GuardGoal::kExists, 0, answer)) return false;
  value = answer.outcome == GuardAnswer::Outcome::kSome;
  return true;
}

}  // namespace cmc
