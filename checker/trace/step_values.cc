#include "checker/trace/step_values.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "checker/reference/reference.h"
#include "checker/trace/operands.h"
#include "checker/trace/places.h"
#include "checker/trace/step_text.h"
#include "ir/scalar.h"

namespace cmc {
namespace {

std::string field_text(const Model& model, const ScalarType& type, int32_t value, const StateImage& image) {
  if (type.basic != BasicType::kChan) return value_text(model, type, value);
  if (value == 0) return "none";
  const size_t index = static_cast<size_t>(value) - 1;
  return index < image.channels.size() ? image.channels[index].name : fmt::format("channel {}", value);
}

constexpr ScalarType kChannelType{BasicType::kChan, 8, 1, 0};

std::optional<MessageText> handed_over(const Model& model, ByteView state, const Step& step, const Statement& send,
                                       const StateImage& before) {
  const std::optional<int32_t> channel = value_of(model, state, step.pid, send.channel);
  const auto values = evaluate_expressions(model, state, step.pid, send.operands);
  const auto place = find_channel(model, state, channel.value_or(0));
  if (!place || !values) return std::nullopt;
  MessageText message{MessageText::Kind::kHandedOver, field_text(model, kChannelType, *channel, before), ""};
  const std::vector<ScalarType>& fields = place->type->fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    const int32_t value = i < values->size() ? truncate(fields[i], (*values)[i]) : 0;
    message.values += (i == 0 ? "" : ",") + field_text(model, fields[i], value, before);
  }
  return message;
}

std::optional<MessageText> passed_through_buffer(const StateImage& before, const StateImage& after) {
  for (size_t i = 0; i < before.channels.size() && i < after.channels.size(); ++i) {
    const std::vector<std::string>& old_messages = before.channels[i].messages;
    const std::vector<std::string>& new_messages = after.channels[i].messages;
    const std::string& name = before.channels[i].name;
    if (new_messages.size() == old_messages.size() + 1) {
      return MessageText{MessageText::Kind::kSent, name, extra_message(new_messages, old_messages)};
    }
    if (new_messages.size() + 1 == old_messages.size()) {
      return MessageText{MessageText::Kind::kReceived, name, extra_message(old_messages, new_messages)};
    }
  }
  return std::nullopt;
}

// A receive that leaves the message where it is, from the first slot. (Which slot a random one reads is not worth an
// evaluation.)
std::optional<MessageText> read_in_place(const Model& model, ByteView state, const Step& step,
                                         const Statement& receive, const StateImage& before) {
  if (receive.flag) return std::nullopt;
  const std::optional<int32_t> channel = value_of(model, state, step.pid, receive.channel);
  if (!channel || *channel <= 0) return std::nullopt;
  const size_t index = static_cast<size_t>(*channel) - 1;
  if (index >= before.channels.size() || before.channels[index].messages.empty()) return std::nullopt;
  return MessageText{MessageText::Kind::kRead, before.channels[index].name, before.channels[index].messages.front()};
}

// Null for a move of the claim: it passes on no values.
const Statement* find_statement(const Model& model, ByteView state, const Step& step) {
  if (step.pid == kNoProcess) return nullptr;
  const Edge* edge = find_edge(model, state, step.pid, step.location, step.edge);
  return edge == nullptr ? nullptr : &model.statements[edge->statement];
}

// The name of an mtype value whose set is known only if the operand is a variable.
std::string printed_mtype(const Model& model, const Expression& operand, int32_t value) {
  if (operand.op == Operator::kVariable && operand.reference.type.basic == BasicType::kMtype) {
    if (std::string name = mtype_name(model, operand.reference.type.mtype_set, value); !name.empty()) return name;
  }
  for (uint32_t set = 0; set < model.mtype_sets.size(); ++set) {
    if (std::string name = mtype_name(model, set, value); !name.empty()) return name;
  }
  return std::to_string(value);
}

std::string converted(const Model& model, char conversion, const Expression& operand, int32_t value) {
  switch (conversion) {
    case 'c': return std::string(1, static_cast<char>(value));
    case 'e': return printed_mtype(model, operand, value);
    case 'o': return fmt::format("{:o}", static_cast<uint32_t>(value));
    case 'u': return fmt::format("{}", static_cast<uint32_t>(value));
    case 'x': return fmt::format("{:x}", static_cast<uint32_t>(value));
    default: return std::to_string(value);
  }
}

std::string formatted(const Model& model, const Statement& statement, const std::vector<int32_t>& values) {
  std::string text;
  size_t next = 0;
  const std::string& format = statement.format;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    const char conversion = format[++i];
    if (conversion == '%' || next >= values.size()) {
      text += conversion == '%' ? "%" : std::string{'%', conversion};
      continue;
    }
    text += converted(model, conversion, model.expressions[statement.operands[next]], values[next]);
    ++next;
  }
  return text;
}

}  // namespace

