#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/model.h"

// From an expression of the IR to SMT-LIB2 terms over 32-bit vectors: its value, and whether it is defined at all.

namespace cmc::guards {

// A name or a constant of SMT-LIB2. A comparison is Boolean and, in C, also a number: the user of the term
// chooses.
struct Term {
  std::string text;
  bool boolean = false;
  std::string defined = "true";  // Boolean: false iff evaluating it is a run-time error

  [[nodiscard]] std::string number() const;
  [[nodiscard]] std::string truth() const;
};

// A constant of the constraint.
class Symbols {
 public:
  virtual ~Symbols() = default;
  // kVariable: the scalar at `offset`. kParameter, kTarget: number `offset`. Whatever else is not arithmetic: as a
  // whole. None: there is no symbol for it.
  [[nodiscard]] virtual std::optional<Term> symbol(ExpressionId id, uint32_t offset) = 0;
};

// Arithmetic follows the IR (ir/arithmetic.h): int wraps, shift counts are taken
// modulo 32, `/` truncates. Undefined are a division by zero, INT_MIN / -1 (and their remainders), and an index out
// of bounds, unless &&, || or -> skips them.
//
// Each inner node of the tree gets a definition, so the text grows linearly. An array with an index that is not
// constant becomes a choice between all its elements.
class TermWriter {
 public:
  static constexpr uint64_t kMaxElements = 4096;  // of arrays, in one expression

  TermWriter(const Model& model, Symbols& symbols) : model_(model), symbols_(symbols) {}

  // With `parameters`, a kParameter is what they say; without, it is a symbol. Errors: something that has neither a
  // symbol nor a term; too many elements.
  [[nodiscard]] Result<Term> write(ExpressionId id, std::span<const ExpressionId> parameters = {});
  // (define-fun ...) lines for all that was written.
  [[nodiscard]] const std::string& definitions() const { return definitions_; }

 private:
  using ElementAt = std::function<Term(uint32_t number)>;

  [[nodiscard]] Term term(ExpressionId id);
  [[nodiscard]] Term leaf(ExpressionId id, uint32_t offset);
  [[nodiscard]] Term symbol(ExpressionId id, uint32_t offset);
  [[nodiscard]] Term unary(Operator op, const Term& a);
  [[nodiscard]] Term binary(const Expression& expression, const Term& a, const Term& b);
  [[nodiscard]] Term lazy(const Expression& expression);
  [[nodiscard]] Term indexed(ExpressionId id, uint32_t offset);
  [[nodiscard]] Term element(ExpressionId id, const std::vector<std::string>& indices, size_t dimension,
                             uint32_t offset);
  [[nodiscard]] Term choose(const std::string& index, uint32_t low, uint32_t high, const ElementAt& element_at);
  [[nodiscard]] Term define(std::string value, bool boolean, const std::vector<std::string>& conditions);
  [[nodiscard]] std::string define(const char* sort, std::string value);
  Term fail(std::string why);

  const Model& model_;
  Symbols& symbols_;
  std::span<const ExpressionId> parameters_;
  std::string definitions_;
  uint32_t defined_ = 0;
  uint64_t elements_ = 0;
  std::optional<std::string> error_;  // the first one
};

// (and ...) of the terms that are not "true".
[[nodiscard]] std::string all_of(const std::vector<std::string>& conditions);

}  // namespace cmc::guards
