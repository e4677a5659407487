#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "checker/automata/formula.h"
#include "ir/model.h"

// From formulas of the model to simplified ones in negative normal form.

namespace cmc::automata {

struct ReadFormula {
  Formulas formulas;
  FormulaId root = kFalse;
  std::vector<ExpressionId> atoms;  // by AtomId
  size_t size = 0;                  // operators and atoms of the text
};

// `root` indexes model.formulas. Error: the formula is too large.
[[nodiscard]] Result<ReadFormula> read_formula(const Model& model, uint32_t root);

}  // namespace cmc::automata
