#include "checker/properties/formula_check.h"

#include "checker/generator/product_generator.h"
#include "checker/properties/properties.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Counterexamples to formulas are confirmed by the formula itself.

namespace cmc {
namespace {

using test::compile_text;

// How many of the first counterexamples that searches for the formula find are confirmed: 0 or 1.
uint64_t confirmed(const std::string& text) {
  const Model model = compile_text(text);
  for (const PropertyEntry& entry : properties_of(model)) {
    if (entry.kind != PropertyKind::kLtl) continue;
    const Result<Model> product = make_product(model, entry);
    REQUIRE(product.ok());
    const Model& made = product.value();
    SearchOptions options;
    options.check_end_states = false;
    options.only_observers = true;
    options.find_cycles = true;
    options.threads = 1;
    const auto make = [&] { return make_product_generator(make_vm_generator(made), made); };
    auto result = run_key_search(made, make, options);
    REQUIRE(result);
    REQUIRE(result->error_count == 1);
    verify_formulas(made, *result, *make_referee(made, nullptr));
    return result->error_count;
  }
  FAIL("there is no formula");
  return 0;
}

TEST_CASE("formula check: np_ is 0 from the second move of the claim at a blocked system") {
  const std::string ends = "byte x; active proctype P() { x = 1; x = 2 }\n";
  const std::string waits = "byte x; active proctype P() { x = 1; x = 2; x == 1 }\n";
  for (const std::string& model : {ends, waits}) {
    CAPTURE(model);
    CHECK(confirmed(model + "ltl f { [] np_ }") == 1);
    CHECK(confirmed(model + "ltl f { [] (np_ || x < 2) }") == 1);
    CHECK(confirmed(model + "ltl f { []<> np_ }") == 1);
    CHECK(confirmed(model + "ltl f { [] (x == 2 -> [] np_) }") == 1);
  }
  CHECK(confirmed("byte x; active proctype P() { x = 1; progress: x = 2; x = 0 }\nltl f { [] (np_ || x != 1) }") ==
        1);
}

}  // namespace
}  // namespace cmc
