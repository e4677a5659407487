#include "solver-bridge/protocol/wait_policy.h"

#include <charconv>

#include <fmt/format.h>

namespace cmc::solver {

Result<WaitPolicy> parse_wait(std::string_view text) {
  if (text == "auto") return WaitPolicy{};
  if (text == "block") return WaitPolicy::block();
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > WaitPolicy::kMostMicroseconds) {
    return Error{fmt::format("'{}' is not auto, block, or a number of microseconds from 0 to {}", text,
                             WaitPolicy::kMostMicroseconds)};
  }
  return WaitPolicy{.microseconds = number, .is_polite = false};
}

std::string text_of(const WaitPolicy& policy) {
  return policy.is_polite ? "auto" : std::to_string(policy.microseconds);
}

}  // namespace cmc::solver
