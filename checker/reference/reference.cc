#include "checker/reference/reference.h"

#include <set>
#include <utility>

#include "base/check.h"
#include "checker/generator/runtime_errors.h"
#include "checker/reference/interpreter.h"
#include "ir/effects.h"

namespace cmc {

namespace {

using reference::Failure;
using reference::Interpreter;
using reference::Outcome;
using reference::State;

class ReferenceGenerator final : public SuccessorGenerator {
 public:
  ReferenceGenerator(const Model& model, GuardDecider* decider, ReferenceSteps steps, std::atomic<uint64_t>* cut)
      : model_(model),
        interpreter_(model, decider),
        follows_chains_(steps == ReferenceSteps::kSpin),
        cut_(cut),
        ignored_bytes_(reads_hidden_variable(model) ? 0 : model.hidden_bytes) {}

  void initial(SuccessorBatch& out) override {
    const Outcome outcome = interpreter_.initial();
    add_errors({}, outcome, State{}, out);
    if (outcome.state) add_entry({}, *outcome.state, out);
  }

  void successors(ByteView bytes, SuccessorBatch& out) override {
    const State state = reference::decode(model_, bytes);
    std::vector<Outcome> outcomes;
    if (state.holder != kNoProcess) {
      if (steps_of(state, state.holder, false, outcomes, out)) return follow(state, std::move(outcomes), out);
      out.holder_released = true;
    }
    if (!steps_of_all(state, false, outcomes, out) &&
        !(model_.uses_timeout && steps_of_all(state, true, outcomes, out))) {
      out.blocked = true;
      for (const reference::Process& process : state.processes) {
        if (!model_.proctypes[process.type].locations[process.location].valid_end) out.invalid_end = true;
      }
    }
    follow(state, std::move(outcomes), out);
  }

  bool process_successors(ByteView bytes, uint8_t pid, bool timeout, TouchTrace*, SuccessorBatch& out) override {
    const State state = reference::decode(model_, bytes);
    std::vector<Outcome> outcomes;
    const bool moves = steps_of(state, pid, timeout, outcomes, out);
    follow(state, std::move(outcomes), out);
    return moves;
  }

 private:
  // A state on the way through an atomic sequence.
  struct Level {
    std::vector<Outcome> outcomes;
    size_t next = 0;        // of the outcomes
    size_t path_steps = 0;  // that lead to this state
    Bytes identity;         // what makes it this state; empty for the expanded one
  };

  bool steps_of(const State& state, uint8_t pid, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out) {
    const bool moves = interpreter_.steps_of(state, pid, timeout, outcomes);
    if (interpreter_.pending_question() != 0) add_pending(out);
    return moves;
  }

  bool steps_of_all(const State& state, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out) {
    bool moved = false;
    for (size_t pid = state.processes.size(); pid-- > 0;) {
      if (steps_of(state, static_cast<uint8_t>(pid), timeout, outcomes, out)) moved = true;
    }
    return moved;
  }

  // Hands out where the steps lead: at once, or at the ends of the atomic sequences that they begin, path by path.
  void follow(const State& state, std::vector<Outcome> outcomes, SuccessorBatch& out) {
    std::vector<Step> path;
    std::set<Bytes> on_path;
    std::vector<Level> levels;
    for (const Outcome& outcome : outcomes) add_errors(path, outcome, state, out);
    levels.push_back({std::move(outcomes), 0, 0, {}});
    uint32_t followed = 0;
    while (!levels.empty()) {
      Level& level = levels.back();
      path.resize(level.path_steps);
      if (level.next == level.outcomes.size()) {
        on_path.erase(level.identity);
        levels.pop_back();
        continue;
      }
      Outcome outcome = std::move(level.outcomes[level.next++]);
      if (!outcome.state) continue;
      path.insert(path.end(), outcome.path.begin(), outcome.path.end());
      State next = std::move(*outcome.state);
      if (!follows_chains_ || next.holder == kNoProcess) {
        add_entry(path, next, out);
        continue;
      }
      Bytes identity = reference::encode(model_, next);
      identity.erase(identity.begin(), identity.begin() + static_cast<ptrdiff_t>(ignored_bytes_));
      if (!on_path.insert(identity).second) {
        out.endless_atomic = true;  // what follows was explored from where the state was on the path before
        continue;
      }
      if (++followed > kMostReferenceStates || levels.size() > kDeepestReferenceChain) {
        out.stopped = true;
        if (cut_ != nullptr) ++*cut_;
        return;
      }
      Level deeper{{}, 0, path.size(), std::move(identity)};
      if (!steps_of(next, next.holder, false, deeper.outcomes, out)) {
        // The holder blocks and loses atomicity.
        next.holder = kNoProcess;
        add_entry(path, next, out);
      }
      for (const Outcome& each : deeper.outcomes) add_errors(path, each, next, out);
      levels.push_back(std::move(deeper));
    }
  }

