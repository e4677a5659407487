#include "tests/vm/compare.h"

#include <set>

#include "checker/generator/wrappers/checked.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"

namespace cmc::test {

namespace {

Exploration explore_in_steps(const Model& model, uint64_t max_states, ReferenceSteps steps) {
  Exploration result;
  std::unique_ptr<SuccessorGenerator> vm = make_vm_generator(model);
  if (steps == ReferenceSteps::kSpin) vm = close_atomic_chains(std::move(vm), model);
  const std::unique_ptr<SuccessorGenerator> generator = make_checked_generator(
      std::move(vm), make_reference_generator(model, nullptr, steps), [&](const std::string& text) {
        if (result.differences.size() < 5) result.differences.push_back(text);
      });
  std::set<std::vector<std::byte>> seen;
  std::vector<Bytes> states;
  const auto add = [&](const SuccessorBatch& batch) {
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const ByteView state = batch.state(entry);
      if (states.size() >= max_states) {
        result.complete = false;
      } else if (seen.insert(Bytes(state.begin() + model.hidden_bytes, state.end())).second) {
        states.emplace_back(state.begin(), state.end());
      }
    }
    for (const RuntimeError& error : batch.errors) ++result.errors[runtime_error_name(error.kind)];
  };
  SuccessorBatch batch;
  generator->initial(batch);
  add(batch);
  for (size_t i = 0; i < states.size(); ++i) {
    batch.clear();
    generator->successors(ByteView(states[i]), batch);
    result.transitions += batch.entries.size();
    if (batch.blocked) ++result.dead_ends;
    add(batch);
  }
  result.states = states.size();
  return result;
}

}  // namespace

Exploration explore(const Model& model, uint64_t max_states) {
  return explore_in_steps(model, max_states, ReferenceSteps::kStatement);
}

Exploration explore_spin_steps(const Model& model, uint64_t max_states) {
  return explore_in_steps(model, max_states, ReferenceSteps::kSpin);
}

}  // namespace cmc::test
