#include "checker/reference/reference.h"

#include <utility>

#include "base/check.h"
#include "checker/generator/one_step.h"
#include "checker/reference/expansion.h"
#include "ir/product.h"

namespace cmc {

namespace {

using reference::Failure;
using reference::Outcome;
using reference::State;

class ReferenceGenerator final : public SuccessorGenerator, public OneStepGenerator {
 public:
  ReferenceGenerator(const Model& model, GuardDecider* decider, ReferenceSteps steps, std::atomic<uint64_t>* cut)
      : model_(model), expansion_(model, decider, steps, cut) {}

  void initial(SuccessorBatch& out) override { expansion_.initial(out); }

  void successors(ByteView bytes, SuccessorBatch& out) override {
    State state = reference::decode(model_, bytes);
    std::vector<Outcome> outcomes;
    if (state.holder != kNoProcess) {
      if (expansion_.steps_of(state, state.holder, false, outcomes, out)) {
        return expansion_.follow({}, state, std::move(outcomes), out);
      }
      out.holder_released = true;
    }
    if (!expansion_.steps_of_all(state, false, outcomes, out) &&
        !(model_.uses_timeout && expansion_.steps_of_all(state, true, outcomes, out))) {
      out.blocked = true;
      out.invalid_end = !may_end(state);
    }
    expansion_.follow({}, state, std::move(outcomes), out);
  }

  // Others are asked where it depends on them.
  void successors_by(ByteView bytes, const Step& first, SuccessorBatch& out) override {
    State state = reference::decode(model_, bytes);
    const bool alone = first.pid < state.processes.size() && !first.timeout && !first.inside_rendezvous &&
                       (state.holder == kNoProcess || state.holder == first.pid);
    if (!alone) return successors(bytes, out);
    steps_of_process(state, first.pid, false, out);
  }

  bool process_successors(ByteView bytes, uint8_t pid, bool timeout, TouchTrace*, SuccessorBatch& out) override {
    State state = reference::decode(model_, bytes);
    return steps_of_process(state, pid, timeout, out);
  }

  void claim_moves(ByteView bytes, bool timeout, TouchTrace*, SuccessorBatch& out) override {
    CHECK(model_.claim.exists());
    const State state = reference::decode(model_, bytes);
    std::vector<Outcome> outcomes;
    expansion_.claim_moves(state, timeout, outcomes, out);
    for (const Outcome& outcome : outcomes) {
      expansion_.add_errors({}, outcome, state, out);
      if (outcome.state) expansion_.add_entry(outcome.path, *outcome.state, out);
    }
  }

 private:
  bool steps_of_process(State& state, uint8_t pid, bool timeout, SuccessorBatch& out) {
    std::vector<Outcome> outcomes;
    const bool moves = expansion_.steps_of(state, pid, timeout, outcomes, out);
    expansion_.follow({}, state, std::move(outcomes), out);
    return moves;
  }
  // Whether the system may be blocked here: all processes are at a valid end, and so is the trace, unless all have
  // ended.
  [[nodiscard]] bool may_end(const State& state) const {
    for (const reference::Process& process : state.processes) {
      if (!model_.proctypes[process.type].locations[process.location].valid_end) return false;
    }
    if (state.processes.empty() || !model_.trace.exists() || is_notrace(model_)) return true;
    return model_.claims[model_.trace.claim].locations[state.trace.location].valid_end;
  }

  const Model& model_;
  reference::Expansion expansion_;
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_reference_generator(const Model& model, GuardDecider* decider,
                                                             ReferenceSteps steps, std::atomic<uint64_t>* cut) {
  return std::make_unique<ReferenceGenerator>(model, decider, steps, cut);
}

std::optional<std::vector<int32_t>> evaluate_expressions(const Model& model, ByteView bytes, uint8_t pid,
                                                         std::span<const ExpressionId> expressions, bool timeout) {
  State state = reference::decode(model, bytes);
  const bool of_claim = pid == kNoProcess && model.claim.exists();
  if (!of_claim && pid != kNoProcess && pid >= state.processes.size()) return std::nullopt;
  reference::Interpreter interpreter(model, nullptr);
  reference::Context context;
  context.state = &state;
  context.pid = pid;
  context.timeout = timeout;
  if (of_claim) context = context.as_observer(reference::Context::Actor::kClaim);
  std::vector<int32_t> values;
  for (const ExpressionId expression : expressions) {
    if (model.expressions[expression].op == Operator::kRun) return std::nullopt;
    try {
      values.push_back(interpreter.value(context, expression));
    } catch (const Failure&) {
      return std::nullopt;
    }
  }
  return values;
}

}  // namespace cmc
