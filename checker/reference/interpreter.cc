#include "checker/reference/interpreter.h"

#include <algorithm>

#include "base/check.h"
#include "ir/arithmetic.h"
#include "ir/scalar.h"

namespace cmc::reference {

namespace {

constexpr uint32_t kMostBlockStatements = 1'000'000;
constexpr unsigned kMostEnabledDepth = 16;

// Field i of a message; 0 if the channel has no such field.
int32_t field(const std::vector<int32_t>& message, size_t i) { return i < message.size() ? message[i] : 0; }

}  // namespace

// Expressions

int32_t Interpreter::value(const Context& context, ExpressionId id) {
  const Expression& expression = model_.expressions[id];
  const auto operand = [&](size_t i) { return value(context, expression.operands[i]); };
  const bool of_claim = context.actor == Context::Actor::kClaim;
  switch (expression.op) {
    case Operator::kConstant: return expression.value;
    case Operator::kVariable: return load_scalar(expression.reference.type, place(context, expression.reference));
    case Operator::kOwnPid: return of_claim ? 0 : context.pid;
    // A claim that runs is counted, by the processes, too.
    case Operator::kProcessCount:
      return static_cast<int32_t>(context.state->processes.size()) + (model_.claim.exists() ? 1 : 0);
    case Operator::kLast: return context.state->last;
    case Operator::kOwnPriority: return of_claim ? 1 : context.process().priority;
    case Operator::kTimeout: return context.timeout;
    case Operator::kNonProgress: return non_progress(*context.state);
    case Operator::kNoRendezvous: return context.message == nullptr;
    case Operator::kElseGuard: return !context.earlier;
    case Operator::kEmbeddedC: fail(context, RuntimeErrorKind::kEmbeddedC);
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kComplement: return apply(expression.op, operand(0));
    case Operator::kAnd: return operand(0) != 0 && operand(1) != 0;
    case Operator::kOr: return operand(0) != 0 || operand(1) != 0;
    case Operator::kConditional: return operand(0) != 0 ? operand(1) : operand(2);
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty:
    case Operator::kPoll: return channel_value(context, expression);
    case Operator::kReceivable: return can(context, expression.statement) != Can::kNo;
    case Operator::kEnabled: return is_enabled(context, operand(0));
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable: return process_value(context, expression);
    case Operator::kExists:
      return ask(context, static_cast<uint32_t>(expression.value), GuardGoal::kExists, 0).outcome ==
             GuardAnswer::Outcome::kSome;
    default: return binary(context, expression);
  }
}

int32_t Interpreter::binary(const Context& context, const Expression& expression) {
  CHECK(expression.operands.size() == 2);
  const int32_t left = value(context, expression.operands[0]);
  const int32_t right = value(context, expression.operands[1]);
  const std::optional<int32_t> result = apply(expression.op, left, right);
  if (!result) fail(context, RuntimeErrorKind::kDivisionByZero);
  return *result;
}

// A system that is blocked makes no cycle without progress, as SPIN's verifier has it.
bool Interpreter::non_progress(const State& state) const {
  return !state.claim.blocked && std::ranges::none_of(state.processes, [&](const Process& process) {
    return model_.proctypes[process.type].locations[process.location].progress;
  });
}

// `local` is the memory in which a local variable lies.
std::byte* Interpreter::place(const Context& context, const VariableReference& reference, Bytes& local) {
  size_t offset = reference.offset;
  for (const VariableReference::Index& index : reference.indices) {
    const int32_t at = value(context, index.expression);
    if (at < 0 || static_cast<uint32_t>(at) >= index.count) fail(context, RuntimeErrorKind::kIndexOutOfBounds, at);
    offset += static_cast<size_t>(at) * index.stride;
  }
  Bytes& memory = reference.space == Space::kGlobal ? context.state->globals : local;
  CHECK(offset + reference.type.bytes <= memory.size());
  return memory.data() + offset;
}

std::byte* Interpreter::place(const Context& context, const VariableReference& reference) {
  const bool global = reference.space == Space::kGlobal;
  return place(context, reference, global ? context.state->globals : context.memory());
}

uint32_t Interpreter::channel_id(const Context& context, ExpressionId channel) {
  const int32_t id = value(context, channel);
  if (id <= 0 || static_cast<size_t>(id) > context.state->channels.size()) {
    fail(context, RuntimeErrorKind::kUninitializedChannel, id);
  }
  return static_cast<uint32_t>(id);
}

Channel& Interpreter::channel_of(const Context& context, ExpressionId channel) {
  return context.state->channels[channel_id(context, channel) - 1];
}

int32_t Interpreter::channel_value(const Context& context, const Expression& expression) {
  const Channel& channel = channel_of(context, expression.operands[0]);
  switch (expression.op) {
    case Operator::kLength: return static_cast<int32_t>(channel.messages.size());
    case Operator::kFull: return channel.full();
    case Operator::kEmpty: return channel.messages.empty();
    case Operator::kNotFull: return !channel.full();
    case Operator::kNotEmpty: return !channel.messages.empty();
    default: break;
  }
  if (channel.rendezvous()) fail(context, RuntimeErrorKind::kRendezvousPolled);
  const std::optional<size_t> found = find_message(context, channel, expression.arguments, expression.flag);
  const bool numbered = expression.flag && std::ranges::any_of(expression.arguments, &ReceiveArgument::is_match);
  return !found ? 0 : numbered ? static_cast<int32_t>(*found) + 1 : 1;
}

int32_t Interpreter::process_value(const Context& context, const Expression& expression) {
  std::vector<Process>& processes = context.state->processes;
  size_t pid = processes.size();
  if (!expression.operands.empty()) {
    const int32_t number = value(context, expression.operands[0]);
    if (number >= 0) pid = static_cast<size_t>(number);
  } else {
    const auto first = std::ranges::find(processes, expression.proctype, &Process::type);
    pid = static_cast<size_t>(first - processes.begin());
  }
  if (pid >= processes.size()) return 0;
  Process& process = processes[pid];
  switch (expression.op) {
    case Operator::kLocationOf: return process.location;
    case Operator::kPriorityOf: return process.priority;
    case Operator::kRemoteLocation: return process.location == expression.value;
    default: break;
  }
  if (process.type != expression.proctype) return 0;
  return load_scalar(expression.reference.type, place(context, expression.reference, process.memory));
}

// A receive in order compares up to the first argument that differs; a random one (??) evaluates all arguments first.
bool Interpreter::matches(const Context& context, const std::vector<ReceiveArgument>& arguments, bool random,
                          const std::vector<int32_t>& message) {
  bool equal = true;
  for (size_t i = 0; i < arguments.size() && (equal || random); ++i) {
    if (arguments[i].is_match() && value(context, arguments[i].match) != field(message, i)) equal = false;
  }
  return equal;
}

// The number of the message that a receive from a buffered channel takes.
std::optional<size_t> Interpreter::find_message(const Context& context, const Channel& channel,
                                                const std::vector<ReceiveArgument>& arguments, bool random) {
  const size_t candidates = random ? channel.messages.size() : std::min<size_t>(1, channel.messages.size());
  for (size_t i = 0; i < candidates; ++i) {
    if (matches(context, arguments, random, channel.messages[i])) return i;
  }
  return std::nullopt;
}

// Asks the decider. Throws if the answer is missing, or an error of the model.
GuardAnswer Interpreter::ask(const Context& context, uint32_t number, GuardGoal goal, uint32_t most_witnesses) {
  const SolverGuard& guard = model_.guards[number];
  GuardQuestion question{number, goal, most_witnesses, {}, {}};
  for (const SolverGuard::Target& target : guard.targets) {
    const int32_t low = value(context, target.low);
    question.ranges.push_back({low, value(context, target.high)});
  }
  std::vector<Failure> failures(guard.parameters.size());
  for (size_t i = 0; i < guard.parameters.size(); ++i) {
    try {
      question.parameters.push_back({value(context, guard.parameters[i]), true});
    } catch (const Failure& failure) {
      if (failure.kind >= RuntimeErrorKind::kUndecidedGuard) throw;
      question.parameters.push_back({0, false});
      failures[i] = failure;
    }
  }
  GuardAnswer answer = decider_ != nullptr ? decider_->decide(question) : try_tuples(model_, question, kTriedTuples);
  switch (answer.outcome) {
    case GuardAnswer::Outcome::kUndecided:
      fail(context, RuntimeErrorKind::kUndecidedGuard, static_cast<int32_t>(number));
    case GuardAnswer::Outcome::kPending:
      fail(context, RuntimeErrorKind::kPendingGuard, static_cast<int32_t>(answer.question));
    case GuardAnswer::Outcome::kUndefined: break;
    default: return answer;
  }
  const ConditionResult& undefined = answer.undefined;
  if (undefined.kind == ConditionResult::Kind::kParameter) throw failures[static_cast<size_t>(undefined.detail)];
  if (undefined.kind == ConditionResult::Kind::kIndex) {
    fail(context, RuntimeErrorKind::kIndexOutOfBounds, undefined.detail);
  }
  fail(context, RuntimeErrorKind::kDivisionByZero);
}

// A failure of something that was only tried does not count, but an answer that is pending does.
void Interpreter::forget(const Failure& failure) {
  if (failure.kind == RuntimeErrorKind::kPendingGuard) pending_question_ = static_cast<uint32_t>(failure.value);
}

// Statements

Interpreter::Can Interpreter::can(const Context& context, StatementId id) {
  const Statement& statement = model_.statements[id];
  const auto yes_if = [](bool yes) { return yes ? Can::kYes : Can::kNo; };
  switch (statement.kind) {
    case StatementKind::kCondition:
      return yes_if(model_.expressions[statement.expression].op == Operator::kRun ||
                    value(context, statement.expression) != 0);
    case StatementKind::kElse: return yes_if(!context.earlier);
    case StatementKind::kEndProcess: return yes_if(context.pid + 1u == context.state->processes.size());
    case StatementKind::kAtomicBlock:
      return yes_if(statement.guard == kNoExpression || value(context, statement.guard) != 0);
    case StatementKind::kChoose:
      return yes_if(ask(context, statement.guard_number, GuardGoal::kExists, 0).outcome ==
                    GuardAnswer::Outcome::kSome);
    case StatementKind::kSend: {
      const Channel& channel = channel_of(context, statement.channel);
      return channel.rendezvous() ? Can::kHandshake : yes_if(!channel.full());
    }
    case StatementKind::kReceive: break;
    default: return Can::kYes;
  }
  const uint32_t id_of_channel = channel_id(context, statement.channel);
  const Channel& channel = context.state->channels[id_of_channel - 1];
  if (channel.rendezvous()) {
    if (statement.poll) fail(context, RuntimeErrorKind::kRendezvousPolled);
    if (context.message == nullptr || context.message->channel != id_of_channel) return Can::kNo;
    return matches(context, statement.arguments, statement.flag, context.message->values) ? Can::kHandshake
                                                                                          : Can::kNo;
  }
  if (context.message != nullptr && !statement.poll) return Can::kNo;  // nothing else is received meanwhile
  return yes_if(find_message(context, channel, statement.arguments, statement.flag).has_value());
}

// Executes a statement that can be executed, in context.state.
void Interpreter::execute(Context& context, StatementId id) {
  const Statement& statement = model_.statements[id];
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse: return;
    case StatementKind::kEndProcess: remove_process(model_, *context.state); return;
    case StatementKind::kAtomicBlock: run_block(context, statement); return;
    case StatementKind::kCondition:
      if (model_.expressions[statement.expression].op == Operator::kRun) value_or_run(context, statement.expression);
      return;
    case StatementKind::kAssign: {
      const int32_t assigned = value_or_run(context, statement.expression);
      if (!statement.discard_target) assign(context, statement.target, assigned);
      return;
    }
    case StatementKind::kSend: send(context, statement); return;
    case StatementKind::kReceive: receive(context, statement); return;
    case StatementKind::kAssert:
      if (value(context, statement.expression) == 0) note(context, RuntimeErrorKind::kAssertion);
      return;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) static_cast<void>(value(context, operand));
      return;
    case StatementKind::kPrintm: static_cast<void>(value(context, statement.expression)); return;
    case StatementKind::kSetPriority: set_priority(context, statement); return;
    case StatementKind::kChoose: choose_values(context, statement); return;
    case StatementKind::kEmbeddedC: fail(context, RuntimeErrorKind::kEmbeddedC);
  }
}

