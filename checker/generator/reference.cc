#include "checker/generator/reference.h"

#include <algorithm>
#include <optional>

#include "checker/generator/stepper.h"
#include "ir/arithmetic.h"

namespace cmc {

namespace {

// A channel's contents as accessors over the state vector.
class ChannelReader {
 public:
  ChannelReader(const ChannelType& type, const std::byte* contents) : type_(type), contents_(contents) {}

  [[nodiscard]] const ChannelType& type() const { return type_; }
  [[nodiscard]] bool rendezvous() const { return type_.rendezvous(); }
  [[nodiscard]] uint32_t length() const { return load<uint16_t>(contents_); }
  [[nodiscard]] bool full() const { return !rendezvous() && length() >= type_.capacity; }
  [[nodiscard]] bool empty() const { return length() == 0; }

  // Field `field` of the message in slot `slot`; 0 if the channel has no such field.
  [[nodiscard]] int32_t field(uint32_t slot, size_t field) const {
    if (field >= type_.fields.size()) return 0;
    const uint32_t offset = kChannelHeaderBytes + slot * type_.message_bytes + type_.field_offsets[field];
    return load_scalar(type_.fields[field], contents_ + offset);
  }

 private:
  const ChannelType& type_;
  const std::byte* contents_;
};

// Writes a channel's contents.
class ChannelWriter {
 public:
  ChannelWriter(const ChannelType& type, std::byte* contents) : type_(type), contents_(contents) {}

  void insert(uint32_t slot, const std::vector<int32_t>& values) {
    const uint32_t length = load<uint16_t>(contents_);
    std::memmove(slot_at(slot + 1), slot_at(slot), size_t{length - slot} * type_.message_bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      store_scalar(type_.fields[i], slot_at(slot) + type_.field_offsets[i], values[i]);
    }
    store(contents_, static_cast<uint16_t>(length + 1));
  }

  void remove(uint32_t slot) {
    const uint32_t length = load<uint16_t>(contents_);
    std::memmove(slot_at(slot), slot_at(slot + 1), size_t{length - slot - 1} * type_.message_bytes);
    std::memset(slot_at(length - 1), 0, type_.message_bytes);
    store(contents_, static_cast<uint16_t>(length - 1));
  }

 private:
  std::byte* slot_at(uint32_t slot) { return contents_ + kChannelHeaderBytes + slot * type_.message_bytes; }

  const ChannelType& type_;
  std::byte* contents_;
};

class ReferenceMachine {
 public:
  ReferenceMachine(const Model& model, GuardDecider* decider) : model_(model), decider_(decider) {}

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] GuardDecider* decider() const { return decider_; }
  bool evaluate(const View& view, ExpressionId id, int32_t& value);
  Executability test(const View& view, StatementId id);
  bool message(const View& view, StatementId id, RendezvousMessage& message);
  bool execute(Scratch& scratch, StatementId id);

 private:
  bool evaluate_leaf(const View& view, const Expression& expression, int32_t& value);
  bool evaluate_unary_or_binary(const View& view, const Expression& expression, int32_t& value);
  bool evaluate_lazy(const View& view, const Expression& expression, int32_t& value);
  bool evaluate_channel(const View& view, const Expression& expression, int32_t& value);
  bool evaluate_process(const View& view, const Expression& expression, int32_t& value);
  bool non_progress(const View& view) const;

  bool channel_id(const View& view, ExpressionId channel, uint32_t& id);
  ChannelReader reader(const View& view, uint32_t id) const {
    const StateIndex::Channel& channel = view.index->channels[id];
    return {model_.channel_types[channel.type], view.state + channel.offset};
  }
  ChannelWriter writer(Scratch& scratch, uint32_t id) const {
    const StateIndex::Channel& channel = scratch.view.index->channels[id];
    return {model_.channel_types[channel.type], scratch.state + channel.offset};
  }
  // The slot that a receive takes; -1: none. False: a fault was noted.
  bool find_slot(const View& view, const ChannelReader& channel, const std::vector<ReceiveArgument>& arguments,
                 bool random, int32_t& slot);
  template <class Field>
  bool first_matches(const View& view, const std::vector<ReceiveArgument>& arguments, Field field, bool& matches);
  bool evaluate_matches(const View& view, const std::vector<ReceiveArgument>& arguments,
                        std::vector<std::optional<int32_t>>& wanted);

