#include "checker/generator/wrappers/spin_steps.h"
#include "ir/validate.h"
#include "promela/compile.h"
#include "tests/generator/explore.h"
#include "tests/generator/spin_cases.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

Model compile_case(const SpinCase& c) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  auto model = promela::compile(sources, sources.add(c.name, c.text), {.validate = true}, diagnostics);
  INFO(c.name << "\n" << diagnostics.render(false));
  REQUIRE(model.has_value());
  for (const std::string& problem : validate(*model)) FAIL_CHECK(problem);
  return std::move(*model);
}

TEST_CASE("counts: small models have the counts of SPIN") {
  for (const SpinCase& c : kSpinCases) {
    const Model model = compile_case(c);
    INFO(c.name);
    Explorer explorer(model, close_atomic_chains(make_reference_generator(model), model));
    const Explorer::Counts counts = explorer.explore();
    CHECK(counts.states == c.states);
    CHECK(counts.transitions == c.transitions);
    CHECK(counts.errors.size() == c.errors);
  }
}

}  // namespace
}  // namespace cmc::test
