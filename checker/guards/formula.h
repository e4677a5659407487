#pragma once

#include <span>
#include <string>
#include <vector>

#include "checker/guards/free_symbols.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::guards {

// A condition on the values that some guards look at. Its targets are the entries.
struct Formula {
  solver::ConstraintPtr constraint;
  std::vector<FreeSymbols::Entry> entries;

  [[nodiscard]] solver::Query query(solver::Goal goal) const;
};

// That some guards of one proctype are true, or false, at the same time.
class FormulaWriter {
 public:
  FormulaWriter(const Model& model, const Proctype& proctype)
      : model_(model), symbols_(model, proctype), writer_(model, symbols_) {}
  FormulaWriter(const FormulaWriter&) = delete;
  FormulaWriter& operator=(const FormulaWriter&) = delete;

  // The guard is defined and as wanted. False: it cannot be said. That a solver guard is true means that it has a
  // witness; not more than one of them.
  [[nodiscard]] bool add(const Statement& guard, bool wanted);
  [[nodiscard]] Formula formula() const;

 private:
  [[nodiscard]] bool add(ExpressionId condition, bool wanted, std::span<const ExpressionId> parameters);
  [[nodiscard]] bool add_witness(const SolverGuard& guard);

  const Model& model_;
  FreeSymbols symbols_;
  TermWriter writer_;
  std::vector<std::string> conditions_;
};

// The solver guard that decides whether the statement is executable; null: none does.
[[nodiscard]] const SolverGuard* solver_guard(const Model& model, const Statement& statement);

}  // namespace cmc::guards
