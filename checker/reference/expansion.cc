#include "checker/reference/expansion.h"

#include <set>
#include <utility>

#include "checker/generator/runtime_errors.h"
#include "ir/scratch.h"

namespace cmc::reference {

namespace {

uint32_t add_steps(const std::vector<Step>& path, const std::vector<Step>& more, SuccessorBatch& out) {
  const size_t begin = out.steps.size();
  out.steps.insert(out.steps.end(), path.begin(), path.end());
  out.steps.insert(out.steps.end(), more.begin(), more.end());
  return static_cast<uint32_t>(begin);
}

}  // namespace

Expansion::Expansion(const Model& model, GuardDecider* decider, ReferenceSteps steps, std::atomic<uint64_t>* cut)
    : model_(model),
      interpreter_(model, decider),
      follows_chains_(steps == ReferenceSteps::kSpin),
      cut_(cut),
      ignored_bytes_(ignored_bytes(model)) {}

void Expansion::initial(SuccessorBatch& out) {
  const Outcome outcome = interpreter_.initial();
  add_errors({}, outcome, State{}, out);
  if (outcome.state) add_entry({}, *outcome.state, out);
}

bool Expansion::steps_of(State& state, uint8_t pid, bool timeout, std::vector<Outcome>& outcomes,
                         SuccessorBatch& out) {
  const bool moves = interpreter_.steps_of(state, pid, timeout, outcomes);
  note_pending(out);
  return moves;
}

bool Expansion::steps_of_all(State& state, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out) {
  bool moved = false;
  for (size_t pid = state.processes.size(); pid-- > 0;) {
    if (steps_of(state, static_cast<uint8_t>(pid), timeout, outcomes, out)) moved = true;
  }
  return moved;
}

bool Expansion::claim_moves(const State& state, bool timeout, std::vector<Outcome>& outcomes, SuccessorBatch& out) {
  const size_t before = outcomes.size();
  if (interpreter_.claim_moves(state, timeout, outcomes)) out.endless_atomic = true;
  note_pending(out);
  return outcomes.size() > before;
}

void Expansion::follow(std::vector<Step> path, const State& state, std::vector<Outcome> outcomes,
                       SuccessorBatch& out) {
  std::set<Bytes> on_path;
  std::vector<Level> levels;
  for (const Outcome& outcome : outcomes) add_errors(path, outcome, state, out);
  levels.push_back({std::move(outcomes), 0, path.size(), {}});
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
    Bytes identity = encode(model_, next);
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

void Expansion::add_entry(const std::vector<Step>& path, const State& state, SuccessorBatch& out) const {
  const Bytes bytes = encode(model_, state);
  SuccessorBatch::Entry& entry = out.entries.emplace_back();
  entry.offset = static_cast<uint32_t>(out.bytes.size());
  entry.size = static_cast<uint32_t>(bytes.size());
  entry.path_begin = add_steps(path, {}, out);
  entry.path_count = static_cast<uint32_t>(path.size());
  out.bytes.insert(out.bytes.end(), bytes.begin(), bytes.end());
}

void Expansion::add_errors(const std::vector<Step>& prefix, const Outcome& outcome, const State& state,
                           SuccessorBatch& out) const {
  if (outcome.failures.empty()) return;
  const uint32_t begin = add_steps(prefix, outcome.path, out);
  for (const Failure& failure : outcome.failures) {
    RuntimeError& error = out.errors.emplace_back();
    error.kind = failure.kind;
    error.message = error_message(model_, failure.kind, failure.statement, failure.value);
    if (failure.kind == RuntimeErrorKind::kPendingGuard) error.question = static_cast<uint32_t>(failure.value);
    error.place = place_of(failure, outcome.pid, state);
    error.path_begin = begin;
    error.path_count = static_cast<uint32_t>(prefix.size() + outcome.path.size());
  }
}

// Of the statement, or else of the process or the claim.
SourcePlace Expansion::place_of(const Failure& failure, uint8_t pid, const State& state) const {
  if (failure.statement != kNoStatement) return model_.statements[failure.statement].place;
  if (failure.kind == RuntimeErrorKind::kClaimEnd) return model_.claims[model_.claim.claim].place;
  if (is_overflow(failure.kind)) return {};  // of an initializer: of which variable is not known
  if (pid < state.processes.size()) return model_.proctypes[state.processes[pid].type].place;
  // While the initial state was made there were the active processes only.
  return pid < model_.active.size() ? model_.proctypes[model_.active[pid].proctype].place : SourcePlace{};
}

// If some process waits for an answer about another process, the batch is void.
void Expansion::note_pending(SuccessorBatch& out) const {
  if (interpreter_.pending_question() == 0) return;
  RuntimeError& error = out.errors.emplace_back();
  error.kind = RuntimeErrorKind::kPendingGuard;
  error.question = interpreter_.pending_question();
  error.message = error_message(model_, error.kind, kNoStatement, 0);
}

}  // namespace cmc::reference
