#include "checker/guards/free_symbols.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/print.h"

namespace cmc::guards {

namespace {

std::string name_of(size_t number) { return fmt::format("s{}", number); }

int32_t largest_capacity(const Model& model) {
  uint32_t largest = 1;
  for (const ChannelType& type : model.channel_types) largest = std::max(largest, type.capacity);
  return static_cast<int32_t>(largest);
}

}  // namespace

solver::Range range_of(const Model& model, const ScalarType& type) {
  if (type.basic == BasicType::kMtype) return {0, static_cast<int32_t>(model.mtype_sets[type.mtype_set].size())};
  if (type.bits >= 32) return {INT32_MIN, INT32_MAX};
  const int32_t half = int32_t{1} << (type.bits - 1);
  if (type.is_signed()) return {-half, half - 1};
  return {0, half - 1 + half};
}

std::optional<Term> FreeSymbols::symbol(ExpressionId id, uint32_t offset) {
  const Expression& expression = model_.expressions[id];
  if (expression.op == Operator::kTarget) return Term{target(offset)};
  StructureKey key;
  if (expression.op == Operator::kVariable) {
    key = {static_cast<uint32_t>(expression.op), static_cast<uint32_t>(expression.reference.space), offset};
  } else {
    append_structure(model_, id, key);
  }
  const auto [known, is_new] = by_key_.emplace(key, entries_.size());
  if (is_new) entries_.push_back(entry(id, offset));
  return Term{name_of(known->second)};
}

std::string FreeSymbols::target(uint32_t number) {
  const StructureKey key = {static_cast<uint32_t>(Operator::kTarget), number};
  const auto [known, is_new] = by_key_.emplace(key, entries_.size());
  if (is_new) entries_.push_back({fmt::format("target {}", number), {INT32_MIN, INT32_MAX}, nullptr});
  return name_of(known->second);
}

FreeSymbols::Entry FreeSymbols::entry(ExpressionId id, uint32_t offset) const {
  const Expression& expression = model_.expressions[id];
  if (expression.op != Operator::kVariable) {
    return {expression_text(model_, &proctype_, id), range_of(expression), nullptr};
  }
  VariableReference scalar = expression.reference;
  scalar.offset = offset;
  scalar.indices.clear();
  const std::vector<Variable>& variables = scalar.space == Space::kGlobal ? model_.globals : proctype_.variables;
  return {reference_text(model_, &proctype_, scalar), guards::range_of(model_, scalar.type),
          &variables[scalar.variable]};
}

solver::Range FreeSymbols::range_of(const Expression& expression) const {
  switch (expression.op) {
    case Operator::kOwnPid: return {0, static_cast<int32_t>(kMaxProcesses) - 1};
    case Operator::kProcessCount: return {1, static_cast<int32_t>(kMaxProcesses)};
    case Operator::kLast:
    case Operator::kOwnPriority:
    case Operator::kPriorityOf:
    case Operator::kRun: return {0, 255};
    case Operator::kTimeout:
    case Operator::kNonProgress:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty:
    case Operator::kEnabled:
    case Operator::kRemoteLocation:
    case Operator::kExists: return {0, 1};
    case Operator::kLength:
    case Operator::kPoll: return {0, largest_capacity(model_)};
    case Operator::kLocationOf: return {0, 65535};
    case Operator::kRemoteVariable: return guards::range_of(model_, expression.reference.type);
    default: return {INT32_MIN, INT32_MAX};
  }
}

std::vector<std::string> FreeSymbols::names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < entries_.size(); ++i) names.push_back(name_of(i));
  return names;
}

}  // namespace cmc::guards