  bool send_values(const View& view, const Statement& statement, const ChannelType& type,
                   std::vector<int32_t>& values);
  static void truncate_values(const ChannelType& type, std::vector<int32_t>& values);
  bool assign(Scratch& scratch, const Statement& statement);
  bool send(Scratch& scratch, const Statement& statement);
  bool receive(Scratch& scratch, const Statement& statement);
  bool set_priority(Scratch& scratch, const Statement& statement);
  bool choose(Scratch& scratch, const Statement& statement);
  bool store_at(Scratch& scratch, const VariableReference& target, int32_t value);

  const Model& model_;
  GuardDecider* decider_;
};

bool ReferenceMachine::evaluate(const View& view, ExpressionId id, int32_t& value) {
  const Expression& expression = model_.expressions[id];
  switch (expression.op) {
    case Operator::kConstant:
    case Operator::kVariable:
    case Operator::kOwnPid:
    case Operator::kProcessCount:
    case Operator::kLast:
    case Operator::kOwnPriority:
    case Operator::kTimeout:
    case Operator::kNonProgress:
    case Operator::kNoRendezvous:
    case Operator::kElseGuard:
    case Operator::kEmbeddedC: return evaluate_leaf(view, expression, value);
    case Operator::kAnd:
    case Operator::kOr:
    case Operator::kConditional: return evaluate_lazy(view, expression, value);
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty:
    case Operator::kPoll:
    case Operator::kReceivable: return evaluate_channel(view, expression, value);
    case Operator::kRun:
    case Operator::kEnabled:
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable: return evaluate_process(view, expression, value);
    case Operator::kExists: return guard_exists(*this, view, static_cast<uint32_t>(expression.value), value);
    default: return evaluate_unary_or_binary(view, expression, value);
  }
}

bool ReferenceMachine::evaluate_leaf(const View& view, const Expression& expression, int32_t& value) {
  switch (expression.op) {
    case Operator::kConstant: value = expression.value; return true;
    case Operator::kVariable: {
      uint32_t offset = 0;
      if (!locate(*this, view, expression.reference, offset)) return false;
      const std::byte* space = expression.reference.space == Space::kGlobal ? view.state : view.frame;
      value = load_scalar(expression.reference.type, space + offset);
      return true;
    }
    case Operator::kOwnPid: value = view.pid; return true;
    case Operator::kProcessCount: value = static_cast<int32_t>(view.index->process_count); return true;
    case Operator::kLast: value = load<uint8_t>(view.state + model_.last_offset()); return true;
    case Operator::kOwnPriority: value = load<uint8_t>(view.frame + kFramePriority); return true;
    case Operator::kTimeout: value = view.timeout; return true;
    case Operator::kNonProgress: value = non_progress(view); return true;
    case Operator::kNoRendezvous: value = view.rendezvous_channel() == 0; return true;
    case Operator::kElseGuard: value = !view.earlier; return true;
    default: return view.fault(RuntimeErrorKind::kEmbeddedC);
  }
}

bool ReferenceMachine::non_progress(const View& view) const {
  for (uint32_t pid = 0; pid < view.index->process_count; ++pid) {
    const std::byte* frame = view.state + view.index->frames[pid];
    const Proctype& type = model_.proctypes[load<uint8_t>(frame + kFrameProctype)];
    if (type.locations[load<LocationId>(frame + kFrameLocation)].progress) return false;
  }
  return true;
}

bool ReferenceMachine::evaluate_unary_or_binary(const View& view, const Expression& expression, int32_t& value) {
  int32_t a = 0;
  int32_t b = 0;
  if (!evaluate(view, expression.operands[0], a)) return false;
  if (expression.operands.size() == 1) {
    value = apply(expression.op, a);
    return true;
  }
  if (!evaluate(view, expression.operands[1], b)) return false;
  const std::optional<int32_t> result = apply(expression.op, a, b);
  if (!result) return view.fault(RuntimeErrorKind::kDivisionByZero);
  value = *result;
  return true;
}

bool ReferenceMachine::evaluate_lazy(const View& view, const Expression& expression, int32_t& value) {
  int32_t first = 0;
  if (!evaluate(view, expression.operands[0], first)) return false;
  if (expression.op == Operator::kConditional) {
    return evaluate(view, expression.operands[first != 0 ? 1 : 2], value);
  }
  const bool decided = (expression.op == Operator::kAnd) == (first == 0);
  if (decided) {
    value = first != 0;
    return true;
  }
  int32_t second = 0;
  if (!evaluate(view, expression.operands[1], second)) return false;
  value = second != 0;
  return true;
}

bool ReferenceMachine::channel_id(const View& view, ExpressionId channel, uint32_t& id) {
  int32_t value = 0;
  if (!evaluate(view, channel, value)) return false;
  if (value <= 0 || static_cast<uint32_t>(value) > view.index->channel_count) {
    return view.fault(RuntimeErrorKind::kUninitializedChannel, value);
  }
  id = static_cast<uint32_t>(value);
  return true;
}

bool ReferenceMachine::evaluate_channel(const View& view, const Expression& expression, int32_t& value) {
  if (expression.op == Operator::kReceivable) {
    const Executability result = test(view, expression.statement);
    value = result != Executability::kBlocked;
    return result != Executability::kFault;
  }
  uint32_t id = 0;
  if (!channel_id(view, expression.operands[0], id)) return false;
  const ChannelReader channel = reader(view, id);
  switch (expression.op) {
    case Operator::kLength: value = static_cast<int32_t>(channel.length()); return true;
    case Operator::kFull: value = channel.full(); return true;
    case Operator::kEmpty: value = channel.empty(); return true;
    case Operator::kNotFull: value = !channel.full(); return true;
    case Operator::kNotEmpty: value = !channel.empty(); return true;
    default: break;
  }
  if (channel.rendezvous()) return view.fault(RuntimeErrorKind::kRendezvousPolled);
  int32_t slot = -1;
  if (!find_slot(view, channel, expression.arguments, expression.flag, slot)) return false;
  const bool numbered = expression.flag && std::any_of(expression.arguments.begin(), expression.arguments.end(),
                                                       [](const ReceiveArgument& argument) {
                                                         return argument.kind == ReceiveArgument::Kind::kMatch;
                                                       });
  value = numbered ? slot + 1 : slot >= 0;
  return true;
}

bool ReferenceMachine::evaluate_process(const View& view, const Expression& expression, int32_t& value) {
  CHECK(expression.op != Operator::kRun);
  int32_t pid = -1;
  if (!expression.operands.empty()) {
    if (!evaluate(view, expression.operands[0], pid)) return false;
  } else {
    for (int32_t i = static_cast<int32_t>(view.index->process_count) - 1; i >= 0; --i) {
      const View other = view.as(static_cast<uint8_t>(i));
      if (load<uint8_t>(other.frame + kFrameProctype) == expression.proctype) pid = i;
    }
  }
  if (expression.op == Operator::kEnabled) return is_enabled(*this, view, pid, value);
  value = 0;
  if (pid < 0 || static_cast<uint32_t>(pid) >= view.index->process_count) return true;
  const std::byte* frame = view.state + view.index->frames[pid];
  const LocationId location = load<LocationId>(frame + kFrameLocation);
  switch (expression.op) {
    case Operator::kLocationOf: value = location; return true;
    case Operator::kPriorityOf: value = load<uint8_t>(frame + kFramePriority); return true;
    case Operator::kRemoteLocation: value = location == expression.value; return true;
    default: break;
  }
  if (load<uint8_t>(frame + kFrameProctype) != expression.proctype) return true;
  uint32_t offset = 0;
  if (!locate(*this, view, expression.reference, offset)) return false;
  value = load_scalar(expression.reference.type, frame + offset);
  return true;
}

bool ReferenceMachine::evaluate_matches(const View& view, const std::vector<ReceiveArgument>& arguments,
                                        std::vector<std::optional<int32_t>>& wanted) {
  for (const ReceiveArgument& argument : arguments) {
    std::optional<int32_t>& value = wanted.emplace_back();
    if (argument.kind != ReceiveArgument::Kind::kMatch) continue;
    value = 0;
    if (!evaluate(view, argument.match, *value)) return false;
  }
  return true;
}

// Do the match arguments, up to the first that differs, agree with the message whose fields `field(i)` gives?
template <class Field>
bool ReferenceMachine::first_matches(const View& view, const std::vector<ReceiveArgument>& arguments, Field field,
                                     bool& matches) {
  matches = true;
  for (size_t i = 0; matches && i < arguments.size(); ++i) {
    if (arguments[i].kind != ReceiveArgument::Kind::kMatch) continue;
    int32_t value = 0;
    if (!evaluate(view, arguments[i].match, value)) return false;
    matches = value == field(i);
  }
  return true;
}

bool ReferenceMachine::find_slot(const View& view, const ChannelReader& channel,
                                 const std::vector<ReceiveArgument>& arguments, bool random, int32_t& slot) {
  slot = -1;
  if (channel.empty()) return true;
  if (!random) {
    bool matches = false;
    if (!first_matches(
            view, arguments, [&](size_t i) { return channel.field(0, i); }, matches))
      return false;
    if (matches) slot = 0;
    return true;
  }
  std::vector<std::optional<int32_t>> wanted;
  if (!evaluate_matches(view, arguments, wanted)) return false;
  for (uint32_t candidate = 0; candidate < channel.length(); ++candidate) {
    bool matches = true;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] && *wanted[i] != channel.field(candidate, i)) matches = false;
    }
    if (!matches) continue;
    slot = static_cast<int32_t>(candidate);
    return true;
  }
  return true;
}

