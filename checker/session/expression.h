#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "checker/check/model_file.h"

namespace cmc::session {

// An expression of the model's language that is no part of it.
struct Expression {
  std::shared_ptr<const Model> model;  // the model once more, with the expression
  ExpressionId id = kNoExpression;
  std::string proctype;  // whose variables it may read; empty: none's

  // As process `pid` sees it; none: it cannot be evaluated, or the process is of another type.
  [[nodiscard]] std::optional<int32_t> value(ByteView state, uint8_t pid) const;
  // The same for people: "3", "green", "q[1]".
  [[nodiscard]] std::optional<std::string> text(ByteView state, uint8_t pid) const;
};

// Reads expressions. Macros of the model are in force.
class ExpressionReader {
 public:
  // `loaded` outlives this object.
  explicit ExpressionReader(const LoadedModel& loaded) : loaded_(loaded) {}

  // `proctype`: whose variables are among the names; empty: only global ones. Error: what is wrong with it.
  [[nodiscard]] Result<Expression> read(const std::string& text, const std::string& proctype);

 private:
  [[nodiscard]] Result<Expression> compile(const std::string& text, const std::string& proctype) const;

  static constexpr size_t kMostKept = 64;  // each has a model
  const LoadedModel& loaded_;
  std::map<std::pair<std::string, std::string>, Result<Expression>> known_;
};

}  // namespace cmc::session
