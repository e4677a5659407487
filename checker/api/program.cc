#include <sstream>

#include <fmt/format.h>

#include "base/text.h"
#include "checker/api/content.h"
#include "checker/native/generator.h"
#include "checker/native/source.h"
#include "checker/program/external.h"
#include "checker/program/runner.h"
#include "checker/vm/generator.h"
#include "ir/scalar.h"
#include "ir/state_printer.h"

namespace cmc::api {
namespace {

cmc::Result<std::unique_ptr<SuccessorGenerator>> make_generator(const cmc::Model& model, const void* native) {
  if (native == nullptr) return make_vm_generator(model);
  auto library = native::Library::linked(*static_cast<const CmcModel*>(native), native::write_source(model));
  if (!library.ok()) return cmc::Error{library.error()};
  return make_native_generator(model, std::move(library).value());
}

// Value of a field as a person writes it. Empty: it has no such value.
std::optional<std::int32_t> parse_value(const cmc::Model& model, const ScalarType& type, const std::string& word) {
  if (type.basic == BasicType::kMtype && type.mtype_set < model.mtype_sets.size()) {
    const std::vector<std::string>& names = model.mtype_sets[type.mtype_set];
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == word) return static_cast<std::int32_t>(i + 1);
    }
  }
  const auto value = parse_number<std::int64_t>(word);
  if (!value) return std::nullopt;
  const auto kept = static_cast<std::int32_t>(*value);
  const bool is_unsigned = type.basic == BasicType::kUnsigned;
  if (is_unsigned ? *value != static_cast<std::uint32_t>(kept) : *value != kept) return std::nullopt;
  return kept;
}

}  // namespace

struct Program::Content {
  Content(std::shared_ptr<const Model::Content> model, std::unique_ptr<SuccessorGenerator> generator)
      : shared(std::move(model)), runner(shared->loaded.model, std::move(generator)) {}

  [[nodiscard]] const ChannelType& type_of(std::size_t channel) const { return runner.type_of(numbers[channel]); }

  std::shared_ptr<const Model::Content> shared;
  program::Runner runner;
  std::vector<Channel> channels;
  std::vector<std::uint32_t> numbers;  // index into Model::channels of each channel
};

Program::Program(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Result<Program> Program::make(const Model& model, const std::vector<std::string>& external, const void* native) {
  const cmc::Model& inner = model.content_->loaded.model;
  if (!inner.guards.empty()) return Error{"a program has no solver; expand the model's solver guards"};
  const auto channels = program::find_external_channels(inner, external);
  if (!channels.ok()) return Error{channels.error()};
  auto generator = make_generator(inner, native);
  if (!generator.ok()) return Error{generator.error()};
  auto content = std::make_unique<Content>(model.content_, std::move(generator).value());
  for (const program::ExternalChannel& each : channels.value()) {
    for (std::uint32_t i = 0; i < each.count; ++i) {
      const std::uint32_t number = each.first + i;
      const ChannelType& type = content->runner.type_of(number);
      content->channels.push_back({inner.channels[number].name,
                                   each.direction == program::ExternalChannel::Direction::kIn, type.capacity,
                                   static_cast<std::uint32_t>(type.fields.size())});
      content->numbers.push_back(number);
    }
  }
  if (const Status started = content->runner.start(); !started.ok()) return Error{started.error()};
  return Program(std::move(content));
}

const std::vector<Program::Channel>& Program::channels() const { return content_->channels; }

Result<std::uint64_t> Program::run(bool timeout) {
  const auto steps = content_->runner.run(timeout);
  if (!steps.ok()) return Error{steps.error()};
  return steps.value();
}

bool Program::ended() const { return content_->runner.ended(); }

bool Program::empty(std::size_t channel) const { return content_->runner.length(content_->numbers[channel]) == 0; }

bool Program::full(std::size_t channel) const { return content_->runner.full(content_->numbers[channel]); }

std::vector<std::int32_t> Program::pop(std::size_t channel) {
  const ChannelType& type = content_->type_of(channel);
  const std::span<const std::byte> bytes = content_->runner.front(content_->numbers[channel]);
  std::vector<std::int32_t> message;
  for (std::size_t i = 0; i < type.fields.size(); ++i)
    message.push_back(load_scalar(type.fields[i], bytes.data() + type.field_offsets[i]));
  content_->runner.pop(content_->numbers[channel]);
  return message;
}

Result<std::monostate> Program::push(std::size_t channel, const std::vector<std::int32_t>& message) {
  const ChannelType& type = content_->type_of(channel);
  const std::string& name = content_->channels[channel].name;
  if (full(channel)) return Error{fmt::format("channel '{}' is full", name)};
  if (message.size() != type.fields.size())
    return Error{fmt::format("a message of '{}' has {} fields, not {}", name, type.fields.size(), message.size())};
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (truncate(type.fields[i], message[i]) != message[i])
      return Error{fmt::format("{} does not fit field {} of '{}'", message[i], i + 1, name)};
  }
  const std::span<std::byte> bytes = content_->runner.push(content_->numbers[channel]);
  for (std::size_t i = 0; i < message.size(); ++i)
    store_scalar(type.fields[i], bytes.data() + type.field_offsets[i], message[i]);
  return std::monostate();
}

std::string Program::to_text(std::size_t channel, const std::vector<std::int32_t>& message) const {
  const ChannelType& type = content_->type_of(channel);
  std::string text;
  for (std::size_t i = 0; i < message.size() && i < type.fields.size(); ++i) {
    if (i > 0) text += ' ';
    text += value_text(content_->shared->loaded.model, type.fields[i], message[i]);
  }
  return text;
}

Result<std::vector<std::int32_t>> Program::from_text(std::size_t channel, const std::string& text) const {
  const ChannelType& type = content_->type_of(channel);
  const std::string& name = content_->channels[channel].name;
  std::vector<std::int32_t> message;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (message.size() == type.fields.size())
      return Error{
          fmt::format("a message of '{}' has {} fields; '{}' is one too many", name, type.fields.size(), word)};
    const auto value = parse_value(content_->shared->loaded.model, type.fields[message.size()], word);
    if (!value) return Error{fmt::format("'{}' is no value of field {} of '{}'", word, message.size() + 1, name)};
    message.push_back(*value);
  }
  if (message.size() < type.fields.size())
    return Error{fmt::format("a message of '{}' has {} fields, not {}", name, type.fields.size(), message.size())};
  return message;
}

}  // namespace cmc::api
