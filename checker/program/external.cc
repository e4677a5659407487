#include "checker/program/external.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/channel_names.h"

namespace cmc::program {
namespace {

constexpr std::string_view kMark = "cmc: external";

// Line number `number`, from 1; empty: there is none.
std::string_view line_of(std::string_view text, uint32_t number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool marked(std::string_view line) {
  const size_t comment = std::min(line.find("/*"), line.find("//"));
  return comment != std::string_view::npos && line.substr(comment).find(kMark) != std::string_view::npos;
}

bool is_part_of(const std::string& instance, const std::string& variable) {
  return instance == variable || (instance.starts_with(variable) && instance[variable.size()] == '[');
}

// Whether some statement of this kind may use one of the channels.
bool is_used(const Model& model, const ExternalChannel& channel, StatementKind kind) {
  const ChannelNames names(model);
  return std::ranges::any_of(model.statements, [&](const Statement& statement) {
    if (statement.kind != kind) return false;
    const auto ids = names.of(statement.channel);
    if (!ids) return false;  // through a local variable: that does not name a channel
    return std::ranges::any_of(
        *ids, [&](uint32_t id) { return id > channel.first && id <= channel.first + channel.count; });
  });
}

Result<ExternalChannel> external_channel(const Model& model, const Variable& variable) {
  const auto part = [&](const ChannelInstance& each) { return is_part_of(each.name, variable.name); };
  const auto first = std::ranges::find_if(model.channels, part);
  if (first == model.channels.end()) {
    return Error{fmt::format("external channel '{}' is not made where it is declared", variable.name)};
  }
  ExternalChannel channel;
  channel.name = variable.name;
  channel.first = static_cast<uint32_t>(first - model.channels.begin());
  channel.count = static_cast<uint32_t>(std::ranges::count_if(model.channels, part));
  if (model.channel_types[first->type].rendezvous()) {
    return Error{fmt::format("external channel '{}' is a rendezvous; give it room for a message", variable.name)};
  }
  const bool out = is_used(model, channel, StatementKind::kSend);
  const bool in = is_used(model, channel, StatementKind::kReceive);
  if (out == in) {
    return Error{fmt::format("external channel '{}' is {} by the model's processes", variable.name,
                             out ? "both sent to and received from" : "neither sent to nor received from")};
  }
  channel.direction = out ? ExternalChannel::Direction::kOut : ExternalChannel::Direction::kIn;
  return channel;
}

}  // namespace

Result<std::vector<ExternalChannel>> find_external_channels(
    const Model& model, const std::function<std::string_view(uint32_t file)>& text_of) {
  std::vector<std::string> names;
  for (const Variable& variable : model.globals) {
    if (variable.type.basic != BasicType::kChan || variable.place.line == 0) continue;
    if (marked(line_of(text_of(variable.place.file), variable.place.line))) names.push_back(variable.name);
  }
  return find_external_channels(model, names);
}

Result<std::vector<ExternalChannel>> find_external_channels(const Model& model,
                                                            const std::vector<std::string>& names) {
  std::vector<ExternalChannel> found;
  for (const std::string& name : names) {
    const auto variable = std::ranges::find_if(model.globals, [&](const Variable& each) {
      return each.name == name && each.type.basic == BasicType::kChan;
    });
    if (variable == model.globals.end()) return Error{fmt::format("there is no global channel '{}'", name)};
    CMC_TRY(ExternalChannel channel, external_channel(model, *variable));
    found.push_back(std::move(channel));
  }
  return found;
}

}  // namespace cmc::program