std::optional<MessageText> message_of_step(const Model& model, ByteView before_bytes, const Step& step,
                                           const StateImage& before, const StateImage& after) {
  const Statement* statement = find_statement(model, before_bytes, step);
  if (statement == nullptr) return std::nullopt;
  if (step.partner != kNoProcess) {
    if (statement->kind != StatementKind::kSend) return std::nullopt;
    return handed_over(model, before_bytes, step, *statement, before);
  }
  if (statement->kind == StatementKind::kReceive && statement->poll) {
    return read_in_place(model, before_bytes, step, *statement, before);
  }
  const bool buffered = statement->kind == StatementKind::kSend || statement->kind == StatementKind::kReceive;
  return buffered ? passed_through_buffer(before, after) : std::nullopt;
}

std::vector<Truncation> truncations_of_step(const Model& model, ByteView before, const Step& step) {
  const Statement* statement = find_statement(model, before, step);
  if (statement == nullptr) return {};
  std::vector<Truncation> found;
  const auto compare = [&](ExpressionId expression, const ScalarType& type) {
    if (type.bits >= 32) return;
    const std::optional<int32_t> given = value_of(model, before, step.pid, expression);
    if (given && truncate(type, *given) != *given) found.push_back({*given, type});
  };
  if (statement->kind == StatementKind::kSend) {
    const auto channel = value_of(model, before, step.pid, statement->channel);
    const auto place = find_channel(model, before, channel.value_or(0));
    for (size_t i = 0; place && i < std::min(place->type->fields.size(), statement->operands.size()); ++i) {
      compare(statement->operands[i], place->type->fields[i]);
    }
  }
  const bool evaluates = statement->kind == StatementKind::kAssign || statement->kind == StatementKind::kCondition;
  if (!evaluates) return found;
  const Expression& expression = model.expressions[statement->expression];
  if (expression.op == Operator::kRun) {
    const Proctype& created = model.proctypes[expression.proctype];
    for (size_t i = 0; i < expression.operands.size(); ++i) {
      compare(expression.operands[i], created.parameters[i].type);
    }
  } else if (statement->kind == StatementKind::kAssign && !statement->discard_target) {
    compare(statement->expression, statement->target.type);
  }
  return found;
}

std::optional<std::string> printed_by_step(const Model& model, ByteView before, const Step& step) {
  const Statement* statement = find_statement(model, before, step);
  if (statement == nullptr) return std::nullopt;
  if (statement->kind == StatementKind::kPrintf) {
    const auto values = evaluate_expressions(model, before, step.pid, statement->operands);
    return values ? std::optional(formatted(model, *statement, *values)) : std::nullopt;
  }
  if (statement->kind == StatementKind::kPrintm) {
    const auto value = value_of(model, before, step.pid, statement->expression);
    if (!value) return std::nullopt;
    std::string name = mtype_name(model, statement->mtype_set, *value);
    return name.empty() ? printed_mtype(model, model.expressions[statement->expression], *value) : name;
  }
  return std::nullopt;
}

}  // namespace cmc