Executability ReferenceMachine::test(const View& view, StatementId id) {
  const Statement& statement = model_.statements[id];
  switch (statement.kind) {
    case StatementKind::kCondition: {
      if (model_.expressions[statement.expression].op == Operator::kRun) return Executability::kExecutable;
      int32_t value = 0;
      if (!evaluate(view, statement.expression, value)) return Executability::kFault;
      return value != 0 ? Executability::kExecutable : Executability::kBlocked;
    }
    case StatementKind::kChoose: {
      int32_t value = 0;
      if (!guard_exists(*this, view, statement.guard_number, value)) return Executability::kFault;
      return value != 0 ? Executability::kExecutable : Executability::kBlocked;
    }
    case StatementKind::kSend: {
      uint32_t channel = 0;
      if (!channel_id(view, statement.channel, channel)) return Executability::kFault;
      if (reader(view, channel).rendezvous()) return Executability::kRendezvous;
      return reader(view, channel).full() ? Executability::kBlocked : Executability::kExecutable;
    }
    case StatementKind::kReceive: {
      uint32_t channel = 0;
      if (!channel_id(view, statement.channel, channel)) return Executability::kFault;
      if (!reader(view, channel).rendezvous()) {
        if (!statement.poll && view.rendezvous_channel() != 0) return Executability::kBlocked;
        int32_t slot = -1;
        if (!find_slot(view, reader(view, channel), statement.arguments, statement.flag, slot)) {
          return Executability::kFault;
        }
        return slot >= 0 ? Executability::kExecutable : Executability::kBlocked;
      }
      if (statement.poll) {
        view.fault(RuntimeErrorKind::kRendezvousPolled);
        return Executability::kFault;
      }
      if (view.rendezvous_channel() != channel) return Executability::kBlocked;
      const std::vector<int32_t>& values = view.message->values;
      const auto field = [&](size_t i) { return i < values.size() ? values[i] : 0; };
      bool matches = false;
      if (statement.flag) {
        std::vector<std::optional<int32_t>> wanted;
        if (!evaluate_matches(view, statement.arguments, wanted)) return Executability::kFault;
        matches = true;
        for (size_t i = 0; i < wanted.size(); ++i) matches = matches && (!wanted[i] || *wanted[i] == field(i));
      } else if (!first_matches(view, statement.arguments, field, matches)) {
        return Executability::kFault;
      }
      return matches ? Executability::kRendezvous : Executability::kBlocked;
    }
    default: return Executability::kExecutable;
  }
}

