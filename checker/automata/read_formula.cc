#include "checker/automata/read_formula.h"

#include <map>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/automata/atoms.h"
#include "checker/automata/predicates.h"
#include "checker/automata/rewrite.h"

namespace cmc::automata {

namespace {

constexpr size_t kMostOperators = 2'000;

class Reader {
 public:
  Reader(const Model& model, ReadFormula& result)
      : model_(model), result_(result), rewriter_(result.formulas), atoms_(model, result.formulas, rewriter_) {}

  Status run(uint32_t root) {
    result_.size = size_of(root);
    if (result_.size > kMostOperators) return too_large(fmt::format("{} operators and atoms", result_.size));
    result_.root = read(root);
    result_.atoms = atoms_.expressions();
    if (result_.atoms.size() > kMostAtoms) return too_large(fmt::format("{} atoms", result_.atoms.size()));
    return Success{};
  }

 private:
  using Op = Formula::Op;

  static Error too_large(const std::string& size) {
    return {fmt::format("the formula is too large: it has {}, at most {} atoms and {} operators are possible", size,
                        kMostAtoms, kMostOperators)};
  }

  // Nodes that can be reached from the root, each of which comes before its parents.
  [[nodiscard]] size_t size_of(uint32_t root) const {
    CHECK(root < model_.formulas.size());
    std::vector<bool> reachable(size_t{root} + 1);
    reachable[root] = true;
    size_t size = 0;
    for (uint32_t id = root + 1; id-- > 0;) {
      if (!reachable[id]) continue;
      ++size;
      for (const uint32_t child : {model_.formulas[id].left, model_.formulas[id].right}) {
        CHECK(child < id || child == kNoFormula);
        if (child != kNoFormula) reachable[child] = true;
      }
    }
    return size;
  }

  FormulaId read(uint32_t id) {
    const auto known = read_.find(id);
    if (known != read_.end()) return known->second;
    const FormulaId result = read_new(id);
    read_[id] = result;
    return result;
  }

  FormulaId read_new(uint32_t id) {
    const Formula& formula = model_.formulas[id];
    Formulas& formulas = result_.formulas;
    switch (formula.op) {
      case Op::kTrue: return kTrue;
      case Op::kFalse: return kFalse;
      case Op::kAtom: return atoms_.read(formula.atom);
      case Op::kNot: return formulas.negation(read(formula.left));
      case Op::kNext: return rewriter_.next(read(formula.left));
      case Op::kAlways: return rewriter_.always(read(formula.left));
      case Op::kEventually: return rewriter_.eventually(read(formula.left));
      default: break;
    }
    const FormulaId left = read(formula.left);
    const FormulaId right = read(formula.right);
    switch (formula.op) {
      case Op::kAnd: return rewriter_.all_of({left, right});
      case Op::kOr: return rewriter_.any_of({left, right});
      case Op::kImplies: return rewriter_.any_of({formulas.negation(left), right});
      case Op::kEquivalent:
        return rewriter_.any_of(
            {rewriter_.all_of({left, right}), rewriter_.all_of({formulas.negation(left), formulas.negation(right)})});
      case Op::kUntil: return rewriter_.until(left, right);
      case Op::kRelease: return rewriter_.release(left, right);
      default: break;
    }
    CHECK(formula.op == Op::kWeakUntil);
    return rewriter_.release(right, rewriter_.any_of({left, right}));
  }

  const Model& model_;
  ReadFormula& result_;
  Rewriter rewriter_;
  Atoms atoms_;
  std::map<uint32_t, FormulaId> read_;
};

}  // namespace

Result<ReadFormula> read_formula(const Model& model, uint32_t root) {
  ReadFormula result;
  const Status status = Reader(model, result).run(root);
  if (!status.ok()) return Error{status.error()};
  return result;
}

}  // namespace cmc::automata
