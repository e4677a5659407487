#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/reference/observer_cases.h"
#include "tests/support/compile.h"
#include "tests/support/products.h"

#include "tests/catch.h"

// What SPIN 6.5.2's verifier counts for products and says of cycles, in every engine.

namespace cmc::test {
namespace {

std::unique_ptr<SuccessorGenerator> vm_product(const Model& model) {
  auto system = close_atomic_chains(make_vm_generator(model), model);
  return model.claim.exists() ? make_product_generator(std::move(system), model) : std::move(system);
}

std::unique_ptr<SuccessorGenerator> reference_product(const Model& model) {
  if (!model.claim.exists()) return make_reference_generator(model, nullptr, ReferenceSteps::kSpin);
  return std::make_unique<ProductWithProcesses>(make_reference_product(model, nullptr, ReferenceSteps::kSpin),
                                                make_reference_generator(model, nullptr, ReferenceSteps::kSpin));
}

struct ClaimEngine {
  const char* name;
  std::function<std::optional<SearchResult>(const Model&, const SearchOptions&)> run;
};

const std::vector<ClaimEngine>& engines() {
  static const auto fast = [](uint32_t threads, CycleAlgorithm cycles = CycleAlgorithm::kAuto) {
    return [threads, cycles](const Model& model, SearchOptions options) {
      options.threads = threads;
      options.cycles = cycles;
      return run_key_search(
          model, [&] { return vm_product(model); }, options);
    };
  };
  static const std::vector<ClaimEngine> all = {
      {"simple, virtual machine",
       [](const Model& model, const SearchOptions& options) {
         return run_search(*vm_product(model), model, options);
       }},
      {"simple, reference interpreter",
       [](const Model& model, const SearchOptions& options) {
         return run_search(*reference_product(model), model, options);
       }},
      {"fast", fast(1)},
      {"fast, two threads", fast(2)},
      {"hull", fast(1, CycleAlgorithm::kHull)},
      {"hull, two threads", fast(2, CycleAlgorithm::kHull)},
  };
  return all;
}

Model with_claim(const std::string& text) {
  const Model model = compile_text(text);
  const auto never = std::ranges::find_if(
      model.properties, [](const Property& property) { return property.kind == Property::Kind::kNeverClaim; });
  REQUIRE(never != model.properties.end());
  return with_observers(model, never->claim);
}

Model with_true_claim(const std::string& text) {
  Model model = compile_text(text);
  const uint32_t claim = add_true_claim(model);
  return with_observers(model, claim);
}

Model with_non_progress_claim(const std::string& text) {
  Model model = compile_text(text);
  const uint32_t claim = add_non_progress_claim(model);
  return with_observers(model, claim);
}

// Each value of x is in an offer that nobody takes, whose half of the handshake is remembered now and then only: in
// the search for cycles some are for the first time, and their contents need not fit the fields of keys.
TEST_CASE("claim values: what was explored is not too narrow for the search for cycles") {
  for (const int values : {30250, 30500, 30750, 31000}) {
    const Model model = with_claim(
        "chan z = [0] of { int }; bit p; active proctype S() { int x; do :: x = (x + 1) % " + std::to_string(values) +
        "; if :: z ! x -> assert(x >= 0) :: skip fi od } active proctype R() { int y; p == 1; z ? y } "
        "never { wait: if :: p == 0 -> goto wait :: p == 1 -> goto accept fi; accept: goto wait }");
    for (const ClaimEngine& engine : engines()) {
      INFO(values << " values, " << engine.name);
      SearchOptions options;
      options.find_cycles = true;
      const std::optional<SearchResult> result = engine.run(model, options);
      REQUIRE(result);
      CHECK(result->states_stored == 2 * static_cast<uint64_t>(values));
      CHECK(result->error_count == 0);
      CHECK(result->all_expanded);
      CHECK(result->reasons.empty());
    }
  }
}

TEST_CASE("claim values: products have the states and transitions that SPIN's verifier counts") {
  for (const ObserverCase& each : kClaimCases) {
    const Model model = with_claim(each.text());
    for (const ClaimEngine& engine : engines()) {
      INFO(each.name << ", " << engine.name);
      SearchOptions options;
      options.max_errors = 0;
      const std::optional<SearchResult> result = engine.run(model, options);
      REQUIRE(result);
      const bool apart = each.apart.states > 0;
      CHECK(result->states_stored == (apart ? each.apart.states : each.states));
      CHECK(result->transitions == (apart ? each.apart.transitions : each.transitions));
      std::set<RuntimeErrorKind> errors;
      for (const FoundError& error : result->errors) errors.insert(error.kind.runtime);
      CHECK(errors == each.errors);
    }
    INFO(each.name << ", blocked states merged");
    StutterOfSpin merged(vm_product(model), model);
    SearchOptions options;
    options.max_errors = 0;
    options.max_trails = 0;
    const SearchResult result = run_search(merged, StutterOfSpin::model_of(model), options);
    CHECK(result.states_stored == each.states);
    CHECK(result.transitions == each.transitions);
  }
}

// As `pan -a -c0`, which finds "end state in claim reached" at depth 0 in all of them.
TEST_CASE("claim values: a claim that begins at its end is violated") {
  struct Case {
    const char* claim;
    uint64_t states;
    uint64_t transitions;
  };
  for (const Case& each : {Case{"never { end: x == 5 }", 1, 0}, Case{"never { byte c }", 1, 0},
                           Case{"never { end: x == 0; x == 7 }", 2, 1}}) {
    const Model model = with_claim("byte x; active proctype P() { x = 1; x = 2 }\n" + std::string(each.claim));
    for (const ClaimEngine& engine : engines()) {
      INFO(each.claim << ", " << engine.name);
      SearchOptions options;
      options.max_errors = 0;
      const std::optional<SearchResult> result = engine.run(model, options);
      REQUIRE(result);
      CHECK(result->states_stored == each.states);
      CHECK(result->transitions == each.transitions);
      REQUIRE(result->error_count == 1);
      CHECK(result->errors.front().kind == ErrorKind{{}, RuntimeErrorKind::kClaimEnd});
      CHECK(result->errors.front().path.empty());
    }
  }
}

// As `pan -c0` but for the notrace, where it finds an invalid end state, too.
TEST_CASE("claim values: a system at a valid end is stuck if its trace is not at one") {
  const std::string sends = "chan q=[2] of {byte}; active proctype S() { q!1; q!2 }\n";
  const std::string stays = "active proctype R() { byte m; end: do :: q?m od }\n";
  const std::string ends = "active proctype R() { byte m; q?m; q?m }\n";
  const auto check = [](const std::string& text, uint64_t errors) {
    const Model plain = compile_text(text);
    const Model model = with_observers(plain, kNoClaim, plain.properties.front().claim);
    for (const ClaimEngine& engine : engines()) {
      INFO(text << engine.name);
      SearchOptions options;
      options.max_errors = 0;
      const std::optional<SearchResult> result = engine.run(model, options);
      REQUIRE(result);
      CHECK(result->error_count == errors);
    }
  };
  check(sends + stays + "trace { q!1; q!2 }", 0);
  check(sends + stays + "trace { q!1; q!2; q!3 }", 1);
  check(sends + stays + "trace { do :: q!1; q!2 od }", 1);
  check(sends + stays + "trace { end: do :: q!1; q!2 od }", 0);
  check(sends + ends + "trace { q!1; q!2; q!3 }", 0);
  check(sends + stays + "notrace { q!1; q!2; q!3 }", 0);
}

void check_cycles(const char* name, const Model& model, bool cycle, bool fair_cycle) {
  const auto judge = reference_product(model);
  for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
    for (const ClaimEngine& engine : engines()) {
      INFO(name << ", " << engine.name << (fairness == Fairness::kWeak ? ", weak fairness" : ""));
      SearchOptions options;
      options.find_cycles = true;
      options.fairness = fairness;
      options.max_errors = 0;
      const std::optional<SearchResult> result = engine.run(model, options);
      REQUIRE(result);
      const auto found = std::ranges::find_if(result->errors, [](const FoundError& error) {
        return error.kind.error_class == ErrorKind::Class::kAcceptanceCycle;
      });
      CHECK((found != result->errors.end()) == (fairness == Fairness::kWeak ? fair_cycle : cycle));
      if (found != result->errors.end()) CHECK(lasso_fault(*judge, model, *found, fairness) == "");
    }
  }
}

// One thread finds a cycle soon, which is one.
void check_found_soon(const Model& model, Fairness fairness = Fairness::kNone) {
  SearchOptions options;
  options.find_cycles = true;
  options.fairness = fairness;
  const std::optional<SearchResult> result = run_key_search(
      model, [&] { return vm_product(model); }, options);
  REQUIRE(result);
  REQUIRE(result->errors.size() == 1);
  CHECK(lasso_fault(*reference_product(model), model, result->errors[0], fairness) == "");
  CHECK(result->states_stored < 100'000);
}

// The claim may wait; a search that lets it leave in the first states searches all that is behind them in vain.
TEST_CASE("claim values: weakly fair cycles are found soon, in whatever order the claim has its edges") {
  const std::string lock =
      "bool free[3] = {true, false}; byte next; active [3] proctype Worker() { byte slot; do :: d_step { slot = "
      "next; next++ }; free[slot % 3]; free[slot % 3] = false; cs: skip; free[(slot + 1) % 3] = true od }\n";
  const std::string waits = ":: true ";
  const std::string leaves = ":: !Worker[0]@cs -> goto accept ";
  for (const std::string& edges : {waits + leaves, leaves + waits}) {
    INFO(edges);
    check_found_soon(with_claim(lock + "never { do " + edges + "od; accept: do :: !Worker[0]@cs od }"),
                     Fairness::kWeak);
  }
}

// Behind the first move nothing can be accepted, but there are 1,000,000 states.
TEST_CASE("claim values: cycles are found soon by one thread, in whatever order the claim has its edges") {
  const std::string counters =
      "bool moved; active [3] proctype Counter() { byte n; do :: n = (n + 1) % 100 od } active proctype First() { "
      "moved = true }\n";
  const std::string waits = ":: true ";
  const std::string leaves = ":: !moved -> goto accept ";
  for (const std::string& edges : {waits + leaves, leaves + waits}) {
    INFO(edges);
    check_found_soon(with_claim(counters + "never { do " + edges + "od; accept: do :: !moved od }"));
  }
}

// Who follows the clock, the last process, as far as it goes does not come back.
TEST_CASE("claim values: cycles beside a clock that never stops are found by one thread") {
  check_found_soon(with_claim(
      "int ticks; byte place; active proctype Robot() { do :: place < 20 -> place++ :: place > 0 -> place-- :: ticks "
      "< 0 -> place = 0 od } active proctype Clock() { do :: ticks++ od }\n never { do :: true :: place != 0 -> goto "
      "accept od; accept: do :: place != 0 od }"));
}

struct SpinVerdict {
  std::string name;
  bool cycle;
  bool fair_cycle;
};

TEST_CASE("claim values: products have the cycles that SPIN's verifier finds") {
  // All others have none.
  const std::vector<SpinVerdict> cyclic = {
      {"n1", true, false},
      {"d2", true, true},
      {"d5", true, true},
      {"t4", true, true},
      {"r3", true, false},
      {"r7b", true, false},
      {"s1", true, true},
      {"an atomic sequence that a rendezvous enters and that blocks", true, true},
      {"unless in a claim", true, true},
  };
  for (const ObserverCase& each : kClaimCases) {
    const auto verdict = std::ranges::find(cyclic, each.name, &SpinVerdict::name);
    const bool known = verdict != cyclic.end();
    check_cycles(each.name, with_claim(each.text()), known && verdict->cycle, known && verdict->fair_cycle);
  }
}

TEST_CASE("claim values: formulas have the verdicts of SPIN, as its claims") {
  const std::string two = "bool a, b; active proctype P() { do :: a=!a od } active proctype Q() { do :: b=!b od }\n";
  const std::string go =
      "bool go, a; active proctype P() { do :: go=!go od } active proctype Q() { do :: go -> a=!a od }\n";
  const auto always = [](const std::string& p) {  // eventually
    return "never { T0: do :: " + p + " -> goto accept_s :: true od; accept_s: do :: " + p + " od }";
  };
  check_cycles("[]<> b", with_claim(two + always("!b")), true, false);
  check_cycles("[]<> (a && b)", with_claim(two + always("!(a && b)")), true, true);
  check_cycles(
      "<>[] !b",
      with_claim(two + "never { T0: do :: b -> goto accept_s :: true od; accept_s: do :: true -> goto T0 od }"), true,
      true);
  check_cycles("[] (a -> <> b)",
               with_claim(two + "never { T0: do :: a && !b -> goto accept_s :: true od; accept_s: do :: !b od }"),
               true, false);
  check_cycles("[]<> a", with_claim(go + always("!a")), true, true);
}

TEST_CASE("claim values: cycles through accept labels are found") {
  const std::string other = "active proctype Q() { byte y; do :: y=1-y od }\n";
  check_cycles("a0",
               with_true_claim("byte x; active proctype P() { do :: x<3 -> x++ :: x==3 -> accept: x=0 od }" + other),
               true, true);
  check_cycles("a blocked state", with_true_claim("byte x; active proctype P() { x=1; accept: x==2 }"), true, true);
  check_cycles("a label that is passed once", with_true_claim("byte x; active proctype P() { accept: x=1 }" + other),
               true, false);
  check_cycles("no label", with_true_claim("byte x; active proctype P() { do :: x=1-x od }"), false, false);
}

// Each state may be the one behind which there is no progress. SPIN's verifier, too, tries that before it goes on;
// else the count would come first.
TEST_CASE("claim values: cycles without progress are looked for as soon as they can begin") {
  const Model model = with_non_progress_claim(
      "int x; active proctype Count() { do :: x < 100000 -> x++; progress: skip od }"
      "active proctype Idle() { bit y; do :: y = 1 - y od }");
  SearchOptions options;
  options.find_cycles = true;
  options.max_errors = 1;
  options.threads = 1;
  const auto result = run_key_search(
      model, [&] { return vm_product(model); }, options);
  REQUIRE(result);
  CHECK(result->error_count == 1);
  CHECK(result->states_stored < 10);
}

// Only the process says which of two steps from one state to one state it is. `pan -l -f` and `pan -a -f` find both.
TEST_CASE("claim values: steps of several processes that change nothing make a loop fair") {
  check_cycles("three idle processes",
               with_non_progress_claim("bool p=1; active [3] proctype B() { byte y; do :: y=0 od }"
                                       "active proctype A() { do :: p=0 od }"),
               true, true);
  check_cycles("one of them accepts",
               with_true_claim("bool a; active [2] proctype P() { do :: a=0 od }"
                               "active proctype R() { do :: a=0; accept: a=0 od }"),
               true, true);
}

TEST_CASE("claim values: cycles without progress are found") {
  const Model model = with_non_progress_claim(kProgress);
  check_cycles("p0", model, true, false);
  check_cycles("a blocked state is progress", with_non_progress_claim("byte x; active proctype P() { x=1; x==2 }"),
               false, false);
  check_cycles("no label", with_non_progress_claim("byte x; active proctype P() { do :: x=1-x od }"), true, true);
  for (const ClaimEngine& engine : engines()) {
    INFO(engine.name);
    const std::optional<SearchResult> result = engine.run(model, {});
    REQUIRE(result);
    CHECK(result->states_stored == 32);
    CHECK(result->transitions == 88);  // SPIN's verifier has 96 without -l, because np_ is always 1 then
  }
}

}  // namespace
}  // namespace cmc::test
