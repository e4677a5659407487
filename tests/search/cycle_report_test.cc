#include "checker/search/cycle_report.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process_memory.h"
#include "checker/reference/reference.h"
#include "ir/product.h"
#include "tests/support/compile.h"
#include "tests/support/products.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// A model beside a claim that is always true, and the run that takes the first option everywhere until it comes back.
struct Run {
  explicit Run(const std::string& text)
      : model(with_observers(compile_text(text + " never { do :: true od }"), 0)),
        product(make_reference_product(model)) {
    SuccessorBatch batch;
    product->initial(batch);
    std::map<Bytes, size_t> places;
    std::vector<Bytes> states{batch.bytes};
    while (places.emplace(states.back(), states.size() - 1).second) {
      batch.clear();
      product->successors(states.back(), batch);
      const ByteView next = batch.state(batch.entries.front());
      states.emplace_back(next.begin(), next.end());
    }
    lasso.loop = places.at(states.back());
    lasso.states = StateSequence(std::move(states));
  }

  // A run of the product that goes round in a loop with an accepting state.
  void check(const StateLasso& run) const {
    REQUIRE(run.loop + 1 < run.states.size());
    SuccessorBatch batch;
    product->initial(batch);
    CHECK(run.states.at(0) == batch.bytes);
    CHECK(run.states.at(run.states.size() - 1) == run.states.at(run.loop));
    bool accepting = false;
    for (size_t i = 0; i + 1 < run.states.size(); ++i) {
      const Bytes state = run.states.at(i);
      batch.clear();
      product->successors(state, batch);
      const Bytes next = run.states.at(i + 1);
      CHECK(std::ranges::any_of(batch.entries, [&](const SuccessorBatch::Entry& entry) {
        return std::ranges::equal(batch.state(entry), ByteView(next));
      }));
      accepting = accepting || (i >= run.loop && accepts(model, state));
    }
    CHECK(accepting);
  }

  Model model;
  std::unique_ptr<SuccessorGenerator> product;
  StateLasso lasso;
};

// 0 to 60 step by step or at once, then a loop that is as long or two steps.
constexpr const char* kDetours =
    "byte x, y; active proctype P() {"
    " do :: x < 60 -> x++ :: x < 60 -> x = 60 :: x == 60 -> break od;"
    " do :: y < 30 -> y++ :: y = 0; accept: skip od }";

TEST_CASE("a lasso gets shorter where a few states show how") {
  const Run run(kDetours);
  run.check(run.lasso);
  CHECK(run.lasso.loop > 120);
  CHECK(run.lasso.states.size() - run.lasso.loop > 60);
  const StateLasso shorter = shortened(run.lasso, *run.product, run.model, uint64_t{1} << 20);
  run.check(shorter);
  CHECK(shorter.loop < 10);
  CHECK(shorter.states.size() - shorter.loop < 6);
}

TEST_CASE("a lasso without memory for shorter ones stays a lasso") {
  const Run run(kDetours);
  for (const uint64_t bytes : {0, 1000, 3000, 10'000, 30'000}) {
    const StateLasso shorter = shortened(run.lasso, *run.product, run.model, bytes);
    run.check(shorter);
    CHECK(shorter.states.size() <= run.lasso.states.size());
  }
}

TEST_CASE("looking for a shorter lasso keeps to the memory that there is for it") {
  const Run run(
      "byte big[8000]; byte x, y, z, t; active proctype P() {"
      " do :: x < 20 -> x++ :: y < 20 -> y++ :: z < 20 -> z++ :: x + y + z == 60 -> break od;"
      " do :: t = 1; accept: t = 0 od }");
  const uint64_t before = peak_resident_bytes();
  run.check(shortened(run.lasso, *run.product, run.model, uint64_t{8} << 20));
  CHECK(peak_resident_bytes() < before + (uint64_t{24} << 20));
}

}  // namespace
}  // namespace cmc::test
