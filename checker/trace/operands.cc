#include "checker/trace/operands.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "checker/reference/reference.h"
#include "checker/trace/step_text.h"
#include "ir/print.h"
#include "ir/state_printer.h"

namespace cmc {
namespace {

class Collector {
 public:
  Collector(const Model& model, ByteView state, uint8_t pid) : model_(model), state_(state), pid_(pid) {}

  void visit(ExpressionId id) {
    const Expression& expression = model_.expressions[id];
    switch (expression.op) {
      case Operator::kConstant: return;
      case Operator::kAnd: return junction(expression, false);
      case Operator::kOr: return junction(expression, true);
      case Operator::kVariable: return add_variable(expression, pid_);
      case Operator::kRemoteVariable: return add_remote(id);
      case Operator::kProcessCount: return add(id, ByteRange{model_.process_count_offset(), 1});
      case Operator::kLength:
      case Operator::kFull:
      case Operator::kEmpty:
      case Operator::kNotFull:
      case Operator::kNotEmpty:
      case Operator::kPoll: return add_channel(id);
      case Operator::kOwnPid: return;
      case Operator::kRemoteLocation:
      case Operator::kLocationOf:
      case Operator::kPriorityOf:
      case Operator::kEnabled:
      case Operator::kLast:
      case Operator::kOwnPriority:
      case Operator::kTimeout:
      case Operator::kNonProgress: return add(id, std::nullopt);
      case Operator::kReceivable: return add_receive(expression);
      default: break;
    }
    for (const ExpressionId operand : expression.operands) visit(operand);
  }

  std::vector<Operand> take() { return std::move(operands_); }

 private:
  // Only the parts that are `decides` alone make the whole so.
  void junction(const Expression& expression, bool decides) {
    std::vector<ExpressionId> deciding;
    for (const ExpressionId operand : expression.operands) {
      const std::optional<int32_t> value = value_of(model_, state_, pid_, operand);
      if (value && (*value != 0) == decides) deciding.push_back(operand);
    }
    for (const ExpressionId operand : deciding.empty() ? expression.operands : deciding) visit(operand);
  }

  void push(Operand operand) {
    const bool known = std::ranges::find(operands_, operand.name, &Operand::name) != operands_.end();
    if (!known) operands_.push_back(std::move(operand));
  }

  [[nodiscard]] std::string value_text_of(ExpressionId id) const {
    const std::optional<int32_t> value = value_of(model_, state_, pid_, id);
    if (!value) return "?";
    const ScalarType& type = model_.expressions[id].reference.type;
    const Operator op = model_.expressions[id].op;
    if (op != Operator::kVariable && op != Operator::kRemoteVariable) return std::to_string(*value);
    if (type.basic != BasicType::kChan) return value_text(model_, type, *value);
    const auto channel = find_channel(model_, state_, *value);
    return channel ? channel->name : "none";
  }

  // A variable of the process, or a global one.
  void add_variable(const Expression& expression, uint8_t owner) {
    const auto id = static_cast<ExpressionId>(&expression - model_.expressions.data());
    const VariableReference& reference = expression.reference;
    const Proctype* const proctype = find_proctype(model_, state_, owner);
    std::optional<uint32_t> offset = reference.offset;
    for (const VariableReference::Index& index : reference.indices) {
      const std::optional<int32_t> value = value_of(model_, state_, pid_, index.expression);
      const bool inside = value && *value >= 0 && static_cast<uint32_t>(*value) < index.count;
      if (!inside && value) return add_outside(id, index);
      if (!inside) offset.reset();
      if (!inside) break;
      *offset += static_cast<uint32_t>(*value) * index.stride;
    }
    if (!offset || proctype == nullptr) return add(id, std::nullopt);
    const bool global = reference.space == Space::kGlobal;
    const auto& variables = global ? model_.globals : proctype->variables;
    if (reference.variable >= variables.size()) return add(id, std::nullopt);
    const std::string element = element_name(variables[reference.variable], *offset);
    if (global) return push({element, value_text_of(id), ByteRange{*offset, reference.type.bytes}});
    if (owner == kNoProcess) return push({element, value_text_of(id), std::nullopt});
    push({fmt::format("{}[{}].{}", proctype->name, owner, element), value_text_of(id),
          ByteRange{frame_offset(model_, state_, owner) + *offset, reference.type.bytes}});
  }

  // An element that the array does not have, and what its index is made of.
  void add_outside(ExpressionId id, const VariableReference::Index& index) {
    push({text_of(id), fmt::format("outside the array of {}", index.count), std::nullopt});
    visit(index.expression);
  }

  void add_remote(ExpressionId id) {
    const Expression& expression = model_.expressions[id];
    std::optional<int32_t> owner;
    if (!expression.operands.empty()) owner = value_of(model_, state_, pid_, expression.operands.front());
    const bool exists =
        owner && *owner >= 0 && *owner < kNoProcess && find_proctype(model_, state_, static_cast<uint8_t>(*owner));
    if (!exists) return add(id, std::nullopt);
    add_variable(expression, static_cast<uint8_t>(*owner));
  }

  void add_channel(ExpressionId id) {
    const auto channel = value_of(model_, state_, pid_, model_.expressions[id].operands.front());
    const auto place = find_channel(model_, state_, channel.value_or(0));
    add(id, place ? std::optional(place->length()) : std::nullopt);
  }

  void add_receive(const Expression& expression) {
    if (expression.statement >= model_.statements.size()) return;
    const Statement& receive = model_.statements[expression.statement];
    const auto place = find_channel(model_, state_, value_of(model_, state_, pid_, receive.channel).value_or(0));
    if (!place) return;
    const auto length = load<uint16_t>(state_.data() + place->offset);
    push({fmt::format("len({})", place->name), std::to_string(length), place->length()});
  }

  void add(ExpressionId id, std::optional<ByteRange> bytes) { push({text_of(id), value_text_of(id), bytes}); }

  [[nodiscard]] std::string text_of(ExpressionId id) const {
    return expression_text(model_, find_proctype(model_, state_, pid_), id);
  }

  const Model& model_;
  ByteView state_;
  uint8_t pid_;
  std::vector<Operand> operands_;
};

}  // namespace

std::optional<int32_t> value_of(const Model& model, ByteView state, uint8_t pid, ExpressionId id) {
  const auto values = evaluate_expressions(model, state, pid, std::span(&id, 1));
  return values ? std::optional(values->front()) : std::nullopt;
}

std::vector<Operand> deciding_operands(const Model& model, ByteView state, uint8_t pid, ExpressionId expression) {
  Collector collector(model, state, pid);
  collector.visit(expression);
  return collector.take();
}

}  // namespace cmc
