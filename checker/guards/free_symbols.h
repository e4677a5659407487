#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/guards/term_writer.h"
#include "ir/structure.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::guards {

// Symbols for everything that an expression reads, each free to have any value of its type: a formula that holds for
// all of these values holds in every state. Operands that are no variables (a channel's length, another process's
// location) are symbols, too; equal expressions share one. Targets of a solver guard are symbols within their ranges.
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

  const Model& model_;
  const Proctype& proctype_;
  std::vector<Entry> entries_;
  std::map<StructureKey, size_t> by_key_;
};

// What a variable of this type can hold.
[[nodiscard]] solver::Range range_of(const Model& model, const ScalarType& type);

}  // namespace cmc::guards
