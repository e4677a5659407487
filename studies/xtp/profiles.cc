#include "studies/xtp/profiles.h"

#include <cmath>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace cmc::xtp {
namespace {

// A number in [low, high].
Status number(const std::string& key, const std::string& text, double low, double high, double& value) {
  const std::optional<double> parsed = parse_number<double>(text);
  if (!parsed || !(*parsed >= low && *parsed <= high)) {
    return Error{fmt::format("'{}' is not a number from {} to {} for '{}'", text, low, high, key)};
  }
  value = *parsed;
  return Success{};
}

template <class T>
Status whole(const std::string& key, const std::string& text, double low, double high, T& value) {
  double wide = 0;
  if (Status status = number(key, text, low, high, wide); !status.ok()) return status;
  if (wide != std::floor(wide)) return Error{fmt::format("'{}' is not a whole number for '{}'", text, key)};
  value = static_cast<T>(wide);
  return Success{};
}

Status choice(const std::string& key, const std::string& text, const char* no, const char* yes, bool& value) {
  if (text != no && text != yes) return Error{fmt::format("'{}' is neither {} nor {} for '{}'", text, no, yes, key)};
  value = text == yes;
  return Success{};
}

Status milliseconds(const std::string& key, const std::string& text, uint64_t& ns) {
  double value = 0;
  if (Status status = number(key, text, 0, 1e6, value); !status.ok()) return status;
  ns = static_cast<uint64_t>(value * 1e6);
  return Success{};
}

}  // namespace

Status set_parameter(Parameters& parameters, const std::string& key, const std::string& value) {
  MediumOptions& medium = parameters.medium;
  constexpr double kMany = 1e9;
  if (key == "profile") return choice(key, value, "ping-pong", "burst", parameters.burst);
  if (key == "close") return choice(key, value, "graceful", "abort", parameters.aborts);
  if (key == "messages") return whole(key, value, 1, kMany, parameters.messages);
  if (key == "connections") return whole(key, value, 1, kMany, parameters.connections);
  if (key == "payload") return whole(key, value, kMinPayloadBytes, kMaxPayloadBytes, parameters.payload_bytes);
  if (key == "delay_ms") return milliseconds(key, value, medium.delay_ns);
  if (key == "rate") return number(key, value, 0, 1e15, medium.bytes_per_second);
  if (key == "loss") return number(key, value, 0, 1, medium.loss);
  if (key == "corruption") return number(key, value, 0, 1, medium.corruption);
  if (key == "duplication") return number(key, value, 0, 1, medium.duplication);
  if (key == "seed") return whole(key, value, 0, 0x1p53, medium.seed);
  if (key == "timeout_ms") return milliseconds(key, value, parameters.endpoint.timeout_ns);
  if (key == "window") return whole(key, value, 1, 16, parameters.endpoint.window);
  return Error{fmt::format("there is no parameter '{}'", key)};
}

Result<Parameters> read_parameters(const std::string& text) {
  Parameters parameters;
  std::istringstream lines(text);
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    if (equals == std::string::npos) return Error{fmt::format("line {}: expected 'key = value'", number)};
    const std::string key(trimmed(std::string_view(line).substr(0, equals)));
    const std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    const Status status = set_parameter(parameters, key, value);
    if (!status.ok()) return Error{fmt::format("line {}: {}", number, status.error())};
  }
  return parameters;
}

ProfileUser::ProfileUser(Role role, const Parameters& parameters, const Timer& timer)
    : role_(role), parameters_(parameters), timer_(timer) {}

void ProfileUser::data(std::span<const std::byte> payload) {
  ++received_;
  uint64_t number = 0;
  if (payload.size() >= sizeof(number)) std::memcpy(&number, payload.data(), sizeof(number));
  const bool right = payload.size() == parameters_.payload_bytes && number == to_come_ &&
                     payload.back() == static_cast<std::byte>(number);
  if (!right) ++mistakes_;
  ++to_come_;
  if (role_ == Role::kInitiator) round_trips_.push_back(timer_.now_ns() - sent_ns_);
}

void ProfileUser::closed() {
  const uint64_t expected = role_ == Role::kInitiator && parameters_.burst ? 0 : parameters_.messages;
  if (!parameters_.aborts && to_come_ != expected) ++mistakes_;
  if (role_ == Role::kInitiator && !asked_) ++mistakes_;  // nobody else closes
  ++connection_;
  to_send_ = to_come_ = 0;
  asked_ = false;
}

bool ProfileUser::send_next() {
  std::byte* const room = endpoint_->room();
  if (room == nullptr) return false;
  std::memcpy(room, &to_send_, sizeof(to_send_));
  room[parameters_.payload_bytes - 1] = static_cast<std::byte>(to_send_);
  sent_ns_ = timer_.now_ns();
  endpoint_->send(parameters_.payload_bytes, role_ == Role::kInitiator && to_send_ == 0);
  ++to_send_;
  return true;
}

bool ProfileUser::work() {
  DCHECK(endpoint_ != nullptr);
  if (role_ == Role::kResponder) return !parameters_.burst && to_send_ < to_come_ && send_next();
  if (done() || asked_) return false;
  if (to_send_ < parameters_.messages) return answered() && send_next();
  if (!answered()) return false;
  asked_ = parameters_.aborts ? endpoint_->abort() : endpoint_->close();
  return asked_;
}

}  // namespace cmc::xtp