  static uint32_t add_steps(const std::vector<Step>& path, const std::vector<Step>& more, SuccessorBatch& out) {
    const size_t begin = out.steps.size();
    out.steps.insert(out.steps.end(), path.begin(), path.end());
    out.steps.insert(out.steps.end(), more.begin(), more.end());
    return static_cast<uint32_t>(begin);
  }

  void add_entry(const std::vector<Step>& path, const State& state, SuccessorBatch& out) const {
    const Bytes bytes = reference::encode(model_, state);
    SuccessorBatch::Entry& entry = out.entries.emplace_back();
    entry.offset = static_cast<uint32_t>(out.bytes.size());
    entry.size = static_cast<uint32_t>(bytes.size());
    entry.path_begin = add_steps(path, {}, out);
    entry.path_count = static_cast<uint32_t>(path.size());
    out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
  }

  // `state` is the one in which the steps of the outcome begin.
  void add_errors(const std::vector<Step>& path, const Outcome& outcome, const State& state,
                  SuccessorBatch& out) const {
    if (outcome.failures.empty()) return;
    const uint32_t begin = add_steps(path, outcome.path, out);
    for (const Failure& failure : outcome.failures) {
      RuntimeError& error = out.errors.emplace_back();
      error.kind = failure.kind;
      error.message = error_message(model_, failure.kind, failure.statement, failure.value);
      if (failure.kind == RuntimeErrorKind::kPendingGuard) error.question = static_cast<uint32_t>(failure.value);
      error.place = place_of(failure, outcome.pid, state);
      error.path_begin = begin;
      error.path_count = static_cast<uint32_t>(path.size() + outcome.path.size());
    }
  }

  // Of the statement, or else of the process.
  [[nodiscard]] SourcePlace place_of(const Failure& failure, uint8_t pid, const State& state) const {
    if (failure.statement != kNoStatement) return model_.statements[failure.statement].place;
    if (pid < state.processes.size()) return model_.proctypes[state.processes[pid].type].place;
    // While the initial state was made there were the active processes only.
    return pid < model_.active.size() ? model_.proctypes[model_.active[pid].proctype].place : SourcePlace{};
  }

  // The batch is void: a state's process waits for an answer about another process.
  void add_pending(SuccessorBatch& out) const {
    RuntimeError& error = out.errors.emplace_back();
    error.kind = RuntimeErrorKind::kPendingGuard;
    error.question = interpreter_.pending_question();
    error.message = error_message(model_, error.kind, kNoStatement, 0);
  }

  const Model& model_;
  Interpreter interpreter_;
  const bool follows_chains_;
  std::atomic<uint64_t>* const cut_;
  const size_t ignored_bytes_;  // hidden variables that nobody reads: states that differ in them only are equal
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_reference_generator(const Model& model, GuardDecider* decider,
                                                             ReferenceSteps steps, std::atomic<uint64_t>* cut) {
  return std::make_unique<ReferenceGenerator>(model, decider, steps, cut);
}

std::optional<std::vector<int32_t>> evaluate_expressions(const Model& model, ByteView bytes, uint8_t pid,
                                                         std::span<const ExpressionId> expressions) {
  State state = reference::decode(model, bytes);
  if (pid >= state.processes.size()) return std::nullopt;
  Interpreter interpreter(model, nullptr);
  reference::Context context;
  context.state = &state;
  context.pid = pid;
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