bool ReferenceMachine::send_values(const View& view, const Statement& statement, const ChannelType& type,
                                   std::vector<int32_t>& values) {
  if (statement.operands.size() != type.fields.size()) {
    view.fault(RuntimeErrorKind::kMessageFields, static_cast<int32_t>(type.fields.size()));
  }
  values.assign(type.fields.size(), 0);
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    int32_t value = 0;
    if (!evaluate(view, statement.operands[i], value)) return false;
    if (i < values.size()) values[i] = value;
  }
  return true;
}

void ReferenceMachine::truncate_values(const ChannelType& type, std::vector<int32_t>& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = truncate(type.fields[i], values[i]);
}

bool ReferenceMachine::message(const View& view, StatementId id, RendezvousMessage& message) {
  const Statement& statement = model_.statements[id];
  uint32_t channel = 0;
  if (!channel_id(view, statement.channel, channel)) return false;
  std::vector<int32_t> values;
  const ChannelType& type = reader(view, channel).type();
  if (!send_values(view, statement, type, values)) return false;
  truncate_values(type, values);
  message.channel = channel;
  message.values = std::move(values);
  return true;
}

bool ReferenceMachine::execute(Scratch& scratch, StatementId id) {
  const Statement& statement = model_.statements[id];
  int32_t value = 0;
  switch (statement.kind) {
    case StatementKind::kCondition:
      if (model_.expressions[statement.expression].op != Operator::kRun) return true;
      return create_process(*this, scratch, statement.expression, value);
    case StatementKind::kAssign: return assign(scratch, statement);
    case StatementKind::kSend: return send(scratch, statement);
    case StatementKind::kReceive: return receive(scratch, statement);
    case StatementKind::kAssert:
      if (!evaluate(scratch.view, statement.expression, value)) return false;
      if (value == 0) scratch.view.fault(RuntimeErrorKind::kAssertion);
      return true;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) {
        if (!evaluate(scratch.view, operand, value)) return false;
      }
      return true;
    case StatementKind::kPrintm: return evaluate(scratch.view, statement.expression, value);
    case StatementKind::kSetPriority: return set_priority(scratch, statement);
    case StatementKind::kChoose: return choose(scratch, statement);
    case StatementKind::kEmbeddedC: return scratch.view.fault(RuntimeErrorKind::kEmbeddedC);
    default: break;
  }
  CHECK(!"a statement that the stepper executes");
  return false;
}

