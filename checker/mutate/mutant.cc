#include "checker/mutate/mutant.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/check.h"
#include "base/lines.h"

namespace cmc::mutate {
namespace {

constexpr OperatorInfo kOperators[] = {
    {Operator::kDropStatement, Group::kModel, "drop statement"},
    {Operator::kDropGuard, Group::kModel, "drop guard"},
    {Operator::kNegateGuard, Group::kModel, "negate guard"},
    {Operator::kDropElse, Group::kModel, "drop else"},
    {Operator::kDropOption, Group::kModel, "drop option"},
    {Operator::kDropAtomic, Group::kModel, "drop atomic"},
    {Operator::kDropDStep, Group::kModel, "drop d_step"},
    {Operator::kDropUnless, Group::kModel, "drop unless"},
    {Operator::kDropBreak, Group::kModel, "drop break"},
    {Operator::kDropGoto, Group::kModel, "drop goto"},
    {Operator::kDropRun, Group::kModel, "drop run"},
    {Operator::kDropCall, Group::kModel, "drop inline"},
    {Operator::kSwapStatements, Group::kModel, "swap statements"},
    {Operator::kReplaceOperator, Group::kModel, "replace operator"},
    {Operator::kDropNegation, Group::kModel, "drop negation"},
    {Operator::kChangeConstant, Group::kModel, "change constant"},
    {Operator::kChangeMtype, Group::kModel, "change mtype"},
    {Operator::kChangeCapacity, Group::kModel, "change capacity"},
    {Operator::kReceiveOrder, Group::kModel, "receive order"},
    {Operator::kSendOrder, Group::kModel, "send order"},
    {Operator::kLoseMessage, Group::kFault, "lose message"},
    {Operator::kDoubleMessage, Group::kFault, "double message"},
    {Operator::kStrengthenFormula, Group::kProperty, "strengthen formula"},
    {Operator::kStrengthenAssertion, Group::kProperty, "strengthen assertion"},
    {Operator::kStrengthenClaim, Group::kProperty, "strengthen claim"},
    {Operator::kNegateClaim, Group::kProperty, "negate claim guard"},
};

// In one line, at most so many characters.
std::string shortened(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string result;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space || (!result.empty() && result.back() != ' ')) result += space ? ' ' : c;
  }
  if (result.size() <= kMost) return result;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0) == 0x80) --end;  // inside a character
  return result.substr(0, end) + "...";
}

}  // namespace

const OperatorInfo& info(Operator op) {
  const auto* const found = std::ranges::find(kOperators, op, &OperatorInfo::op);
  CHECK(found != std::end(kOperators));
  return *found;
}

std::string mutated_text(std::string_view text, const Mutant& mutant) {
  std::string result(text.substr(0, mutant.range.begin));
  result += mutant.replacement;
  return result += text.substr(mutant.range.end);
}

std::string short_text(std::string_view text, const Mutant& mutant) {
  const std::string before = shortened(text.substr(mutant.range.begin, mutant.range.end - mutant.range.begin));
  return fmt::format("{} => {}", before, mutant.replacement.empty() ? "nothing" : shortened(mutant.replacement));
}

std::string diff(std::string_view text, const Mutant& mutant, const std::string& file) {
  constexpr size_t kContext = 2;
  const std::string changed = mutated_text(text, mutant);
  const std::vector<std::string_view> before = lines_of(text);
  const std::vector<std::string_view> after = lines_of(changed);
  const size_t most = std::min(before.size(), after.size());
  size_t same = 0;
  while (same < most && before[same] == after[same]) ++same;
  size_t tail = 0;
  while (tail < most - same && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  const size_t first = same - std::min(same, kContext);
  const size_t behind = std::min(tail, kContext);
  const size_t old_end = before.size() - tail;
  const size_t new_end = after.size() - tail;
  std::string result =
      fmt::format("--- {}\n+++ {} (mutant {}: {})\n@@ -{},{} +{},{} @@\n", file, file, mutant.number,
                  info(mutant.op).name, first + 1, old_end + behind - first, first + 1, new_end + behind - first);
  for (size_t at = first; at < same; ++at) result += fmt::format(" {}\n", before[at]);
  for (size_t at = same; at < old_end; ++at) result += fmt::format("-{}\n", before[at]);
  for (size_t at = same; at < new_end; ++at) result += fmt::format("+{}\n", after[at]);
  for (size_t at = old_end; at < old_end + behind; ++at) result += fmt::format(" {}\n", before[at]);
  return result;
}

}  // namespace cmc::mutate
