#include <atomic>
#include <string>

#include "checker/generator/product_generator.h"
#include "checker/generator/stepper.h"
#include "checker/generator/wrappers/checked.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "checker/vm/machine.h"
#include "ir/product.h"
#include "promela/compile.h"
#include "tests/generator/explore.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Steppers with a mistake in them, compared with the reference interpreter as `--check-generator` does it.

namespace cmc::test {
namespace {

struct AscendingReceivers : SpinRules {
  static constexpr uint32_t receiver(uint32_t left, uint32_t processes) { return processes - left; }
};
struct EqualPrecedence : SpinRules {
  static constexpr bool takes_precedence(uint8_t other_priority, uint8_t priority) {
    return other_priority >= priority;
  }
};
struct TimeoutAlways : SpinRules {
  static constexpr bool has_timeout(bool) { return true; }
};
struct ClaimElseAlways : SpinRules {
  static constexpr bool may_take_else(bool) { return true; }
};
struct TraceOutsideBlocks : SpinRules {
  static constexpr bool kTraceInBlock = false;
};

// A claim or trace of the text runs.
template <class Rules>
std::string first_difference(const std::string& text) {
  Model model = compile_text(text);
  if (!model.claims.empty()) {
    const bool never = model.properties.at(0).kind == Property::Kind::kNeverClaim;
    model = with_observers(model, never ? 0 : kNoClaim, never ? kNoClaim : 0);
  }
  std::string difference;
  std::unique_ptr<SuccessorGenerator> generator =
      make_checked_generator(std::make_unique<Stepper<vm::VmMachine, Rules>>(model, nullptr),
                             make_reference_generator(model), [&](const std::string& found) {
                               if (difference.empty()) difference = found;
                             });
  if (model.claim.exists()) generator = make_product_generator(std::move(generator), model);
  Explorer explorer(model, std::move(generator));
  static_cast<void>(explorer.explore(1000));
  return difference;
}

TEST_CASE("mistakes: every mistake in the Stepper is found by the comparison with the reference") {
  const std::string rendezvous = R"(
    chan q = [0] of { byte };
    active [2] proctype R() { byte x; q?x }
    active proctype S() { q!1; q!2 })";
  CHECK(first_difference<SpinRules>(rendezvous).empty());
  CHECK(first_difference<AscendingReceivers>(rendezvous).find("steps [pid 2 at 1 edge 0 with pid 0") !=
        std::string::npos);

  const std::string priority = R"(
    byte x;
    active [2] proctype P() priority 3 { x++; set_priority(_pid, 1); x++ })";
  CHECK(first_difference<SpinRules>(priority).empty());
  CHECK(first_difference<EqualPrecedence>(priority).find("successors, expected") != std::string::npos);

  const std::string timeout = R"(
    byte x;
    active proctype P() { do :: x < 2 -> x++ :: timeout -> break od }
    active proctype Q() { x == 2 })";
  CHECK(first_difference<SpinRules>(timeout).empty());
  CHECK(first_difference<TimeoutAlways>(timeout).find("(timeout)") != std::string::npos);

  const std::string claim = R"(
    byte x;
    active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
    never { do :: x == 1 :: else od })";
  CHECK(first_difference<SpinRules>(claim).empty());
  CHECK(first_difference<ClaimElseAlways>(claim).find("claim in state") != std::string::npos);

  const std::string trace = R"(
    chan q = [2] of { byte };
    active proctype P() { d_step { q!1; q!2 } }
    trace { q!1; q!2 })";
  CHECK(first_difference<SpinRules>(trace).empty());
  CHECK(first_difference<TraceOutsideBlocks>(trace).find("successor 0") != std::string::npos);
}

TEST_CASE("mistakes: a sequence that the reference follows in part only is no difference, but is said") {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  const auto model = promela::compile(sources, sources.add("model.pml", R"(
    int i; byte x;
    active proctype P() {
      atomic { if :: x = 1 :: x = 2 fi; do :: i < 30000 -> i++ :: i == 30000 -> break od }
    }
    active proctype Q() { x = 3 })"),
                                      {}, diagnostics);
  REQUIRE(model.has_value());
  const auto compare = [&](uint8_t spoiled, std::atomic<uint64_t>& cut) {
    const auto spin = [&] { return close_atomic_chains(make_vm_generator(*model), *model); };
    SuccessorBatch got;
    SuccessorBatch expected;
    const auto vm = spin();
    const auto reference = make_reference_generator(*model, nullptr, ReferenceSteps::kSpin, &cut);
    vm->initial(got);
    const Bytes initial = Explorer::copy(got, 0);
    got.clear();
    vm->successors(initial, got);
    reference->successors(initial, expected);
    CHECK(expected.stopped);
    got.bytes[got.entries[spoiled].offset + model->last_offset()] = std::byte{7};
    return describe_difference(got, expected);
  };
  std::atomic<uint64_t> cut{0};
  CHECK(compare(0, cut).find("successor 0") != std::string::npos);  // of Q
  CHECK(compare(1, cut).empty());                                   // behind the cut
  CHECK(cut == 2);
}

}  // namespace
}  // namespace cmc::test
