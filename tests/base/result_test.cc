#include "base/result.h"

#include <memory>

#include "tests/catch.h"

namespace cmc {
namespace {

Result<std::unique_ptr<int>> made(int value) {
  if (value < 0) return Error{"it is negative"};
  return std::make_unique<int>(value);
}

Result<int> sum(int a, int b) {
  CMC_TRY(const std::unique_ptr<int> first, made(a));
  std::unique_ptr<int> second;
  CMC_TRY(second, made(b));
  return *first + *second;
}

TEST_CASE("result: CMC_TRY declares or sets the value, or returns the error") {
  CHECK(sum(1, 2).value() == 3);
  CHECK(sum(-1, 2).error() == "it is negative");
  CHECK(sum(1, -2).error() == "it is negative");
}

}  // namespace
}  // namespace cmc
