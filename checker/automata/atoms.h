#pragma once

#include <map>
#include <utility>
#include <vector>

#include "checker/automata/rewrite.h"
#include "ir/structure.h"

namespace cmc::automata {

// Expressions as formulas: numbers the atoms in the order in which they occur. Expressions of equal structure are one
// atom, and so are one and its opposite: x==1 and x!=1, x<y and y<=x. Constants are folded; negation, conjunction and
// disjunction are taken apart if no part can fail at run time (the first operand of `i<2 && a[i]` protects the
// second).
class Atoms {
 public:
  // All three must live as long.
  Atoms(const Model& model, Formulas& formulas, Rewriter& rewriter)
      : model_(model), formulas_(formulas), rewriter_(rewriter) {}

  // The formula that says: the expression is not 0.
  FormulaId read(ExpressionId id);

  // By AtomId.
  [[nodiscard]] const std::vector<ExpressionId>& expressions() const { return expressions_; }

 private:
  struct Literal {
    StructureKey key;
    bool negated = false;
  };

  FormulaId read_equality(ExpressionId id);
  FormulaId atom(ExpressionId id);
  [[nodiscard]] Literal literal_of(ExpressionId id) const;
  [[nodiscard]] bool is_boolean(ExpressionId id) const;

  const Model& model_;
  Formulas& formulas_;
  Rewriter& rewriter_;
  std::vector<ExpressionId> expressions_;
  std::map<StructureKey, std::pair<AtomId, bool>>
      atoms_;  // the atom, and whether it is the negation of what the key says
};

}  // namespace cmc::automata
