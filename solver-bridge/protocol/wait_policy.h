#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cmc::solver {

// How long a party polls without sleeping before it sleeps.
struct WaitPolicy {
  uint32_t microseconds = kAutoMicroseconds;
  bool is_polite = true;  // sleeps as soon as others want the processor, and at once if there is only one

  // Longer than most questions take, so that most answers find the asker awake.
  static constexpr uint32_t kAutoMicroseconds = 4000;
  static constexpr uint32_t kMostMicroseconds = 1'000'000;

  static constexpr WaitPolicy block() { return {.microseconds = 0, .is_polite = false}; }
  friend bool operator==(const WaitPolicy&, const WaitPolicy&) = default;
};

// "auto", "block", or a number of microseconds.
[[nodiscard]] Result<WaitPolicy> parse_wait(std::string_view text);
[[nodiscard]] std::string text_of(const WaitPolicy& policy);

}  // namespace cmc::solver
