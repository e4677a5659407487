#include "solver-bridge/protocol/wait_policy.h"

#include <fmt/format.h>

#include "base/text.h"

namespace cmc::solver {

Result<WaitPolicy> parse_wait(std::string_view text) {
  if (text == "auto") return WaitPolicy{};
  if (text == "block") return WaitPolicy::block();
  const std::optional<uint32_t> number = parse_number<uint32_t>(text);
  if (!number || *number > WaitPolicy::kMostMicroseconds) {
    return Error{fmt::format("'{}' is not auto, block, or a number of microseconds from 0 to {}", text,
                             WaitPolicy::kMostMicroseconds)};
  }
  return WaitPolicy{.microseconds = *number, .is_polite = false};
}

std::string text_of(const WaitPolicy& policy) {
  return policy.is_polite ? "auto" : std::to_string(policy.microseconds);
}

}  // namespace cmc::solver
