#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "checker/native/source.h"
#include "ir/product.h"
#include "tests/native/compare.h"
#include "tests/native/native_code.h"
#include "tests/random/random_model.h"
#include "tests/support/compile.h"
#include "tests/vm/random_ir.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

uint32_t number_in(const char* variable, uint32_t otherwise) {
  const char* const number = std::getenv(variable);
  return number == nullptr ? otherwise : static_cast<uint32_t>(std::atoi(number));
}

// CMC_NATIVE_MODELS=<number> runs so many of each kind, CMC_NATIVE_FROM=<number> begins with this seed.
uint32_t wanted_models(uint32_t otherwise) { return number_in("CMC_NATIVE_MODELS", otherwise); }
uint32_t first_seed() { return number_in("CMC_NATIVE_FROM", 1); }

// Some random models are refused.
std::optional<Model> compiled(const std::string& text) {
  try {
    return compile_text(text);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

bool has_shared_functions(const Model& model) {
  return native::write_source(model).text.find("_constants[") != std::string::npos;
}

TEST_CASE("native code: it agrees with VM and reference on models that make no sense") {
  const uint32_t models = wanted_models(150);
  uint64_t states = 0;
  uint64_t errors = 0;
  uint64_t shared = 0;
  for (uint32_t seed = first_seed(); seed - first_seed() < models; ++seed) {
    INFO("seed " << seed);
    const Model model = random_ir(seed);
    const auto code = native_code(model);
    if (code == nullptr) return;
    const NativeExploration found = explore_native(model, code, 60);
    REQUIRE(found.differences == std::vector<std::string>{});
    states += found.states;
    errors += found.errors;
    shared += has_shared_functions(model) ? 1 : 0;
  }
  CHECK(states > models * 10);
  CHECK(errors > models);
  CHECK(shared > models / 4);
}

TEST_CASE("native code: it agrees with VM and reference on random models") {
  const uint32_t models = wanted_models(150);
  const std::vector<random::Profile>& profiles = random::profiles();
  uint64_t states = 0;
  for (uint32_t seed = first_seed(); seed - first_seed() < models; ++seed) {
    INFO("seed " << seed);
    const random::Profile& profile = profiles[seed % profiles.size()];
    const bool claim = seed % 4 == 0;
    const std::optional<Model> plain = compiled(random::random_model(
        seed, profile, claim ? random::RandomProperty::kNeverClaim : random::RandomProperty::kIrrelevant));
    if (!plain) continue;
    const Model model = claim && !plain->claims.empty() ? with_observers(*plain, 0) : *plain;
    const auto code = native_code(model);
    if (code == nullptr) return;
    const NativeExploration found = explore_native(model, code, 200);
    REQUIRE(found.differences == std::vector<std::string>{});
    states += found.states;
  }
  CHECK(states > models * 10);
}

}  // namespace
}  // namespace cmc::test
