#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/guards/term_writer.h"
#include "solver-bridge/query.h"

namespace cmc::guards {

// Everything that an expression looks at may have any value of its type, so what holds for all of them holds in every
// state. What is not a variable (a channel's length, another process's place) has a value of its own as well, the
// same one for the same expression. So has a target of a solver guard, within its range.
class FreeSymbols final : public Symbols {
 public:
  struct Entry {
    std::string text;  // as in the model
    solver::Range range;
    const Variable* variable = nullptr;  // null: it is none
  };

  // `proctype` gives the meaning of locals.
  FreeSymbols(const Model& model, const Proctype& proctype) : model_(model), proctype_(proctype) {}

  std::optional<Term> symbol(ExpressionId id, uint32_t offset) override;

  // The constant for a target of the only solver guard that is in question.
  [[nodiscard]] std::string target(uint32_t number);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  [[nodiscard]] Entry entry(ExpressionId id, uint32_t offset) const;
  [[nodiscard]] solver::Range range_of(const Expression& expression) const;
  [[nodiscard]] std::string key_of(ExpressionId id) const;
  [[nodiscard]] std::string key_of(const VariableReference& reference) const;

  const Model& model_;
  const Proctype& proctype_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t> by_key_;
};

// What a variable of this type can hold.
[[nodiscard]] solver::Range range_of(const Model& model, const ScalarType& type);

}  // namespace cmc::guards
