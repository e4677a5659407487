#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// Sizes and durations as people write and read them.

namespace cmc {

// "4096", "512K", "256M", "1.5G", "2T" (powers of 1024; an optional "B" or "iB" behind the letter). Greater than
// zero.
[[nodiscard]] Result<uint64_t> parse_size(std::string_view text);

// "50%", "12.5%": more than 0, at most 100.
[[nodiscard]] Result<double> parse_percent(std::string_view text);

// "90", "90s", "5m", "1.5h", "2d": seconds. Greater than zero.
[[nodiscard]] Result<double> parse_duration(std::string_view text);

// "512 bytes", "1.5 MB", "23.9 GB": for people; powers of 1024 like parse_size.
[[nodiscard]] std::string format_size(uint64_t bytes);

[[nodiscard]] std::string format_count(uint64_t value);                   // 12,645,068
[[nodiscard]] std::string plural(uint64_t count, std::string_view noun);  // 1 step, 2 steps, 2,000 steps

// A duration as it was given: "1 second", "90 seconds", "0.5 seconds".
[[nodiscard]] std::string format_limit(double seconds);

}  // namespace cmc
