#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ir/model.h"

namespace cmc {

class WriteLog;

// The truth of a formula's atoms in a loop: what is the same all the way round is what the formula waits for in vain.
class LoopAtoms {
 public:
  // Of the formula that `model` was made for; none if it was made for something else.
  explicit LoopAtoms(const Model& model);

  void add(ByteView state);
  // A line for each atom: "(x==2) stays false; x is 1 since step 7 (P[0])", "req changes again and again". `state` is
  // one of the loop. Empty: there is no atom, or none can be evaluated.
  [[nodiscard]] std::vector<std::string> lines(ByteView state, const WriteLog& log) const;

 private:
  struct Atom {
    ExpressionId expression = kNoExpression;
    std::optional<bool> first;  // none: it could not be evaluated so far
    bool changes = false;
  };
  const Model& model_;
  std::vector<Atom> atoms_;
};

}  // namespace cmc
