#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/trace/explain.h"
#include "checker/trace/step_text.h"
#include "checker/trace/trace.h"
#include "ir/print.h"
#include "ir/scalar.h"

namespace cmc {
namespace {

class Waits {
 public:
  Waits(const Model& model, ByteView state, uint8_t pid, const WriteLog& log)
      : model_(model), state_(state), pid_(pid), log_(log), proctype_(*find_proctype(model, state, pid)) {}

  std::vector<std::string> take() {
    const auto location = load<LocationId>(state_.data() + frame_offset(model_, state_, pid_) + kFrameLocation);
    if (proctype_.provided != kNoExpression && value_of(model_, state_, pid_, proctype_.provided).value_or(1) == 0) {
      return {"its provided clause " + condition(proctype_.provided, "")};
    }
    if (location >= proctype_.locations.size()) return {};
    for (const Edge& edge : proctype_.locations[location].edges) {
      std::string text = of_edge(model_.statements[edge.statement]);
      if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
    }
    return std::move(texts_);
  }

 private:
  std::string of_edge(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kSend: return of_send(statement);
      case StatementKind::kReceive: return of_receive(statement);
      case StatementKind::kCondition: return condition(statement.expression, statement.text);
      case StatementKind::kEndProcess: return of_end();
      case StatementKind::kAtomicBlock:
        return statement.guard == kNoExpression ? statement.text : condition(statement.guard, statement.text);
      case StatementKind::kChoose: return of_choice(statement);
      default: return statement.text;
    }
  }

  std::string condition(ExpressionId id, const std::string& written) {
    std::string text = written.empty() ? expression_text(model_, &proctype_, id) : written;
    return with_operands(std::move(text), deciding_operands(model_, state_, pid_, id));
  }

  std::string with_operands(std::string text, const std::vector<Operand>& operands) {
    std::vector<std::string> parts;
    for (const Operand& operand : operands) parts.push_back(operand_text(log_, operand));
    return parts.empty() ? text : fmt::format("{}; {}", text, fmt::join(parts, ", "));
  }

  std::optional<ChannelPlace> channel_of(const Statement& statement) const {
    return find_channel(model_, state_, value_of(model_, state_, pid_, statement.channel).value_or(0));
  }

  std::string of_send(const Statement& send) {
    const std::optional<ChannelPlace> channel = channel_of(send);
    if (!channel) return send.text;
    if (channel->type->rendezvous()) return fmt::format("a receiver of {}", named(send, *channel));
    return fmt::format("room in {}, full{}", channel->name, since(log_, channel->length()));
  }

  std::string of_receive(const Statement& receive) {
    const std::optional<ChannelPlace> channel = channel_of(receive);
    if (!channel) return receive.text;
    if (channel->type->rendezvous()) return fmt::format("a sender that {} accepts", named(receive, *channel));
    const auto length = load<uint16_t>(state_.data() + channel->offset);
    if (length == 0) return fmt::format("a message in {}, empty{}", channel->name, since(log_, channel->length()));
    const std::string wanted = fmt::format("a message that {} accepts; {} ", named(receive, *channel), channel->name);
    const std::vector<std::string> messages = messages_of(channel->name);
    if (receive.flag) return wanted + "holds " + contents_text(messages) + since(log_, channel->length());
    if (messages.empty()) return wanted + "has another one in front";
    return fmt::format("{}begins with [{}]{}", wanted, messages.front(), since(log_, channel->message(0)));
  }

  // The statement, with the channel where the text has a variable: "c!1 (c is q[2])".
  static std::string named(const Statement& statement, const ChannelPlace& channel) {
    return statement.text.starts_with(channel.name) ? statement.text
                                                    : fmt::format("{} ({})", statement.text, channel.name);
  }

  std::vector<std::string> messages_of(const std::string& name) const {
    for (const ChannelImage& channel : decode_state(model_, state_).channels) {
      if (channel.name == name) return channel.messages;
    }
    return {};
  }

  std::string of_end() {
    const auto count = load<uint8_t>(state_.data() + model_.process_count_offset());
    if (pid_ + 1 >= count) return "its end";
    return fmt::format("the end of {}, which began later",
                       process_label(model_, state_, static_cast<uint8_t>(count - 1)));
  }

  std::string of_choice(const Statement& choose) {
    std::vector<Operand> operands;
    for (const ExpressionId parameter : model_.guards[choose.guard_number].parameters) {
      for (Operand& operand : deciding_operands(model_, state_, pid_, parameter)) {
        const bool known = std::ranges::find(operands, operand.name, &Operand::name) != operands.end();
        if (!known) operands.push_back(std::move(operand));
      }
    }
    return with_operands(choose.text, operands);
  }

  const Model& model_;
  ByteView state_;
  uint8_t pid_;
  const WriteLog& log_;
  const Proctype& proctype_;
  std::vector<std::string> texts_;
};

}  // namespace

std::string since(const WriteLog& log, const ByteRange& bytes) {
  const WriteLog::Write write = log.last(bytes);
  if (write.number == 0) return " from the start";
  return fmt::format(" since step {} ({})", write.number, write.process);
}

std::string operand_text(const WriteLog& log, const Operand& operand) {
  return fmt::format("{} is {}{}", operand.name, operand.value, operand.bytes ? since(log, *operand.bytes) : "");
}

std::vector<std::string> what_it_waits_for(const Model& model, ByteView state, uint8_t pid, const WriteLog& log) {
  return Waits(model, state, pid, log).take();
}

}  // namespace cmc
