#include "checker/properties/restore_runs.h"

#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/properties/formula_check.h"
#include "checker/properties/properties.h"
#include "checker/properties/stuttering.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Searches of products that merge local steps and reset dead variables, and the runs that they show.

namespace cmc {
namespace {

using test::compile_text;

constexpr const char* kLoops = R"(
byte x; bool go;
active proctype A() { byte i, j; do :: x == 0 -> i = 0; do :: i < 3 -> i++; j = i :: else -> break od; x = 1; go = 1 od }
active proctype B() { byte i; do :: x == 1 -> i = 0; do :: i < 3 -> i++ :: else -> break od; x = 0 od }
)";

// In the first round d is another one at L than in all others.
constexpr const char* kDead = R"(
byte x;
active proctype A() { byte d; d = 2; L: x = 1 - x; d = 1; (d == 1); goto L }
)";

// The system stops behind three local steps.
constexpr const char* kStops = R"(
byte x;
active proctype A() { byte i; x = 1; i = 1; i = 2; i = 3 }
)";

Model product_of(const std::string& text) {
  const Model model = compile_text(text);
  for (const PropertyEntry& entry : properties_of(model)) {
    if (entry.kind != PropertyKind::kLtl && entry.kind != PropertyKind::kNeverClaim) continue;
    Result<Model> product = make_product(model, entry);
    REQUIRE(product.ok());
    return std::move(product).value();
  }
  FAIL("there is no formula or claim");
  return model;
}

SearchResult search(const Model& product) {
  SearchOptions options;
  options.check_end_states = false;
  options.only_observers = true;
  options.find_cycles = true;
  options.threads = 1;
  const auto result = run_key_search(
      product,
      [&] {
        auto system = close_local_paths(close_atomic_chains(make_vm_generator(product), product), product);
        return make_product_generator(reset_dead_variables(std::move(system), product), product);
      },
      options);
  REQUIRE(result);
  return *result;
}

void check_violated(const std::string& model, const std::string& property) {
  CAPTURE(model, property);
  const Model product = product_of(model + property);
  REQUIRE_FALSE(obstacle_to_stuttering(product));
  SearchResult result = search(product);
  REQUIRE(result.errors.size() == 1);
  restore_runs(*make_product_generator(make_vm_generator(product), product), product, result);
  const auto referee = make_referee(product, nullptr);
  CHECK(verify_error(result.errors.front(), *referee, {&product, Fairness::kNone}).empty());
  verify_formulas(product, result, *referee);
  CHECK(result.error_count == 1);
}

TEST_CASE("restored runs: a search with merged steps shows runs of single statements") {
  check_violated(kLoops, "ltl p { <>[] (x == 1) }");
  check_violated(kLoops, "ltl p { [] !go }");
  check_violated(kLoops, "ltl p { [] (x == 0 -> [] (x == 0)) }");
  check_violated(kDead, "ltl p { <>[] (x == 0) }");
  check_violated(kStops, "ltl p { []<> (x == 0) }");
  check_violated(kStops, "ltl p { [] (x == 0 U x == 2) }");
}

TEST_CASE("restored runs: a claim that moves more often beside single statements finds the same error") {
  // Behind the first x == 1 the claim ends, or goes round, or fails: as often as the state is repeated.
  check_violated(kLoops, "never { do :: x == 0 :: x == 1 -> break od }");
  check_violated(kLoops, "never { do :: x == 0 :: assert(x == 0) od }");
  check_violated(kLoops, "never { do :: true :: x == 1 -> break :: x == 1 -> assert(x != 1) od }");
  check_violated(kLoops, "never { accept: do :: x < 2 :: x == 1 -> goto accept od }");
  check_violated(kStops, "never { do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }");
}

TEST_CASE("restored runs: formulas that hold in all runs hold in a search with merged steps") {
  for (const char* formula : {"[]<> (x == 1)", "[] (x == 0 -> <> (x == 1))", "[] (x < 2)"}) {
    CHECK(search(product_of(std::string(kLoops) + "ltl p { " + formula + " }")).error_count == 0);
  }
}

TEST_CASE("restored runs: what sees local steps forbids to merge them") {
  const auto allowed = [](const std::string& formula, const std::string& label = "") {
    return !obstacle_to_stuttering(
        product_of("byte x; active proctype P() { " + label + " do :: x = 1 - x od }\nltl p { " + formula + " }"));
  };
  CHECK(allowed("[]<> (x == 1)"));
  CHECK_FALSE(allowed("[] (x == 1 -> X (x == 0))"));
  CHECK_FALSE(allowed("[]<> (x == 1)", "accept_a:"));
  CHECK_FALSE(allowed("[]<> timeout"));
  CHECK_FALSE(allowed("[]<> np_"));
}

}  // namespace
}  // namespace cmc
