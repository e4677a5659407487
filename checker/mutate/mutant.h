#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/mutate/written_text.h"
#include "ir/expression.h"

namespace cmc::mutate {

enum class Group : uint8_t {
  kModel,     // the model does something else: a property should notice
  kFault,     // something around the model fails, on request
  kProperty,  // the property asks for more, or for the opposite: if it still holds, what was changed says nothing
};

enum class Operator : uint8_t {
  kDropStatement,
  kDropGuard,
  kNegateGuard,
  kDropElse,
  kDropOption,
  kDropAtomic,
  kDropDStep,
  kDropUnless,
  kDropBreak,
  kDropGoto,
  kDropRun,
  kDropCall,
  kSwapStatements,
  kReplaceOperator,
  kDropNegation,
  kChangeConstant,
  kChangeMtype,
  kChangeCapacity,
  kReceiveOrder,
  kSendOrder,
  kLoseMessage,
  kDoubleMessage,
  kStrengthenFormula,
  kStrengthenAssertion,
  kStrengthenClaim,
  kNegateClaim,
};

struct OperatorInfo {
  Operator op;
  Group group;
  const char* name;  // as in reports
};
[[nodiscard]] const OperatorInfo& info(Operator op);

// One change of the model's text.
struct Mutant {
  uint32_t number = 0;  // from 1, by place; the same for each call with this text and these macros
  Operator op = Operator::kDropStatement;
  Range range;
  std::string replacement;
  SourcePlace place;      // of the range
  SourcePlace statement;  // in which it is; line 0: in none, or in several
  std::string property;   // that it changes; empty: it changes the model
};

[[nodiscard]] std::string mutated_text(std::string_view text, const Mutant& mutant);
// "a > 0 -> a >= 0", in one line; long texts are cut.
[[nodiscard]] std::string short_text(std::string_view text, const Mutant& mutant);
// Unified, with two lines of context. `file`: its name in the head.
[[nodiscard]] std::string diff(std::string_view text, const Mutant& mutant, const std::string& file);

}  // namespace cmc::mutate
