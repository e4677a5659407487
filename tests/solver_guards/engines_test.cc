#include "tests/solver_guards/engines.h"

#include "ir/validate.h"
#include "tests/solver_guards/texts.h"

namespace cmc::test {
namespace {

TEST_CASE("solver guards: engines agree on them") {
  for (const GuardText& each : kTexts) {
    INFO(each.name << "\n" << each.text);
    const Model model = compile_s(each.text);
    CHECK(validate(model) == std::vector<std::string>{});
    const Found found = run_all(model);
    INFO(found);
    CHECK(found.states == each.states);
    CHECK(found.transitions == each.transitions);
  }
}

}  // namespace
}  // namespace cmc::test
