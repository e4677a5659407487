#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/generator/wrappers/checked.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/generator/explore.h"
#include "tests/reference/observer_cases.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

// Models with a claim or a trace that runs, and a plain search that counts.

namespace cmc::test {

// With the claim or trace of the text running.
inline Model observed(const std::string& text) {
  const Model model = compile_text(text);
  REQUIRE(model.properties.size() == 1);
  const Property& property = model.properties[0];
  const bool never = property.kind == Property::Kind::kNeverClaim;
  return with_observers(model, never ? property.claim : kNoClaim, never ? kNoClaim : property.claim);
}

struct Counts {
  size_t states = 0;
  size_t transitions = 0;
  std::set<RuntimeErrorKind> errors;
};

// Every state that is found is expanded once.
inline std::set<Bytes> reachable(SuccessorGenerator& generator, Counts* counts = nullptr) {
  Counts unused;
  if (counts == nullptr) counts = &unused;
  SuccessorBatch batch;
  generator.initial(batch);
  std::set<Bytes> seen;
  std::vector<Bytes> open;
  const auto note = [&] {
    for (const RuntimeError& error : batch.errors) counts->errors.insert(error.kind);
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      Bytes state = Explorer::copy(batch, i);
      if (seen.insert(state).second) open.push_back(std::move(state));
    }
  };
  note();
  while (!open.empty()) {
    const Bytes state = std::move(open.back());
    open.pop_back();
    batch.clear();
    generator.successors(state, batch);
    counts->transitions += batch.entries.size();
    note();
  }
  counts->states = seen.size();
  return seen;
}

inline Counts count(SuccessorGenerator& generator) {
  Counts counts;
  reachable(generator, &counts);
  return counts;
}

// The VM, compared with the reference interpreter at every call.
inline std::unique_ptr<SuccessorGenerator> checked_vm(const Model& model) {
  return make_checked_generator(make_vm_generator(model), make_reference_generator(model),
                                [](const std::string& difference) { FAIL_CHECK(difference); });
}

}  // namespace cmc::test