int32_t Interpreter::value_or_run(const Context& context, ExpressionId id) {
  const Expression& expression = model_.expressions[id];
  return expression.op == Operator::kRun ? run(context, expression) : value(context, id);
}

// Creates a process. Returns its pid.
int32_t Interpreter::run(const Context& context, const Expression& expression) {
  State& state = *context.state;
  const Proctype& type = model_.proctypes[expression.proctype];
  std::vector<int32_t> arguments;
  for (const ExpressionId operand : expression.operands) arguments.push_back(value(context, operand));
  const size_t pid = state.processes.size();
  const size_t channels = state.channels.size();
  if (pid >= kMaxProcesses) fail(context, RuntimeErrorKind::kTooManyProcesses, static_cast<int32_t>(pid));
  if (channels + type.channels.size() > kMaxChannels) {
    fail(context, RuntimeErrorKind::kTooManyChannels, static_cast<int32_t>(channels));
  }
  append_process(model_, state, expression.proctype,
                 expression.value == 0 ? uint8_t{1} : static_cast<uint8_t>(expression.value));
  const Context created = context.as(pid);
  for (size_t i = 0; i < arguments.size() && i < type.parameters.size(); ++i) {
    assign(created, type.parameters[i], arguments[i]);
  }
  initialize(created, type.initializers, channels);
  return static_cast<int32_t>(pid);
}

