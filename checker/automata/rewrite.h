#pragma once

#include <map>
#include <utility>
#include <vector>

#include "checker/automata/formula.h"

namespace cmc::automata {

// Makes formulas, each from simplified operands, and simplifies what it makes: pure eventualities and universalities,
// F G F, absorption, syntactic implication (Etessami, Holzmann, Optimizing Büchi automata, 2000; Somenzi, Bloem,
// Efficient Büchi automata from LTL formulae, 2000). Each rule is written once; its dual works on negations.
class Rewriter {
 public:
  // `formulas` must live as long.
  explicit Rewriter(Formulas& formulas) : formulas_(formulas) {}

  FormulaId all_of(std::vector<FormulaId> operands);
  FormulaId any_of(std::vector<FormulaId> operands);
  FormulaId next(FormulaId operand);
  FormulaId until(FormulaId left, FormulaId right);
  FormulaId release(FormulaId left, FormulaId right);
  FormulaId eventually(FormulaId operand) { return until(kTrue, operand); }
  FormulaId always(FormulaId operand) { return release(kFalse, operand); }

  // Whether each word of `left` is one of `right`, as far as the syntax tells. False proves nothing.
  bool implies(FormulaId left, FormulaId right);

 private:
  using Op = Formulas::Op;

  bool find_implication(FormulaId left, FormulaId right);
  // False: the conjunction is false.
  bool absorb(std::vector<FormulaId>& operands);
  bool propagate_one(std::vector<FormulaId>& operands);
  bool merge_one(std::vector<FormulaId>& operands);
  FormulaId merged(FormulaId first, FormulaId second);
  FormulaId smaller_left(FormulaId left, FormulaId right);
  FormulaId until_disjunction(FormulaId left, FormulaId right);
  FormulaId until_conjunction(FormulaId left, FormulaId right);
  FormulaId eventually_always(FormulaId always_operand);
  FormulaId make(Op op, std::vector<FormulaId> operands);
  std::vector<FormulaId> negations(std::vector<FormulaId> ids);

  Formulas& formulas_;
  std::map<std::pair<FormulaId, FormulaId>, bool> implications_;
};

}  // namespace cmc::automata
