#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/enum_names.h"
#include "base/result.h"
#include "promela/text/diagnostic.h"

// From the text of a value to what an option is set to. Error: what is wrong with the text.

namespace cmc::rows {

template <class T, class Value>
[[nodiscard]] Status assign(T& out, Value value) {
  out = value;
  return Success{};
}
[[nodiscard]] inline Status turn_on(bool& flag) { return assign(flag, true); }
[[nodiscard]] inline Status turn_off(bool& flag) { return assign(flag, false); }

template <class T>
[[nodiscard]] Status choose(const std::string& text, std::span<const EnumName<T>> choices, T& out) {
  std::vector<std::string_view> names;
  for (const EnumName<T>& choice : choices) {
    if (text == choice.name) return assign(out, choice.value);
    names.emplace_back(choice.name);
  }
  return Error{
      fmt::format("'{}' is not one of: {}{}", text, fmt::join(names, ", "), promela::did_you_mean(text, names))};
}
template <class T, size_t n>
[[nodiscard]] Status choose(const std::string& text, const EnumName<T> (&choices)[n], T& out) {
  return choose(text, std::span<const EnumName<T>>(choices), out);
}

[[nodiscard]] Status whole_number(const std::string& text, uint64_t& out);
template <class T>
[[nodiscard]] Status whole_number(const std::string& text, T& out, uint64_t least, uint64_t most,
                                  const std::string& message) {
  uint64_t number = 0;
  if (const Status set = whole_number(text, number); !set.ok()) return set;
  if (number < least || number > most) return Error{message};
  return assign(out, static_cast<T>(number));
}

[[nodiscard]] Status duration(const std::string& text, double& seconds);
[[nodiscard]] Status size(const std::string& text, uint64_t& out);
[[nodiscard]] Status percentage(const std::string& text, double& out);
[[nodiscard]] Status file_name(const std::string& text, std::string& out);
[[nodiscard]] Status json_file(const std::string& text, std::string& out);  // "-", /dev/stdout: standard output

// "512", "1T": as an option takes it.
[[nodiscard]] std::string short_size(uint64_t size);

}  // namespace cmc::rows
