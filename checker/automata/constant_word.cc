#include "checker/automata/constant_word.h"

#include <cstdint>
#include <vector>

#include "checker/automata/read_formula.h"

namespace cmc::automata {

namespace {

enum class Value : uint8_t { kNotComputed, kFalse, kUnknown, kTrue };

// Looks for a letter, with what is known of the formula if some of its atoms have no value yet.
class LetterSearch {
 public:
  explicit LetterSearch(const ReadFormula& formula)
      : formula_(formula), letter_(formula.atoms.size(), Value::kUnknown) {}

  [[nodiscard]] bool run(AtomId atom = 0) {
    if (++evaluations_ > kMostEvaluations) return false;
    values_.clear();
    const Value value = evaluate(formula_.root);
    if (value != Value::kUnknown) return value == Value::kTrue;
    for (const Value choice : {Value::kTrue, Value::kFalse}) {
      letter_[atom] = choice;
      if (run(atom + 1)) return true;
    }
    letter_[atom] = Value::kUnknown;
    return false;
  }

 private:
  static constexpr uint32_t kMostEvaluations = 1000;

  // On the word of one letter: p U q and p R q are q there, X p is p.
  Value evaluate(FormulaId id) {
    if (id == kFalse || id == kTrue) return id == kTrue ? Value::kTrue : Value::kFalse;
    if (values_.size() <= id) values_.resize(size_t{id} + 1, Value::kNotComputed);
    if (values_[id] != Value::kNotComputed) return values_[id];
    const Value value = compute(formula_.formulas[id]);
    values_[id] = value;
    return value;
  }
  Value compute(const Formulas::Node& node) {
    using Op = Formulas::Op;
    switch (node.op) {
      case Op::kLiteral: {
        const Value value = letter_[node.atom];
        if (value == Value::kUnknown || !node.negated) return value;
        return value == Value::kTrue ? Value::kFalse : Value::kTrue;
      }
      case Op::kNext:
      case Op::kUntil:
      case Op::kRelease: return evaluate(node.operands.back());
      case Op::kAnd:
      case Op::kOr: break;
    }
    Value result = node.op == Op::kAnd ? Value::kTrue : Value::kFalse;
    const Value decides = node.op == Op::kAnd ? Value::kFalse : Value::kTrue;
    for (const FormulaId operand : node.operands) {
      const Value value = evaluate(operand);
      if (value == decides) return decides;
      if (value == Value::kUnknown) result = value;
    }
    return result;
  }

  const ReadFormula& formula_;
  std::vector<Value> letter_;  // by AtomId
  std::vector<Value> values_;  // by FormulaId
  uint32_t evaluations_ = 0;
};

}  // namespace

bool has_constant_word(const Model& model, uint32_t formula) {
  const Result<ReadFormula> read = read_formula(model, formula);
  return read.ok() && LetterSearch(read.value()).run();
}

}  // namespace cmc::automata
