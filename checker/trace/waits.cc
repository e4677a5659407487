#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/trace/explain.h"
#include "checker/trace/step_text.h"
#include "checker/trace/trace.h"
#include "ir/print.h"

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
    const std::string receivers = users(StatementKind::kReceive, *channel, "receiver");
    if (channel->type->rendezvous()) return fmt::format("a receiver of {}{}", named(send, *channel), receivers);
    return fmt::format("room in {}, full{}{}", channel->name, since(log_, channel->length()), receivers);
  }

  std::string of_receive(const Statement& receive) {
    const std::optional<ChannelPlace> channel = channel_of(receive);
    if (!channel) return receive.text;
    const std::string senders = users(StatementKind::kSend, *channel, "sender");
    if (channel->type->rendezvous())
      return fmt::format("a sender that {} accepts{}", named(receive, *channel), senders);
    const auto length = load<uint16_t>(state_.data() + channel->offset);
    if (length == 0)
      return fmt::format("a message in {}, empty{}{}", channel->name, since(log_, channel->length()), senders);
    const std::string wanted = fmt::format("a message that {} accepts; {} ", named(receive, *channel), channel->name);
    const std::vector<std::string> messages = messages_of(channel->name);
    if (receive.flag) return wanted + "holds " + contents_text(messages) + since(log_, channel->length());
    if (messages.empty()) return wanted + "has another one in front";
    return fmt::format("{}begins with [{}]{}", wanted, messages.front(), since(log_, channel->message(0)));
  }

  // Other processes that may still send to the channel or receive from it, and where they are: "; possible sender:
  // B[1] at NAME:9". A process that gets to know the channel later is not found, so nothing is said if there seems to
  // be none.
  std::string users(StatementKind kind, const ChannelPlace& channel, const char* role) const {
    constexpr size_t kMost = 3;
    std::vector<std::string> found;
    const auto count = load<uint8_t>(state_.data() + model_.process_count_offset());
    for (uint8_t pid = 0; pid < count; ++pid) {
      if (pid == pid_ || !may_use(pid, kind, channel)) continue;
      found.push_back(whereabouts(pid));
    }
    if (found.empty() || found.size() > kMost) return "";
    return fmt::format("; possible {}{}: {}", role, found.size() == 1 ? "" : "s", fmt::join(found, ", "));
  }

  // "B[1] at NAME:9"
  std::string whereabouts(uint8_t pid) const {
    const std::string place = short_place(model_, place_of_process(model_, state_, pid));
    return process_label(model_, state_, pid) + (place.empty() ? "" : " at " + place);
  }

  // Whether a statement of this kind about the channel can be reached from where the process is.
  bool may_use(uint8_t pid, StatementKind kind, const ChannelPlace& channel) const {
    const Proctype& proctype = *find_proctype(model_, state_, pid);
    std::vector<LocationId> open = {
        load<LocationId>(state_.data() + frame_offset(model_, state_, pid) + kFrameLocation)};
    std::vector<bool> seen(proctype.locations.size(), false);
    while (!open.empty()) {
      const LocationId location = open.back();
      open.pop_back();
      if (location >= seen.size() || seen[location]) continue;
      seen[location] = true;
      for (const Edge& edge : proctype.locations[location].edges) {
        const Statement& statement = model_.statements[edge.statement];
        open.push_back(edge.target);
        if (statement.kind != kind) continue;
        const auto used = find_channel(model_, state_, value_of(model_, state_, pid, statement.channel).value_or(0));
        if (used && used->offset == channel.offset) return true;
      }
    }
    return false;
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
    const auto youngest = static_cast<uint8_t>(count - 1);
    return fmt::format("the end of {}, which began later", whereabouts(youngest));
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

SourcePlace place_of_process(const Model& model, ByteView state, uint8_t pid) {
  const Proctype& proctype = *find_proctype(model, state, pid);
  const auto number = load<LocationId>(state.data() + frame_offset(model, state, pid) + kFrameLocation);
  if (number >= proctype.locations.size()) return {};
  const Location& location = proctype.locations[number];
  return location.edges.size() == 1 ? model.statements[location.edges.front().statement].place : location.place;
}

std::string short_place(const Model& model, const SourcePlace& place) {
  if (place.line == 0 || place.file >= model.files.size()) return "";
  return fmt::format("{}:{}", file_name(model.files[place.file]), place.line);
}

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
