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

// In a function that returns a Result: goes on with the value of the expression, a Result, or returns its error.
//
//   CMC_TRY(const std::string text, read_file(path));
//
// A declaration with a comma in its type needs `auto`.
#define CMC_TRY(declaration, ...)                                                  \
  auto CMC_TRIED(__LINE__) = __VA_ARGS__;                                          \
  if (!CMC_TRIED(__LINE__).ok()) return ::cmc::Error{CMC_TRIED(__LINE__).error()}; \
  declaration = std::move(CMC_TRIED(__LINE__)).value()
#define CMC_TRIED(line) CMC_TRIED_IN_LINE(line)
#define CMC_TRIED_IN_LINE(line) tried_in_line_##line

// The Result of an operation that has no value but may fail.
struct Success {};
using Status = Result<Success>;

}  // namespace cmc