// `channels_before`: how many channels there were before those that the initializers can name.
void Interpreter::initialize(const Context& context, const std::vector<Initializer>& initializers,
                             size_t channels_before) {
  for (const Initializer& initializer : initializers) {
    const int32_t initial = initializer.channel >= 0 ? static_cast<int32_t>(channels_before) + initializer.channel + 1
                                                     : value_or_run(context, initializer.value);
    assign(context, initializer.target, initial);
  }
}

void Interpreter::assign(const Context& context, const VariableReference& target, int32_t assigned) {
  store_scalar(target.type, place(context, target), assigned);
  note_unless_fits(context, target.type, assigned);
}

void Interpreter::note_unless_fits(const Context& context, const ScalarType& type, int32_t value) {
  if (model_.overflow == Overflow::kIgnored || model_.overflow == Overflow::kShown || fits(type, value)) return;
  const bool error = model_.overflow == Overflow::kError;
  note(context, error ? RuntimeErrorKind::kOverflow : RuntimeErrorKind::kOverflowNote, value);
}

// The values as the channel keeps them.
std::vector<int32_t> Interpreter::truncated(const Context& context, std::vector<int32_t> values,
                                            const ChannelType& type) {
  for (size_t i = 0; i < values.size(); ++i) {
    note_unless_fits(context, type.fields[i], values[i]);
    values[i] = truncate(type.fields[i], values[i]);
  }
  return values;
}

