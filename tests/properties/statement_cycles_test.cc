#include <array>

#include "checker/generator/product_generator.h"
#include "checker/properties/properties.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Cycles among states that lie inside atomic sequences (step mode `statement`). There the claim stands still, so that
// such a state is not accepting, unless the process that holds atomicity cannot move.

namespace cmc {
namespace {

using test::compile_text;

Model acceptance_product_of(const std::string& text) {
  const Model model = compile_text(text);
  for (const PropertyEntry& entry : properties_of(model)) {
    if (entry.kind != PropertyKind::kAcceptanceCycle && entry.kind != PropertyKind::kNeverClaim) continue;
    Result<Model> product = make_product(model, entry);
    REQUIRE(product.ok());
    return std::move(product).value();
  }
  FAIL("there is no label or claim");
  return model;
}

SearchResult search(const Model& product, CycleAlgorithm cycles, Fairness fairness, uint32_t threads) {
  SearchOptions options;
  options.check_end_states = false;
  options.only_observers = true;
  options.find_cycles = true;
  options.cycles = cycles;
  options.fairness = fairness;
  options.threads = threads;
  const auto result = run_key_search(
      product, [&] { return make_product_generator(make_vm_generator(product), product); }, options);
  REQUIRE(result);
  return *result;
}

void check_all(const std::string& text, bool violated) {
  CAPTURE(text);
  const Model product = acceptance_product_of(text);
  struct Way {
    CycleAlgorithm cycles;
    Fairness fairness;
    uint32_t threads;
  };
  const std::array<Way, 6> ways = {{{CycleAlgorithm::kNdfs, Fairness::kNone, 1},
                                    {CycleAlgorithm::kNdfs, Fairness::kNone, 3},
                                    {CycleAlgorithm::kHull, Fairness::kNone, 1},
                                    {CycleAlgorithm::kHull, Fairness::kNone, 2},
                                    {CycleAlgorithm::kHull, Fairness::kWeak, 1},
                                    {CycleAlgorithm::kAuto, Fairness::kWeak, 1}}};
  for (const auto& [cycles, fairness, threads] : ways) {
    CAPTURE(static_cast<int>(cycles), static_cast<int>(fairness), threads);
    const SearchResult result = search(product, cycles, fairness, threads);
    CHECK(result.reasons.empty());
    CHECK(result.error_count == (violated ? 1 : 0));
    if (result.errors.empty()) continue;
    const auto referee = make_referee(product, nullptr);
    CHECK(verify_error(result.errors.front(), *referee, {&product, fairness}).empty());
  }
}

const std::string kAlways = "never { accept: do :: true od }";

TEST_CASE("statement cycles: a label inside an atomic sequence does not accept a run that only passes it") {
  check_all("byte x; active proctype P() { do :: atomic { x = 1; accept: x = 2; x = 0 } od }", false);
}

TEST_CASE("statement cycles: a label inside an atomic sequence accepts a run that is interrupted there") {
  check_all(
      "byte x; active proctype P() { do :: atomic { x = 1; accept: (x == 0) } od }\n"
      "active proctype Q() { do :: x == 1 -> x = 0 od }",
      true);
}

TEST_CASE("statement cycles: an atomic sequence that never ends is no run of the claim") {
  check_all("byte x; active proctype P() { x = 1; atomic { do :: x = 3 - x od } }" + kAlways, false);
}

TEST_CASE("statement cycles: a cycle is found behind an atomic sequence that goes round") {
  check_all("byte x; active proctype P() { do :: atomic { do :: x = 1 - x :: break od }; x = 0 od }" + kAlways, true);
  // One of these searches leaves V before it comes to the state S, from which a step leads back to V.
  for (const char* options : {":: x = 0; goto V :: x = 0", ":: x = 0 :: x = 0; goto V"}) {
    check_all(std::string("byte x; active proctype P() { atomic { x = 0; goto R };\n"
                          "S: atomic { x = 0; V: x = 0; R: if ") +
                  options + " fi }; goto S }" + kAlways,
              true);
  }
}

TEST_CASE("statement cycles: a process can move although another one is inside an atomic sequence") {
  const std::string text =
      "byte x;\n"
      "active proctype P() { do :: x < 3 -> atomic { x = 1; x = 0 } od }\n"
      "active proctype Q() { x != 1 -> x = 5 }\n";
  // Where a receive leads back to its own location, keys do not tell who took part in a step.
  for (const char* more : {"", "chan q = [0] of { byte }; active proctype R() { do :: q?_ od }\n"}) {
    const Model product = acceptance_product_of(text + more + "never { accept: do :: x < 3 od }");
    CHECK(search(product, CycleAlgorithm::kHull, Fairness::kNone, 1).error_count == 1);
    CHECK(search(product, CycleAlgorithm::kHull, Fairness::kWeak, 1).error_count == 0);
    CHECK(search(product, CycleAlgorithm::kAuto, Fairness::kWeak, 1).error_count == 0);
  }
}

}  // namespace
}  // namespace cmc
