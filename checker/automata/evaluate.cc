#include "checker/automata/evaluate.h"

#include "base/check.h"

namespace cmc::automata {

namespace {

using Op = Formula::Op;
using Truth = std::vector<bool>;  // by position

class Evaluation {
 public:
  Evaluation(const Lasso& word, const std::vector<Formula>& formulas) : word_(word), formulas_(formulas) {}

  Truth truth_of(uint32_t id) {
    const Formula& formula = formulas_[id];
    switch (formula.op) {
      case Op::kTrue: return Truth(word_.length, true);
      case Op::kFalse: return Truth(word_.length, false);
      case Op::kAtom: return each([&](size_t i) { return word_.truth(i, formula.atom); });
      default: break;
    }
    const Truth left = truth_of(formula.left);
    switch (formula.op) {
      case Op::kNot: return each([&](size_t i) { return !left[i]; });
      case Op::kNext: return each([&](size_t i) { return left[successor(i)]; });
      case Op::kAlways: return greatest([&](size_t i, bool next) { return left[i] && next; });
      case Op::kEventually: return least([&](size_t i, bool next) { return left[i] || next; });
      default: break;
    }
    const Truth right = truth_of(formula.right);
    switch (formula.op) {
      case Op::kAnd: return each([&](size_t i) { return left[i] && right[i]; });
      case Op::kOr: return each([&](size_t i) { return left[i] || right[i]; });
      case Op::kImplies: return each([&](size_t i) { return !left[i] || right[i]; });
      case Op::kEquivalent: return each([&](size_t i) { return left[i] == right[i]; });
      case Op::kUntil: return least([&](size_t i, bool next) { return right[i] || (left[i] && next); });
      case Op::kWeakUntil: return greatest([&](size_t i, bool next) { return right[i] || (left[i] && next); });
      case Op::kRelease: return greatest([&](size_t i, bool next) { return right[i] && (left[i] || next); });
      default: break;
    }
    CHECK(false);
    return {};
  }

 private:
  [[nodiscard]] size_t successor(size_t position) const {
    return position + 1 < word_.length ? position + 1 : word_.loop_start;
  }

  template <class Value>
  Truth each(Value&& value) const {
    Truth truth(word_.length);
    for (size_t i = 0; i < word_.length; ++i) truth[i] = value(i);
    return truth;
  }

  template <class Step>
  Truth least(Step&& step) const {
    return fixpoint(false, step);
  }
  template <class Step>
  Truth greatest(Step&& step) const {
    return fixpoint(true, step);
  }

  // Of truth[i] = step(i, truth[successor(i)]), from `start` on. Each pass goes backwards.
  template <class Step>
  Truth fixpoint(bool start, Step&& step) const {
    Truth truth(word_.length, start);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = word_.length; i-- > 0;) {
        const bool value = step(i, truth[successor(i)]);
        changed = changed || value != truth[i];
        truth[i] = value;
      }
    }
    return truth;
  }

  const Lasso& word_;
  const std::vector<Formula>& formulas_;
};

}  // namespace

bool holds_on(const Lasso& word, const std::vector<Formula>& formulas, uint32_t root) {
  CHECK(word.loop_start < word.length && root < formulas.size());
  return Evaluation(word, formulas).truth_of(root)[0];
}

}  // namespace cmc::automata
