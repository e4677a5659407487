#include "base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace cmc {

namespace {

// A non-negative decimal number at the start of `text`, which keeps what follows it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

// The power of 1024 that a unit stands for; none if it is not a unit.
std::optional<int> size_power(std::string_view unit) {
  std::string name;
  for (const char letter : unit) name += lower(letter);
  if (name.empty() || name == "b") return 0;
  constexpr std::string_view kLetters = "kmgt";
  const size_t power = kLetters.find(name[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
  return static_cast<int>(power) + 1;
}

std::optional<double> duration_factor(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nullopt;
}

}  // namespace

Result<uint64_t> parse_size(std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> number = take_number(rest);
  const std::optional<int> power = size_power(rest);
  if (!number || !power) {
    return Error{fmt::format("'{}' is not a size; write a number of bytes such as 4096, or 512K, 256M, 1.5G", text)};
  }
  const double bytes = std::ldexp(*number, 10 * *power);
  if (bytes < 1) return Error{fmt::format("the size '{}' is less than one byte", text)};
  if (bytes >= std::ldexp(1.0, 63)) return Error{fmt::format("the size '{}' is too large", text)};
  return static_cast<uint64_t>(bytes);
}

Result<double> parse_percent(std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> number = take_number(rest);
  if (!number || rest != "%") return Error{fmt::format("'{}' is not a percentage; write 50% or 12.5%", text)};
  if (*number <= 0 || *number > 100) return Error{fmt::format("{} is not above 0% and at most 100%", text)};
  return *number;
}

Result<double> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> number = take_number(rest);
  const std::optional<double> factor = duration_factor(rest);
  if (!number || !factor) {
    return Error{fmt::format("'{}' is not a duration; write seconds such as 90, or 10s, 5m, 2h, 1d", text)};
  }
  const double seconds = *number * *factor;
  if (seconds <= 0) return Error{fmt::format("the duration '{}' is not greater than zero", text)};
  if (seconds > 1e12) return Error{fmt::format("the duration '{}' is too long", text)};
  return seconds;
}

std::string format_size(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr std::array kUnits = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string format_count(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_limit(double seconds) { return fmt::format("{:g} second{}", seconds, seconds == 1 ? "" : "s"); }

}  // namespace cmc