// The values of a message, not truncated, one for each field of the channel.
std::vector<int32_t> Interpreter::message_values(const Context& context, const Statement& send,
                                                 const ChannelType& type) {
  const size_t fields = type.fields.size();
  if (send.operands.size() != fields) note(context, RuntimeErrorKind::kMessageFields, static_cast<int32_t>(fields));
  std::vector<int32_t> values;
  for (const ExpressionId operand : send.operands) values.push_back(value(context, operand));
  values.resize(fields);
  return values;
}

// Of a send to a rendezvous channel.
Message Interpreter::message_of(const Context& context, const Statement& send) {
  const uint32_t id = channel_id(context, send.channel);
  const ChannelType& type = *context.state->channels[id - 1].type;
  return {id, truncated(context, message_values(context, send, type), type)};
}

// To a buffered channel. A sorted send goes before the first message that is larger.
void Interpreter::send(const Context& context, const Statement& statement) {
  const uint32_t id = channel_id(context, statement.channel);
  Channel& channel = context.state->channels[id - 1];
  const std::vector<int32_t> values = message_values(context, statement, *channel.type);
  auto before = channel.messages.end();
  if (statement.flag) {
    before = std::ranges::find_if(channel.messages, [&](const std::vector<int32_t>& each) { return values < each; });
  }
  channel.messages.insert(before, truncated(context, values, *channel.type));
  event(context, StatementKind::kSend, id, channel.messages.back());
}

