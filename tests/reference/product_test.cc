#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "tests/reference/observed.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// Depth first, and a node is the same with and without the mark of a blocked system: as SPIN's verifier does it.
class DepthFirst {
 public:
  DepthFirst(SuccessorGenerator& generator, const Model& model)
      : generator_(generator), mark_(model.claim.offset + kFrameProctype) {
    SuccessorBatch batch;
    generator.initial(batch);
    visit(batch, 0);
  }
  Counts counts;

 private:
  void visit(const SuccessorBatch& from, size_t number) {
    const Bytes state = Explorer::copy(from, number);
    Bytes node = state;
    node[mark_] = std::byte{0};
    if (!seen_.insert(std::move(node)).second) return;
    ++counts.states;
    SuccessorBatch batch;
    generator_.successors(state, batch);
    counts.transitions += batch.entries.size();
    for (size_t i = 0; i < batch.entries.size(); ++i) visit(batch, i);
  }

  SuccessorGenerator& generator_;
  const size_t mark_;
  std::set<Bytes> seen_;
};

TEST_CASE("product: a model and a claim have the counts of SPIN") {
  for (const ObserverCase& each : kClaimCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    const auto product = make_reference_product(model, nullptr, ReferenceSteps::kSpin);
    const Counts merged = DepthFirst(*product, model).counts;
    CHECK(merged.states == each.states);
    CHECK(merged.transitions == each.transitions);
    const Counts counts = count(*product);
    const bool apart = each.apart.states > 0;
    CHECK(counts.states == (apart ? each.apart.states : each.states));
    CHECK(counts.transitions == (apart ? each.apart.transitions : each.transitions));
    CHECK(counts.errors == each.errors);
  }
}

std::set<RuntimeErrorKind> kinds(const SuccessorBatch& batch) {
  std::set<RuntimeErrorKind> kinds;
  for (const RuntimeError& error : batch.errors) kinds.insert(error.kind);
  return kinds;
}

TEST_CASE("product: VM and reference interpreter agree") {
  for (const ObserverCase& each : kClaimCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    const auto subject = make_product_generator(close_atomic_chains(make_vm_generator(model), model), model);
    const auto reference = make_reference_product(model, nullptr, ReferenceSteps::kSpin);
    for (const Bytes& state : reachable(*reference)) {
      SuccessorBatch got;
      SuccessorBatch expected;
      subject->successors(state, got);
      reference->successors(state, expected);
      CHECK(kinds(got) == kinds(expected));
      // Errors of the system are there once, or once for each move of the claim.
      got.errors.clear();
      expected.errors.clear();
      CHECK(describe_difference(got, expected) == "");
    }
  }
}

// Between two stable states there may be others, in which a process holds atomicity.
TEST_CASE("product: single steps lead to the stable states of atomic sequences") {
  for (const ObserverCase& each : kClaimCases) {
    INFO(each.name);
    const Model model = observed(each.text());
    const auto product = make_reference_product(model);
    std::set<Bytes> stable;
    for (Bytes state : reachable(*product)) {
      SuccessorBatch batch;
      product->successors(state, batch);
      std::byte& holder = state[model.atomic_holder_offset()];
      if (batch.holder_released) holder = std::byte{kNoProcess};
      if (holder == std::byte{kNoProcess}) stable.insert(state);
    }
    CHECK(stable == reachable(*make_reference_product(model, nullptr, ReferenceSteps::kSpin)));
  }
}

TEST_CASE("product: np_ is 0 where a process is at a progress label, else 1") {
  Model model = compile_text(kProgress);
  const uint32_t claim = add_non_progress_claim(model);
  const Model product = with_observers(model, claim);
  const Counts counts = count(*make_reference_product(product));
  CHECK(counts.states == 32);
  CHECK(counts.transitions == 88);  // SPIN's verifier has 96 without -l, because np_ is always 1 then
}

}  // namespace
}  // namespace cmc::test