bool ReferenceMachine::store_at(Scratch& scratch, const VariableReference& target, int32_t value) {
  uint32_t offset = 0;
  if (!locate(*this, scratch.view, target, offset)) return false;
  std::byte* space = target.space == Space::kGlobal ? scratch.state : scratch.frame;
  store_scalar(target.type, space + offset, value);
  return true;
}

bool ReferenceMachine::choose(Scratch& scratch, const Statement& statement) {
  std::vector<uint32_t> offsets(statement.targets.size());
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (!locate(*this, scratch.view, statement.targets[i], offsets[i])) return false;
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    const VariableReference& target = statement.targets[i];
    std::byte* space = target.space == Space::kGlobal ? scratch.state : scratch.frame;
    store_scalar(target.type, space + offsets[i], scratch.view.witness[i]);
  }
  return true;
}

bool ReferenceMachine::assign(Scratch& scratch, const Statement& statement) {
  int32_t value = 0;
  const bool run = model_.expressions[statement.expression].op == Operator::kRun;
  if (run ? !create_process(*this, scratch, statement.expression, value)
          : !evaluate(scratch.view, statement.expression, value)) {
    return false;
  }
  return statement.discard_target || store_at(scratch, statement.target, value);
}

bool ReferenceMachine::send(Scratch& scratch, const Statement& statement) {
  uint32_t id = 0;
  if (!channel_id(scratch.view, statement.channel, id)) return false;
  const ChannelReader channel = reader(scratch.view, id);
  std::vector<int32_t> values;
  if (!send_values(scratch.view, statement, channel.type(), values)) return false;
  const auto smaller_than_slot = [&](uint32_t slot) {  // as given, not yet truncated
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != channel.field(slot, i)) return values[i] < channel.field(slot, i);
    }
    return false;
  };
  uint32_t slot = channel.length();
  if (statement.flag) {
    slot = 0;
    while (slot < channel.length() && !smaller_than_slot(slot)) ++slot;
  }
  truncate_values(channel.type(), values);
  writer(scratch, id).insert(slot, values);
  return true;
}