void Interpreter::receive(const Context& context, const Statement& statement) {
  const uint32_t id = channel_id(context, statement.channel);
  Channel& channel = context.state->channels[id - 1];
  const size_t fields = channel.type->fields.size();
  const size_t arguments = statement.arguments.size();
  if (arguments > fields || (arguments < fields && !statement.poll)) {
    note(context, RuntimeErrorKind::kMessageFields, static_cast<int32_t>(fields));
  }
  size_t number = 0;
  std::vector<int32_t> values;
  if (channel.rendezvous()) {
    CHECK(context.message != nullptr);
    values = context.message->values;
  } else {
    const std::optional<size_t> found = find_message(context, channel, statement.arguments, statement.flag);
    CHECK(found.has_value());
    number = *found;
    values = channel.messages[number];
  }
  if (!statement.poll) {
    event(context, StatementKind::kReceive, id, channel.rendezvous() ? values : channel.messages.front());
  }
  for (size_t i = 0; i < arguments; ++i) {
    if (statement.arguments[i].kind != ReceiveArgument::Kind::kStore) continue;
    assign(context, statement.arguments[i].store, field(values, i));
  }
  if (!statement.poll && !channel.rendezvous()) {
    channel.messages.erase(channel.messages.begin() + static_cast<ptrdiff_t>(number));
  }
}

void Interpreter::set_priority(const Context& context, const Statement& statement) {
  const int32_t pid = value(context, statement.operands[0]);
  const int32_t priority = value(context, statement.operands[1]);
  if (pid < 0 || static_cast<size_t>(pid) >= context.state->processes.size()) return;
  if (priority < 1 || priority > 255) fail(context, RuntimeErrorKind::kPriorityRange, priority);
  context.state->processes[static_cast<size_t>(pid)].priority = static_cast<uint8_t>(priority);
}

// All places are found before the first value is assigned.
void Interpreter::choose_values(const Context& context, const Statement& statement) {
  CHECK(context.witness != nullptr && context.witness->size() == statement.targets.size());
  std::vector<std::byte*> places;
  for (const VariableReference& target : statement.targets) places.push_back(place(context, target));
  for (size_t i = 0; i < places.size(); ++i) {
    store_scalar(statement.targets[i].type, places[i], (*context.witness)[i]);
    note_unless_fits(context, statement.targets[i].type, (*context.witness)[i]);
  }
}

// The body of a d_step. A receive in it may take the message of a rendezvous under way: context.message is null then.
void Interpreter::run_block(Context& context, const Statement& block) {
  const StatementId outer = context.statement;
  uint32_t executed = 0;
  for (uint32_t at = 0; at != DeterministicNode::kDone; ++executed) {
    context.statement = outer;
    if (executed == kMostBlockStatements) fail(context, RuntimeErrorKind::kEndlessAtomicBlock);
    const auto& alternatives = block.body[at].alternatives;
    const auto taken = std::ranges::find_if(alternatives, [&](const DeterministicNode::Alternative& alternative) {
      return try_in_block(context, alternative.statement);
    });
    if (taken == alternatives.end()) fail(context, RuntimeErrorKind::kAtomicBlockBlocks);
    at = taken->next;
  }
  context.statement = outer;
}

// Executes the statement unless it blocks. Returns whether it did.
bool Interpreter::try_in_block(Context& context, StatementId id) {
  const Statement& statement = model_.statements[id];
  context.statement = id;
  if (statement.kind == StatementKind::kElse) return true;
  if (statement.kind == StatementKind::kChoose) {
    const GuardGoal goal = statement.flag ? GuardGoal::kLeast : GuardGoal::kAll;
    const GuardAnswer answer = ask(context, statement.guard_number, goal, statement.most_witnesses);
    if (answer.witnesses.empty()) return false;
    context.witness = &answer.witnesses.front();
    execute(context, id);
    context.witness = nullptr;
    return true;
  }
  const Can can_it = can(context, id);
  if (can_it == Can::kNo) return false;
  const bool handshake = can_it == Can::kHandshake;
  if (handshake && statement.kind == StatementKind::kSend) fail(context, RuntimeErrorKind::kRendezvousInAtomicBlock);
  execute(context, id);
  if (handshake) context.message = nullptr;
  return true;
}

