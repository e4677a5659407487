#include "checker/properties/atom_watcher.h"

#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/properties/decide.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Warnings about atoms that are never true.

namespace cmc {
namespace {

std::vector<std::string> warnings(const std::string& formula) {
  const Model model = test::compile_text(
      "bool req, ack, broken; byte x;\n"
      "active proctype P() { do :: x < 3 -> x++ :: else -> x = 0; ack = !ack od }\n"
      "ltl p { " +
      formula + " }");
  std::vector<PropertyEntry> entries = properties_of(model);
  std::erase_if(entries, [](const PropertyEntry& entry) { return entry.kind != PropertyKind::kLtl; });
  const auto results = decide_properties(
      model, entries, {}, [](const PropertyEntry&, const Model& product, const SearchOptions& each) {
        return *run_key_search(
            product,
            [&] { return make_product_generator(close_atomic_chains(make_vm_generator(product), product), product); },
            each);
      });
  CHECK(results.front().result.verdict() == Verdict::kHolds);
  return results.front().warnings;
}

TEST_CASE("atom watcher: a formula that holds because an atom is never true has a warning") {
  CHECK(warnings("[] (req -> <> ack)") == std::vector<std::string>{"'req' is never true"});
  CHECK(warnings("[]<> (x == 1 || req)").size() == 1);
  CHECK(warnings("[] !(broken && req)").size() == 2);
}

TEST_CASE("atom watcher: a formula that says that an atom is never true has none") {
  CHECK(warnings("[] !broken").empty());
  CHECK(warnings("[] !(x == 0 && x == 1)").empty());
  CHECK(warnings("[]<> (x == 1)").empty());
  CHECK(warnings("[] (x == 3 -> <> (x == 0))").empty());
}

}  // namespace
}  // namespace cmc
