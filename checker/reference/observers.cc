#include <algorithm>
#include <utility>

#include "checker/reference/interpreter.h"
#include "ir/product.h"

// What runs beside the processes: the moves of a never claim, and those of a trace or notrace with each event.

namespace cmc::reference {

namespace {

constexpr size_t kLongestSequence = 1000;  // edges of an atomic sequence of a claim

}  // namespace

// An atomic sequence of the claim that is under way.
struct Interpreter::Sequence {
  bool timeout = false;
  std::vector<Step> path;
  std::vector<Bytes> states;  // that it went through
  bool cut = false;
};

bool Interpreter::claim_moves(const State& state, bool timeout, std::vector<Outcome>& out) {
  notes_.clear();
  pending_question_ = 0;
  Sequence sequence;
  sequence.timeout = timeout;
  claim_steps(state, sequence, out);
  return sequence.cut;
}

void Interpreter::claim_steps(const State& state, Sequence& sequence, std::vector<Outcome>& out) {
  const Proctype& claim = model_.claims[model_.claim.claim];
  if (state.claim.location == claim.end) return;
  State here = state;
  Context context;
  context.state = &here;
  context.timeout = sequence.timeout;
  context = context.as_observer(Context::Actor::kClaim);
  std::vector<Outcome> outcomes;
  take_edges(context, outcomes);
  for (Outcome& outcome : outcomes) {
    const Step step = outcome.path.back();
    outcome.path.insert(outcome.path.begin(), sequence.path.begin(), sequence.path.end());
    const bool goes_on = outcome.state && claim.locations[step.location].edges[step.edge].atomic;
    if (!goes_on) {
      out.push_back(std::move(outcome));
      continue;
    }
    const State middle = *std::exchange(outcome.state, std::nullopt);
    std::vector<Step> path = outcome.path;
    if (!outcome.failures.empty()) out.push_back(std::move(outcome));
    Bytes identity = encode(model_, middle);
    if (sequence.states.size() >= kLongestSequence ||
        std::ranges::find(sequence.states, identity) != sequence.states.end()) {
      sequence.cut = true;
      continue;
    }
    sequence.states.push_back(std::move(identity));
    sequence.path.swap(path);
    claim_steps(middle, sequence, out);
    sequence.path.swap(path);
    sequence.states.pop_back();
  }
}

void Interpreter::enter_claim_location(const Context& context, LocationId location) {
  context.state->claim.location = location;
  if (model_.claims[model_.claim.claim].locations[location].valid_end) note(context, RuntimeErrorKind::kClaimEnd);
}

// A message was sent, or is about to be received. As SPIN's verifier has it, `message` is the last one of the channel
// after the send, or the first one before the receive, also if that is not the one that was sent or is received.
void Interpreter::event(const Context& context, StatementKind kind, uint32_t channel,
                        const std::vector<int32_t>& message) {
  if (!model_.trace.exists() || !trace_names(context, kind, channel)) return;
  const Proctype& trace = model_.claims[model_.trace.claim];
  LocationId& location = context.state->trace.location;
  Context own = context.as_observer(Context::Actor::kTrace);
  std::optional<LocationId> target;
  if (location != trace.end) {
    for (const Edge& edge : trace.locations[location].edges) {
      if (!is_event(own, edge.statement, kind, channel)) continue;
      if (!matches(own, model_.statements[edge.statement].arguments, false, message)) continue;
      if (target) {
        note(own, RuntimeErrorKind::kNondeterminism, 1);
        break;
      }
      target = edge.target;
    }
  }
  const bool negated = is_notrace(model_);
  if (target) location = *target;
  if (negated && target && location == trace.end) note(context, RuntimeErrorKind::kNotraceMatched);
  if (negated && !target) location = trace.end;  // only the first attempt counts
  if (!negated && !target) note(context, RuntimeErrorKind::kTraceMismatch);
}

// Whether events of this kind on this channel move the trace.
bool Interpreter::trace_names(const Context& context, StatementKind kind, uint32_t channel) {
  Context own = context.as_observer(Context::Actor::kTrace);
  for (const Location& location : model_.claims[model_.trace.claim].locations) {
    for (const Edge& edge : location.edges) {
      if (is_event(own, edge.statement, kind, channel)) return true;
    }
  }
  return false;
}

// Whether a statement of the trace is about events of this kind on this channel.
bool Interpreter::is_event(Context& context, StatementId id, StatementKind kind, uint32_t channel) {
  const Statement& statement = model_.statements[id];
  context.statement = id;
  return statement.kind == kind && value(context, statement.channel) == static_cast<int32_t>(channel);
}

}  // namespace cmc::reference
