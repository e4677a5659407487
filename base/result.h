#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

// Errors of the environment (files, memory, other processes). Errors of the user's model are diagnostics
// (promela/text/diagnostic.h), errors of CMC itself are CHECKs.

namespace cmc {

struct Error {
  std::string message;  // says what failed, on what, why, and where possible what to do
};

// Either a value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  [[nodiscard]] const T& value() const& {
    CHECK(ok());
    return std::get<0>(content_);
  }
  [[nodiscard]] T&& value() && {
    CHECK(ok());
    return std::get<0>(std::move(content_));
  }
  [[nodiscard]] const std::string& error() const {
    CHECK(!ok());
    return std::get<1>(content_).message;
  }

 private:
  std::variant<T, Error> content_;
};

// The Result of an operation that has no value but may fail.
struct Success {};
using Status = Result<Success>;

}  // namespace cmc