bool ReferenceMachine::receive(Scratch& scratch, const Statement& statement) {
  uint32_t id = 0;
  if (!channel_id(scratch.view, statement.channel, id)) return false;
  const ChannelReader channel = reader(scratch.view, id);
  const size_t fields = channel.type().fields.size();
  const size_t arguments = statement.arguments.size();
  if (arguments > fields || (arguments < fields && !statement.poll)) {
    scratch.view.fault(RuntimeErrorKind::kMessageFields, static_cast<int32_t>(fields));
  }
  int32_t slot = 0;
  if (!channel.rendezvous() && !find_slot(scratch.view, channel, statement.arguments, statement.flag, slot)) {
    return false;
  }
  for (size_t i = 0; i < arguments; ++i) {
    if (statement.arguments[i].kind != ReceiveArgument::Kind::kStore) continue;
    int32_t value = 0;
    if (!channel.rendezvous()) {
      value = channel.field(static_cast<uint32_t>(slot), i);
    } else if (i < fields) {
      value = scratch.view.message->values[i];
    }
    if (!store_at(scratch, statement.arguments[i].store, value)) return false;
  }
  if (!statement.poll && !channel.rendezvous()) writer(scratch, id).remove(static_cast<uint32_t>(slot));
  return true;
}

bool ReferenceMachine::set_priority(Scratch& scratch, const Statement& statement) {
  int32_t pid = 0;
  int32_t priority = 0;
  if (!evaluate(scratch.view, statement.operands[0], pid)) return false;
  if (!evaluate(scratch.view, statement.operands[1], priority)) return false;
  if (pid < 0 || static_cast<uint32_t>(pid) >= scratch.view.index->process_count) return true;
  if (priority < 1 || priority > 255) return scratch.view.fault(RuntimeErrorKind::kPriorityRange, priority);
  store(scratch.state + scratch.view.index->frames[pid] + kFramePriority, static_cast<uint8_t>(priority));
  return true;
}

static_assert(Machine<ReferenceMachine>);

}  // namespace

std::unique_ptr<SuccessorGenerator> make_reference_generator(const Model& model, GuardDecider* decider) {
  return std::make_unique<Stepper<ReferenceMachine>>(model, decider);
}

std::optional<std::vector<int32_t>> evaluate_expressions(const Model& model, ByteView state, uint8_t pid,
                                                         std::span<const ExpressionId> expressions) {
  StateIndex index;
  prepare_index(model, index);
  build_index(model, state.data(), index);
  if (pid >= index.process_count) return std::nullopt;
  const RendezvousMessage no_rendezvous;
  std::vector<Fault> faults;
  View view;
  view.state = state.data();
  view.frame = state.data() + index.frames[pid];
  view.index = &index;
  view.message = &no_rendezvous;
  view.faults = &faults;
  view.pid = pid;
  ReferenceMachine machine(model, nullptr);
  std::vector<int32_t> values;
  for (const ExpressionId expression : expressions) {
    if (model.expressions[expression].op == Operator::kRun) return std::nullopt;
    if (!machine.evaluate(view, expression, values.emplace_back())) return std::nullopt;
  }
  return values;
}

}  // namespace cmc