// Processes that only ask about each other

const Location& Interpreter::location_of(const Context& context) const {
  if (context.actor == Context::Actor::kClaim) {
    return model_.claims[model_.claim.claim].locations[context.state->claim.location];
  }
  return model_.proctypes[context.process().type].locations[context.process().location];
}

// Whether some edge of the process is executable, leaving aside escapes, `provided` and atomicity. As in SPIN, an
// `else` asks whether an earlier edge of the process that moves was executable.
bool Interpreter::some_edge(const Context& context) {
  return std::ranges::any_of(location_of(context).edges, [&](const Edge& edge) {
    const Statement& statement = model_.statements[edge.statement];
    if (statement.kind == StatementKind::kCondition &&
        model_.expressions[statement.expression].op == Operator::kRun) {
      return context.state->processes.size() < kMaxProcesses;
    }
    const Can can_it = can(context, edge.statement);
    if (statement.kind == StatementKind::kSend && can_it == Can::kHandshake) {
      return has_receiver(context, statement);
    }
    if (statement.kind == StatementKind::kReceive && can_it == Can::kNo && !statement.poll) {
      return has_sender(context, edge.statement);
    }
    return can_it != Can::kNo;
  });
}

// The message that a send to a rendezvous channel would send; none if it would fail.
std::optional<Message> Interpreter::try_message(const Context& context, const Statement& send) {
  const size_t noted = notes_.size();
  std::optional<Message> message;
  try {
    message = message_of(context, send);
  } catch (const Failure& failure) {
    forget(failure);
  }
  notes_.resize(noted);
  return message;
}

bool Interpreter::can_take(Context context, StatementId receive, const Message& message) {
  context.message = &message;
  return try_can(context, receive) == Can::kHandshake;
}

// As can(); nothing if that fails.
std::optional<Interpreter::Can> Interpreter::try_can(const Context& context, StatementId id) {
  try {
    return can(context, id);
  } catch (const Failure& failure) {
    forget(failure);
    return std::nullopt;
  }
}

// Whether another process could complete the rendezvous of this send.
bool Interpreter::has_receiver(const Context& context, const Statement& send) {
  const std::optional<Message> message = try_message(context, send);
  if (!message) return true;
  for (size_t pid = 0; pid < context.state->processes.size(); ++pid) {
    if (pid == context.pid) continue;
    const Context receiver = context.as(pid);
    for (const Edge& edge : location_of(receiver).edges) {
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind != StatementKind::kReceive || statement.poll) continue;
      if (can_take(receiver, edge.statement, *message)) return true;
    }
  }
  return false;
}

// Whether another process offers a message that this receive takes.
bool Interpreter::has_sender(const Context& context, StatementId receive) {
  for (size_t pid = 0; pid < context.state->processes.size(); ++pid) {
    if (pid == context.pid) continue;
    const Context sender = context.as(pid);
    for (const Edge& edge : location_of(sender).edges) {
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind != StatementKind::kSend || try_can(sender, edge.statement) != Can::kHandshake) continue;
      const std::optional<Message> message = try_message(sender, statement);
      if (message && can_take(context, receive, *message)) return true;
    }
  }
  return false;
}

bool Interpreter::is_enabled(const Context& context, int32_t pid) {
  const bool own = context.actor == Context::Actor::kProcess && pid == context.pid;
  if (own || context.enabled_depth >= kMostEnabledDepth) {
    fail(context, RuntimeErrorKind::kEnabledOfSelf, pid);
  }
  if (pid < 0 || static_cast<size_t>(pid) >= context.state->processes.size()) return false;
  Context other = context.as(static_cast<size_t>(pid));
  ++other.enabled_depth;
  return some_edge(other);
}

}  // namespace cmc::reference
