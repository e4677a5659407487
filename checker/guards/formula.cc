#include "checker/guards/formula.h"

#include <memory>

#include <fmt/format.h>

namespace cmc::guards {

const SolverGuard* solver_guard(const Model& model, const Statement& statement) {
  if (statement.kind == StatementKind::kChoose) return &model.guards[statement.guard_number];
  if (statement.kind != StatementKind::kCondition) return nullptr;
  const Expression& condition = model.expressions[statement.expression];
  return condition.op == Operator::kExists ? &model.guards[static_cast<size_t>(condition.value)] : nullptr;
}

solver::Query Formula::query(solver::Goal goal) const {
  solver::Query query;
  query.constraint = constraint;
  query.question.goal = goal;
  for (const FreeSymbols::Entry& each : entries) query.question.ranges.push_back(each.range);
  return query;
}

bool FormulaWriter::add(const Statement& guard, bool wanted) {
  const SolverGuard* const asking = solver_guard(model_, guard);
  if (asking != nullptr && wanted) return add_witness(*asking);
  return guard.kind == StatementKind::kCondition && add(guard.expression, wanted, {});
}

bool FormulaWriter::add(ExpressionId condition, bool wanted, std::span<const ExpressionId> parameters) {
  const Result<Term> term = writer_.write(condition, parameters);
  if (!term.ok()) return false;
  const std::string truth = term.value().truth();
  conditions_.push_back(term.value().defined);
  conditions_.push_back(wanted ? truth : fmt::format("(not {})", truth));
  return true;
}

// The condition is true, and the targets are within their ranges.
bool FormulaWriter::add_witness(const SolverGuard& guard) {
  if (!add(guard.condition, true, guard.parameters)) return false;
  for (size_t i = 0; i < guard.targets.size(); ++i) {
    const Result<Term> low = writer_.write(guard.targets[i].low);
    const Result<Term> high = writer_.write(guard.targets[i].high);
    if (!low.ok() || !high.ok()) return false;
    const std::string target = symbols_.target(static_cast<uint32_t>(i));
    conditions_.insert(conditions_.end(), {low.value().defined, high.value().defined});
    conditions_.push_back(fmt::format("(bvsle {} {})", low.value().number(), target));
    conditions_.push_back(fmt::format("(bvsle {} {})", target, high.value().number()));
  }
  return true;
}

Formula FormulaWriter::formula() const {
  auto constraint = std::make_shared<const solver::Constraint>(
      std::vector<std::string>{}, symbols_.names(),
      writer_.definitions() + fmt::format("(assert {})", all_of(conditions_)));
  return {std::move(constraint), symbols_.entries()};
}

}  // namespace cmc::guards
