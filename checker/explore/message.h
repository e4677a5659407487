#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/model.h"

// Reading what the page sends.

namespace cmc::explore {

// What the page cannot ask for; thrown by these functions and caught by Explorer::act().
struct Refused {
  std::string why;
};

inline constexpr size_t kMostText = 4000;  // characters of an expression or a command

[[nodiscard]] inline uint64_t number_in(const nlohmann::json& message, const char* name, uint64_t otherwise) {
  const auto found = message.find(name);
  if (found == message.end()) return otherwise;
  if (!found->is_number_unsigned()) throw Refused{fmt::format("'{}' is not a whole number", name)};
  return found->get<uint64_t>();
}

[[nodiscard]] inline std::string text_in(const nlohmann::json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string()) throw Refused{fmt::format("'{}' is missing", name)};
  std::string value = found->get<std::string>();
  if (value.size() > kMostText) throw Refused{fmt::format("'{}' is too long", name)};
  return value;
}

// kNoProcess: none.
[[nodiscard]] inline uint8_t process_in(const nlohmann::json& message) {
  const uint64_t pid = number_in(message, "pid", kNoProcess);
  if (pid > kNoProcess) throw Refused{"there is no such process"};
  return static_cast<uint8_t>(pid);
}

}  // namespace cmc::explore
