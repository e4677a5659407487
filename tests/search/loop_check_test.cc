#include "checker/result/loop_check.h"

#include <string>
#include <vector>

#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "ir/product.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

constexpr const char* kTwo =
    "byte x; hidden byte h; active proctype P() { do :: x=1-x; h++ od } "
    "active proctype Q() { byte y; do :: y=1-y od } ";

// A run of a model beside its claim, by who moves; kNoProcess: only the claim.
struct Run {
  Run(const std::string& text, const std::vector<uint8_t>& movers)
      : system(compile_text(text)), model(with_observers(system, 0)), product(make_reference_product(model)) {
    SuccessorBatch batch;
    product->initial(batch);
    Bytes state = batch.bytes;
    error.kind = ErrorKind::acceptance_cycle();
    error.has_path = true;
    for (const uint8_t mover : movers) {
      batch.clear();
      product->successors(state, batch);
      bool found = false;
      for (size_t i = 0; i < batch.entries.size() && !found; ++i) {
        const SuccessorBatch::Entry& entry = batch.entries[i];
        const auto begin = batch.steps.begin() + entry.path_begin;
        if ((begin + entry.path_count - 1)->pid != mover) continue;
        begins.push_back(error.path.size());
        error.path.insert(error.path.end(), begin, begin + entry.path_count);
        state = Bytes(batch.state(entry).begin(), batch.state(entry).end());
        found = true;
      }
      REQUIRE(found);
    }
  }
  // `loop`: the number of the mover with which the loop begins.
  [[nodiscard]] std::string check(size_t loop, Fairness fairness = Fairness::kNone) {
    error.loop_start = begins.at(loop);
    return verify_error(error, *product, {&model, fairness});
  }

  Model system;
  Model model;
  std::unique_ptr<SuccessorGenerator> product;
  FoundError error;
  std::vector<size_t> begins;  // by mover: the first of its steps in the path
};

const std::string kAccepting = "never { accept: do :: true od }";
const std::string kTrue = "never { do :: true od }";

TEST_CASE("loop check: a loop that is open, empty, or begins where none can is refused") {
  Run run(kTwo + kAccepting, {0, 0, 0, 0, 1});
  run.error.path.pop_back();
  run.error.path.pop_back();
  CHECK(run.check(0).empty());  // h differs, which is hidden
  CHECK(run.check(2) == "the loop does not lead back to its first state");
  run.error.loop_start = 1;
  CHECK(verify_error(run.error, *run.product, {&run.model, {}}) ==
        "the loop begins in the middle of a step of the product");
  run.error.loop_start = run.error.path.size();
  CHECK(verify_error(run.error, *run.product, {&run.model, {}}) == "the loop has no steps");
  run.error.loop_start = 0;
  run.error.path[0].edge = 7;
  CHECK(!verify_error(run.error, *run.product, {&run.model, {}}).empty());
}

TEST_CASE("loop check: a loop that does not fit the kind of its error is refused") {
  Run run(kTwo + kAccepting, {0, 0, 0, 0});
  run.error.kind = ErrorKind{{}, RuntimeErrorKind::kAssertion};
  CHECK(!run.check(0).empty());
  run.error.kind = ErrorKind::acceptance_cycle();
  CHECK(!verify_error(run.error, *run.product, {&run.system, {}}).empty());
}

TEST_CASE("loop check: a loop without an accepting state is refused") {
  CHECK(Run(kTwo + kTrue, {1, 1}).check(0) == "no state of the loop is accepting");
  const std::string label = "byte x; active proctype P() { do :: x<2 -> x++ :: x==2 -> accept: x=1 od } ";
  CHECK(Run(label + kTrue, {0, 0, 0, 0, 0, 0, 0, 0}).check(4).empty());
  // Nobody sees the states inside an atomic sequence.
  const std::string atomic = "byte x; active proctype P() { do :: atomic { x=1; accept: x=0 } od } ";
  CHECK(Run(atomic + kTrue, {0, 0}).check(0) == "no state of the loop is accepting");
}

TEST_CASE("loop check: a loop is called fair if it is, and only then") {
  const auto check = [](const std::string& text, const std::vector<uint8_t>& movers, size_t loop = 0) {
    return Run(text + kAccepting, movers).check(loop, Fairness::kWeak);
  };
  CHECK(check(kTwo, {1, 1}) == "the loop is not fair to process 0");
  CHECK(check(kTwo, {0, 0, 0, 0}) == "the loop is not fair to process 1");
  CHECK(check(kTwo, {0, 1, 0, 0, 0, 1}).empty());
  const std::string sometimes =
      "byte x; active proctype P() { do :: x=1-x od } active proctype Q() { do :: x==1 -> x=2 od } ";
  CHECK(check(sometimes, {0, 0}).empty());
  const std::string at_timeout =
      "byte x; active proctype P() { do :: x=1-x od } active proctype Q() { do :: timeout -> skip od } ";
  CHECK(check(at_timeout, {0, 0}).empty());
  const std::string rendezvous =
      "chan c=[0] of {byte}; byte x; active proctype P() { do :: c!1 od } active proctype Q() { do :: c?_ od } "
      "active proctype R() { do :: x=1-x od } ";
  CHECK(check(rendezvous, {0, 2, 2}).empty());
  CHECK(check(rendezvous, {2, 2}) == "the loop is not fair to process 0");
}

TEST_CASE("loop check: a system that stays blocked for ever is a loop") {
  const std::string ends = "byte x; active proctype P() { x=1; x==2 } ";
  Run run(ends + kAccepting, {0, kNoProcess, kNoProcess});
  CHECK(run.check(2, Fairness::kWeak).empty());
  CHECK(!run.check(1).empty());  // the state before is not marked
}

TEST_CASE("loop check: a process that lost atomicity closes the loop all the same") {
  const std::string text =
      "byte x; active proctype P() { atomic { x=2; x==1 } } active proctype Q() { do :: x==2 -> x=3 :: x==3 -> x=2 "
      "od } ";
  CHECK(Run(text + kAccepting, {0, 1, 1, 1, 1}).check(1).empty());
}

}  // namespace
}  // namespace cmc::test
