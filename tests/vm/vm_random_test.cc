#include <cstdlib>

#include "tests/vm/compare.h"
#include "tests/vm/random_ir.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// CMC_RANDOM_IR=<number> runs more.
TEST_CASE("VM: it agrees with the reference interpreter on random models") {
  const char* wanted = std::getenv("CMC_RANDOM_IR");
  const uint32_t models = wanted == nullptr ? 400 : static_cast<uint32_t>(std::atoi(wanted));
  uint64_t states = 0;
  std::map<std::string, uint64_t> errors;
  for (uint32_t seed = 1; seed <= models; ++seed) {
    INFO("seed " << seed);
    Model model = random_ir(seed);
    model.overflow = seed % 3 == 0 ? Overflow::kError : seed % 3 == 1 ? Overflow::kWarning : Overflow::kShown;
    const Exploration found = explore(model, 60);
    REQUIRE(found.differences == std::vector<std::string>{});
    states += found.states;
    for (const auto& [kind, count] : found.errors) errors[kind] += count;
  }
  CHECK(states > models * 10);
  for (const auto& [kind, count] : errors) INFO(kind << " " << count);
  CHECK(errors.size() >= 10);
  CHECK(errors["overflow"] > 0);
  CHECK(errors["overflow note"] > 0);
}

}  // namespace
}  // namespace cmc::test
