#include "checker/generator/wrappers/spin_steps.h"
#include "checker/search/key_search.h"
#include "tests/reference/observed.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

TEST_CASE("trace: a model with a trace has the counts of SPIN") {
  for (const ObserverCase& each : kTraceCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    const auto reference = make_reference_generator(model, nullptr, ReferenceSteps::kSpin);
    const Counts counts = count(*reference);
    CHECK(counts.states == each.states);
    CHECK(counts.transitions == each.transitions);
    CHECK(counts.errors == each.errors);
  }
}

TEST_CASE("trace: VM and reference interpreter move it alike") {
  for (const ObserverCase& each : kTraceCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    Explorer explorer(model);
    static_cast<void>(explorer.explore());
  }
}

TEST_CASE("trace: a memoised step moves it") {
  for (const ObserverCase& each : kTraceCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    SearchOptions options;
    options.max_errors = 0;
    options.check_end_states = false;
    const std::optional<SearchResult> result = run_key_search(
        model, [&] { return close_atomic_chains(make_vm_generator(model), model); }, options);
    REQUIRE(result.has_value());
    CHECK(result->states_stored == each.states);
    CHECK(result->transitions == each.transitions);
    CHECK((result->error_count > 0) == !each.errors.empty());
  }
}

std::set<RuntimeErrorKind> errors_of(const std::string& text) {
  const Model model = observed(text);
  return count(*checked_vm(model)).errors;
}

TEST_CASE("trace: a send that nobody receives does not move it") {
  CHECK(errors_of("chan q=[0] of {byte}; active proctype S() { q!1 } trace { q!2 }").empty());
}

TEST_CASE("trace: one that allows an event in two ways is refused") {
  CHECK(errors_of("chan q=[2] of {byte}; active proctype S() { q!1 } trace { if :: q!1 :: q!_; q!2 fi }") ==
        std::set{RuntimeErrorKind::kNondeterminism});
}

TEST_CASE("trace: an error in one of its expressions cuts the step") {
  CHECK(errors_of("chan q=[2] of {byte}; byte i; active proctype S() { q!1; byte x; q?x } trace { q?eval(1/i) }") ==
        std::set{RuntimeErrorKind::kDivisionByZero});
  CHECK(errors_of("chan q=[0] of {byte}; byte i; active proctype S() { q!1 } active proctype R() { q?1 } "
                  "trace { q?eval(1/i) }") == std::set{RuntimeErrorKind::kDivisionByZero});
}

// A system that can end where its trace cannot is wrong, unless all processes have ended (as SPIN has it).
TEST_CASE("trace: whether a system may end depends on where it is") {
  const auto invalid_ends = [](const std::string& receiver, const std::string& trace) {
    const Model model = observed("chan q=[2] of {byte}; active proctype S() { q!1; q!2 } " + receiver + trace);
    return Explorer(model).explore().invalid_ends;
  };
  const std::string stays = "active proctype R() { byte m; end: do :: q?m od } ";
  const std::string ends = "active proctype R() { byte m; q?m; q?m } ";
  CHECK(invalid_ends(stays, "trace { q!1; q!2 }") == 0);
  CHECK(invalid_ends(stays, "trace { q!1; q!2; q!3 }") == 1);
  CHECK(invalid_ends(stays, "trace { do :: q!1; q!2 od }") == 1);
  CHECK(invalid_ends(stays, "trace { end: do :: q!1; q!2 od }") == 0);
  CHECK(invalid_ends(ends, "trace { q!1; q!2; q!3 }") == 0);
  CHECK(invalid_ends(stays, "notrace { q!1; q!2; q!3 }") == 0);
}

}  // namespace
}  // namespace cmc::test
