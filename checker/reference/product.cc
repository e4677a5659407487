#include <algorithm>
#include <utility>

#include "base/check.h"
#include "checker/reference/expansion.h"

namespace cmc {

namespace {

using reference::Outcome;
using reference::State;

// Whether the text of the model's claim has `timeout` in it.
class TimeoutInClaim {
 public:
  explicit TimeoutInClaim(const Model& model) : model_(model) {}

  [[nodiscard]] bool search() const {
    return std::ranges::any_of(model_.claims[model_.claim.claim].locations, [&](const Location& location) {
      return std::ranges::any_of(location.edges, [&](const Edge& edge) { return in_statement(edge.statement); });
    });
  }

 private:
  [[nodiscard]] bool in_expression(ExpressionId id) const {
    if (id == kNoExpression) return false;
    const Expression& expression = model_.expressions[id];
    return expression.op == Operator::kTimeout || in_reference(expression.reference) ||
           std::ranges::any_of(expression.operands, [&](ExpressionId operand) { return in_expression(operand); });
  }
  [[nodiscard]] bool in_reference(const VariableReference& reference) const {
    return std::ranges::any_of(
        reference.indices, [&](const VariableReference::Index& index) { return in_expression(index.expression); });
  }
  [[nodiscard]] bool in_statement(StatementId id) const {
    const Statement& statement = model_.statements[id];
    return in_expression(statement.expression) || in_reference(statement.target) ||
           std::ranges::any_of(statement.operands, [&](ExpressionId operand) { return in_expression(operand); }) ||
           std::ranges::any_of(statement.body, [&](const DeterministicNode& node) {
             return std::ranges::any_of(node.alternatives, [&](const DeterministicNode::Alternative& alternative) {
               return in_statement(alternative.statement);
             });
           });
  }

  const Model& model_;
};

class ReferenceProduct final : public SuccessorGenerator {
 public:
  ReferenceProduct(const Model& model, GuardDecider* decider, ReferenceSteps steps, std::atomic<uint64_t>* cut)
      : model_(model),
        expansion_(model, decider, steps, cut),
        is_tried_at_timeout_(model.uses_timeout && TimeoutInClaim(model).search()) {}

  void initial(SuccessorBatch& out) override { expansion_.initial(out); }

  void successors(ByteView bytes, SuccessorBatch& out) override {
    State state = reference::decode(model_, bytes);
    if (state.holder != kNoProcess) {
      std::vector<Outcome> steps;
      if (expansion_.steps_of(state, state.holder, false, steps, out)) {
        return expansion_.follow({}, state, std::move(steps), out);
      }
      state.holder = kNoProcess;
      out.holder_released = true;
    }
    if (state.claim.blocked) {
      take_system_turn({}, std::move(state), false, out);
    } else {
      take_turn(state, out);
    }
  }

  bool process_successors(ByteView bytes, uint8_t pid, bool timeout, TouchTrace*, SuccessorBatch& out) override {
    State state = reference::decode(model_, bytes);
    std::vector<Outcome> steps;
    const bool moves = expansion_.steps_of(state, pid, timeout, steps, out);
    expansion_.follow({}, state, std::move(steps), out);
    return moves;
  }

 private:
  // The claim moves, then the system.
  void take_turn(State& state, SuccessorBatch& out) {
    std::vector<Outcome> moves;
    const bool timeout = !can_move(state, out);
    bool forced = false;
    if (!expansion_.claim_moves(state, timeout, moves, out) && !timeout && is_tried_at_timeout_) {
      forced = true;
      expansion_.claim_moves(state, true, moves, out);
    }
    for (Outcome& move : moves) {
      expansion_.add_errors({}, move, state, out);
      if (move.state) take_system_turn(move.path, std::move(*move.state), forced, out);
    }
  }

  // Whether some process can while `timeout` is 0.
  bool can_move(State& state, SuccessorBatch& out) {
    std::vector<Outcome> unused;
    return expansion_.steps_of_all(state, false, unused, out);
  }

  // `path` leads to the state. `forced`: timeout is 1 anyway.
  void take_system_turn(const std::vector<Step>& path, State state, bool forced, SuccessorBatch& out) {
    std::vector<Outcome> steps;
    const bool moves = (!forced && expansion_.steps_of_all(state, false, steps, out)) ||
                       (model_.uses_timeout && expansion_.steps_of_all(state, true, steps, out));
    if (!moves) return stutter(path, std::move(state), out);
    for (Outcome& step : steps) {
      if (step.state) step.state->claim.blocked = false;
    }
    expansion_.follow(path, state, std::move(steps), out);
  }

  // The system is blocked, and the claim moves alone.
  void stutter(const std::vector<Step>& path, State state, SuccessorBatch& out) {
    state.claim.blocked = true;
    std::vector<Outcome> moves;
    expansion_.claim_moves(state, true, moves, out);
    for (const Outcome& move : moves) {
      expansion_.add_errors(path, move, state, out);
      if (!move.state) continue;
      std::vector<Step> whole = path;
      whole.insert(whole.end(), move.path.begin(), move.path.end());
      expansion_.add_entry(whole, *move.state, out);
    }
  }

  const Model& model_;
  reference::Expansion expansion_;
  const bool is_tried_at_timeout_;
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_reference_product(const Model& model, GuardDecider* decider,
                                                           ReferenceSteps steps, std::atomic<uint64_t>* cut) {
  CHECK(model.claim.exists());
  return std::make_unique<ReferenceProduct>(model, decider, steps, cut);
}

}  // namespace cmc
