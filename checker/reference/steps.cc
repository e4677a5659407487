#include <utility>

#include "checker/reference/interpreter.h"

// Which process can do what: edges in SPIN's order, escapes, priorities, rendezvous.

namespace cmc::reference {

namespace {

// Limits of d_steps that run in the middle of one rendezvous: in a row, and altogether.
constexpr size_t kMostInside = 64;
constexpr uint32_t kMostPasses = 100'000;

}  // namespace

// A rendezvous under way. Between the send and the receive other processes can run d_steps, as in SPIN's verifier.
struct Interpreter::Rendezvous {
  Step sender;
  std::vector<Failure> notes;  // of the send and of the d_steps in the middle
  std::vector<Step> inside;    // these d_steps
  uint32_t passes = 0;         // how many were tried, on all branches
};

Outcome Interpreter::initial() {
  notes_.clear();
  Outcome outcome;
  State state = empty_state(model_);
  Context context;
  context.state = &state;
  try {
    initialize(context, model_.initializers, 0);
    if (model_.claim.exists()) {
      const Proctype& claim = model_.claims[model_.claim.claim];
      initialize(context.as_observer(Context::Actor::kClaim), claim.initializers, 0);
      enter_claim_location(context, claim.start);
    }
    if (model_.trace.exists()) {
      const Proctype& trace = model_.claims[model_.trace.claim];
      initialize(context.as_observer(Context::Actor::kTrace), trace.initializers, 0);
    }
    for (const ActiveProcess& active : model_.active) {
      const Proctype& type = model_.proctypes[active.proctype];
      const size_t channels = state.channels.size();
      if (state.processes.size() >= kMaxProcesses) {
        fail(context, RuntimeErrorKind::kTooManyProcesses, static_cast<int32_t>(state.processes.size()));
      }
      if (channels + type.channels.size() > kMaxChannels) {
        fail(context, RuntimeErrorKind::kTooManyChannels, static_cast<int32_t>(channels));
      }
      append_process(model_, state, active.proctype, active.priority);
      outcome.pid = static_cast<uint8_t>(state.processes.size() - 1);
      initialize(context.as(outcome.pid), type.initializers, channels);
    }
    outcome.state = std::move(state);
  } catch (const Failure& failure) {
    notes_.push_back(failure);
  }
  outcome.failures = std::exchange(notes_, {});
  return outcome;
}

bool Interpreter::steps_of(State& state, uint8_t pid, bool timeout, std::vector<Outcome>& out) {
  notes_.clear();
  pending_question_ = 0;
  Context context;
  context.state = &state;
  context.pid = pid;
  context.timeout = timeout;
  const Proctype& type = model_.proctypes[context.process().type];
  try {
    if (type.provided != kNoExpression && value(context, type.provided) == 0) return false;
  } catch (const Failure& failure) {
    out.push_back({{}, {failure}, std::nullopt, pid});
    return true;
  }
  if (model_.uses_priority && !has_priority(context)) return false;
  return take_edges(context, out);
}

// Tries all edges of the process or the claim.
bool Interpreter::take_edges(Context& context, std::vector<Outcome>& out) {
  bool moves = false;
  LocationId escape = 0;
  const std::vector<Edge>& edges = location_of(context).edges;
  for (uint16_t number = 0; number < edges.size(); ++number) {
    if (escape > 0 && edges[number].escape != escape) break;
    const Taken taken = take(context, number, out);
    if (taken == Taken::kNoPartner) escape = 0;
    if (taken != Taken::kYes) continue;
    escape = edges[number].escape;
    moves = context.earlier = true;
  }
  return moves;
}

// Whether no process that can move has a higher priority. The other process itself reports what fails in it.
bool Interpreter::has_priority(const Context& context) {
  for (size_t pid = 0; pid < context.state->processes.size(); ++pid) {
    const Context other = context.as(pid);
    if (other.process().priority <= context.process().priority) continue;
    const ExpressionId provided = model_.proctypes[other.process().type].provided;
    try {
      if (provided != kNoExpression && value(other, provided) == 0) continue;
      if (some_edge(other)) return false;
    } catch (const Failure& failure) {
      forget(failure);
      return false;
    }
  }
  return true;
}

Step Interpreter::make_step(const Context& context, uint16_t number) const {
  Step step;
  const bool of_claim = context.actor == Context::Actor::kClaim;
  step.pid = context.pid;
  step.location = of_claim ? context.state->claim.location : context.process().location;
  step.edge = number;
  step.timeout = context.timeout;
  return step;
}

// Tries one edge.
Interpreter::Taken Interpreter::take(Context& context, uint16_t number, std::vector<Outcome>& out) {
  const Edge& edge = location_of(context).edges[number];
  const Step step = make_step(context, number);
  const StatementKind kind = model_.statements[edge.statement].kind;
  context.statement = edge.statement;
  try {
    if (kind == StatementKind::kChoose) return choose(context, edge, step, out);
    const Can can_it = can(context, edge.statement);
    if (can_it == Can::kNo) return Taken::kNo;
    if (can_it == Can::kHandshake) return offer(context, edge, step, out);
  } catch (const Failure& failure) {
    // It counts as executable, but has no successor.
    notes_.push_back(failure);
    out.push_back({{step}, std::exchange(notes_, {}), std::nullopt, context.pid});
    return Taken::kYes;
  }
  perform(context, edge, step, out);
  return Taken::kYes;
}

// One step for each witness.
Interpreter::Taken Interpreter::choose(Context& context, const Edge& edge, Step step, std::vector<Outcome>& out) {
  const Statement& statement = model_.statements[edge.statement];
  const GuardGoal goal = statement.flag ? GuardGoal::kLeast : GuardGoal::kAll;
  const GuardAnswer answer = ask(context, statement.guard_number, goal, statement.most_witnesses);
  if (answer.witnesses.empty()) return Taken::kNo;
  for (const Witness& witness : answer.witnesses) {
    const bool last = &witness == &answer.witnesses.back();
    if (last && answer.more) {
      note(context, RuntimeErrorKind::kMoreWitnesses, static_cast<int32_t>(answer.witnesses.size()));
    }
    context.witness = &witness;
    perform(context, edge, step, out);
    context.earlier = true;
    ++step.witness;
  }
  context.witness = nullptr;
  return Taken::kYes;
}

// As SPIN's verifier, which looks at basic statements only: not at jumps, skip, else and d_steps.
void Interpreter::note_nondeterminism(const Context& context) {
  const StatementKind kind = model_.statements[context.statement].kind;
  const bool checked = kind != StatementKind::kElse && kind != StatementKind::kSkip &&
                       kind != StatementKind::kAtomicBlock && kind != StatementKind::kEndProcess;
  if (context.actor == Context::Actor::kClaim) return;
  if (context.earlier && checked && model_.proctypes[context.process().type].deterministic) {
    note(context, RuntimeErrorKind::kNondeterminism);
  }
}

// Executes an edge that can be taken.
void Interpreter::perform(const Context& context, const Edge& edge, const Step& step, std::vector<Outcome>& out) {
  note_nondeterminism(context);
  State next = *context.state;
  Context own = context;
  own.state = &next;
  Outcome outcome{{step}, {}, std::nullopt, context.pid};
  try {
    execute(own, edge.statement);
    arrive(own, edge);
    outcome.state = std::move(next);
  } catch (const Failure& failure) {
    notes_.push_back(failure);
  }
  outcome.failures = std::exchange(notes_, {});
  out.push_back(std::move(outcome));
}

void Interpreter::arrive(const Context& context, const Edge& edge) {
  if (context.actor == Context::Actor::kClaim) return enter_claim_location(context, edge.target);
  State& state = *context.state;
  const bool alive = context.pid < state.processes.size();
  if (alive && edge.target > 0) state.processes[context.pid].location = edge.target;
  state.holder = alive && edge.atomic ? context.pid : kNoProcess;
  state.last = context.pid;
}

// A rendezvous send: the sender moves first, then a receiver is looked for; one step for each.
Interpreter::Taken Interpreter::offer(const Context& context, const Edge& edge, const Step& step,
                                      std::vector<Outcome>& out) {
  const Message message = message_of(context, model_.statements[edge.statement]);
  // Wrong numbers of fields are errors of the send itself, whoever takes the message.
  Outcome wrong{{step}, {}, std::nullopt, context.pid};
  std::erase_if(notes_, [&](const Failure& note) {
    const bool of_fields = note.kind == RuntimeErrorKind::kMessageFields;
    if (of_fields) wrong.failures.push_back(note);
    return of_fields;
  });
  if (!wrong.failures.empty()) out.push_back(std::move(wrong));
  note_nondeterminism(context);
  State middle = *context.state;
  if (edge.target > 0) middle.processes[context.pid].location = edge.target;
  middle.last = context.pid;
  Context offered = context;
  offered.state = &middle;
  event(offered, StatementKind::kSend, message.channel, message.values);
  offered.message = &message;
  Rendezvous rendezvous{step, std::exchange(notes_, {}), {}, 0};
  return find_receivers(offered, context.pid, rendezvous, out) > 0 ? Taken::kYes : Taken::kNoPartner;
}

// Returns how often the message was taken, or an attempt failed.
unsigned Interpreter::find_receivers(const Context& context, uint8_t excluded, Rendezvous& rendezvous,
                                     std::vector<Outcome>& out) {
  unsigned taken = 0;
  for (size_t pid = context.state->processes.size(); pid-- > 0;) {
    if (pid != excluded) taken += try_receiver(context.as(pid), rendezvous, out);
  }
  return taken;
}

// An attempt to complete the rendezvous has ended here, without a successor unless the caller adds one. notes_: the
// failures of the receiver.
void Interpreter::end_rendezvous(const Context& context, const Step& step, const Rendezvous& rendezvous,
                                 std::vector<Outcome>& out) {
  Outcome outcome{rendezvous.inside, rendezvous.notes, std::nullopt, context.pid};
  outcome.path.push_back(step);
  outcome.failures.insert(outcome.failures.end(), notes_.begin(), notes_.end());
  notes_.clear();
  out.push_back(std::move(outcome));
}

unsigned Interpreter::try_receiver(Context context, Rendezvous& rendezvous, std::vector<Outcome>& out) {
  context.earlier = false;
  context.statement = kNoStatement;
  const ExpressionId provided = model_.proctypes[context.process().type].provided;
  try {
    if (provided != kNoExpression && value(context, provided) == 0) return 0;
  } catch (const Failure& failure) {
    notes_.push_back(failure);
    end_rendezvous(context, rendezvous.sender, rendezvous, out);
    return 1;
  }
  unsigned taken = 0;
  LocationId escape = 0;
  const std::vector<Edge>& edges = location_of(context).edges;
  for (uint16_t number = 0; number < edges.size(); ++number) {
    const Edge& edge = edges[number];
    if (escape > 0 && edge.escape != escape) break;
    context.statement = edge.statement;
    Step step = rendezvous.sender;
    step.partner = context.pid;
    step.partner_location = context.process().location;
    step.partner_edge = number;
    unsigned now = 1;
    try {
      if (!may_receive(context, model_.statements[edge.statement])) continue;
      now = handshake(context, edge, step, rendezvous, out);
    } catch (const Failure& failure) {
      notes_.push_back(failure);
      end_rendezvous(context, step, rendezvous, out);
    }
    taken += now;
    context.earlier = context.earlier || now > 0;
    escape = now > 0 ? edge.escape : LocationId{0};
  }
  return taken;
}

// Whether the statement can take part: a receive that takes the message, or any d_step that can start. Throws if that
// cannot be told; of a receive only if its channel is the one of the rendezvous.
bool Interpreter::may_receive(const Context& context, const Statement& statement) {
  if (statement.kind == StatementKind::kAtomicBlock) return can(context, context.statement) == Can::kYes;
  if (statement.kind != StatementKind::kReceive || statement.poll) return false;
  try {
    if (value(context, statement.channel) != static_cast<int32_t>(context.message->channel)) return false;
  } catch (const Failure& failure) {
    forget(failure);
    return false;
  }
  return can(context, context.statement) == Can::kHandshake;
}

// Executes an edge in the middle of the rendezvous.
unsigned Interpreter::handshake(const Context& context, const Edge& edge, const Step& step, Rendezvous& rendezvous,
                                std::vector<Outcome>& out) {
  note_nondeterminism(context);
  State next = *context.state;
  Context own = context;
  own.state = &next;
  try {
    execute(own, edge.statement);
  } catch (const Failure& failure) {
    notes_.push_back(failure);
    end_rendezvous(context, step, rendezvous, out);
    return 1;
  }
  if (edge.target > 0) next.processes[context.pid].location = edge.target;
  next.last = context.pid;
  const bool block = model_.statements[edge.statement].kind == StatementKind::kAtomicBlock;
  if (block && own.message != nullptr) {  // the message is still there
    Step inside = make_step(context, step.partner_edge);
    inside.inside_rendezvous = true;
    return pass_by(own, inside, rendezvous, out);
  }
  next.holder = edge.atomic ? context.pid : kNoProcess;
  end_rendezvous(context, step, rendezvous, out);
  out.back().state = std::move(next);
  return 1;
}

// Behind a d_step that did not take the message the search for a receiver goes on.
unsigned Interpreter::pass_by(const Context& context, const Step& inside, Rendezvous& rendezvous,
                              std::vector<Outcome>& out) {
  if (rendezvous.inside.size() >= kMostInside || ++rendezvous.passes > kMostPasses) {
    note(context, RuntimeErrorKind::kEndlessAtomicBlock);
    end_rendezvous(context, rendezvous.sender, rendezvous, out);
    return 1;
  }
  const size_t noted = rendezvous.notes.size();
  rendezvous.notes.insert(rendezvous.notes.end(), notes_.begin(), notes_.end());
  notes_.clear();
  rendezvous.inside.push_back(inside);
  const unsigned taken = find_receivers(context, context.pid, rendezvous, out);
  rendezvous.inside.pop_back();
  rendezvous.notes.resize(noted);
  return taken;
}

}  // namespace cmc::reference
