#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/check.h"

// The names of an enumeration's values: an array beside it, from which they are read and printed. Where people
// choose, they are offered in its order.

namespace cmc {

template <class T>
struct EnumName {
  const char* name;
  T value;
};

// REQUIRES: the value has a name.
template <class T, size_t n>
[[nodiscard]] constexpr const char* name_in(const EnumName<T> (&names)[n], T value) {
  const auto* const found = std::ranges::find(names, value, &EnumName<T>::value);
  CHECK(found != std::end(names));
  return found->name;
}

template <class T, size_t n>
[[nodiscard]] constexpr std::optional<T> value_in(const EnumName<T> (&names)[n], std::string_view name) {
  const auto has_name = [&](const EnumName<T>& each) { return name == each.name; };
  const auto* const found = std::ranges::find_if(names, has_name);
  return found == std::end(names) ? std::nullopt : std::optional(found->value);
}

}  // namespace cmc
