#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/model.h"

// Builds small models by hand, for tests that must not depend on the front end. Variables get their offsets in the
// order in which they are declared, and numbered names if the test gives none.

namespace cmc::test {

inline constexpr ScalarType kBitType{BasicType::kBit, 1, 1, 0};
inline constexpr ScalarType kByteType{BasicType::kByte, 8, 1, 0};
inline constexpr ScalarType kMtypeType{BasicType::kMtype, 8, 1, 0};
inline constexpr ScalarType kPidType{BasicType::kPid, 8, 1, 0};
inline constexpr ScalarType kChanType{BasicType::kChan, 8, 1, 0};
inline constexpr ScalarType kShortType{BasicType::kShort, 16, 2, 0};
inline constexpr ScalarType kIntType{BasicType::kInt, 32, 4, 0};
constexpr ScalarType unsigned_type(uint8_t bits) {
  return {BasicType::kUnsigned, bits, static_cast<uint8_t>(bits <= 8 ? 1 : bits <= 16 ? 2 : 4), 0};
}

class ModelBuilder {
 public:
  Model model;

  // `hidden_bytes` must be enough for the hidden variables, which come first.
  explicit ModelBuilder(uint32_t hidden_bytes = 0) {
    model.files = {"test.pml"};
    model.mtype_sets = {{}};
    model.mtype_set_names = {""};
    model.hidden_bytes = hidden_bytes;
    model.global_bytes = hidden_bytes + kHeaderBytes;
  }

  // --- globals. count 0: no array.

  VariableReference global(const std::string& name, ScalarType type, uint32_t count = 0) {
    return declare(model.globals, Space::kGlobal, model.global_bytes, name, type, count);
  }
  VariableReference global(ScalarType type, uint32_t count = 0) {
    return global(numbered("g", model.globals), type, count);
  }
  VariableReference hidden_global(const std::string& name, ScalarType type) {
    VariableReference reference = declare(model.globals, Space::kGlobal, hidden_used_, name, type, 0);
    model.globals.back().hidden = true;
    return reference;
  }

  uint32_t channel_type(uint32_t capacity, std::vector<ScalarType> fields) {
    ChannelType type;
    type.capacity = capacity;
    for (const ScalarType& field : fields) {
      type.field_offsets.push_back(type.message_bytes);
      type.message_bytes += field.bytes;
    }
    type.fields = std::move(fields);
    model.channel_types.push_back(type);
    model.has_rendezvous = model.has_rendezvous || capacity == 0;
    return static_cast<uint32_t>(model.channel_types.size()) - 1;
  }
  // A channel and the variable that names it.
  VariableReference channel(const std::string& name, uint32_t capacity, std::vector<ScalarType> fields) {
    return channel(name, channel_type(capacity, std::move(fields)));
  }
  VariableReference channel(uint32_t type) { return channel(numbered("q", model.channels), type); }

  // --- proctypes. What belongs to one goes to the one that was declared or selected last.

  // Locations are 1, 2, ... in the order of their first mention; location 1 is the start.
  ProctypeId proctype(const std::string& name) {
    Proctype type;
    type.name = name;
    type.locations.resize(2);
    type.start = 1;
    model.proctypes.push_back(type);
    return selected_ = static_cast<ProctypeId>(model.proctypes.size() - 1);
  }
  void select(ProctypeId proctype) { selected_ = proctype; }
  Proctype& current() { return model.proctypes.at(selected_); }

  VariableReference local(const std::string& name, ScalarType type, uint32_t count = 0) {
    return declare(current().variables, Space::kLocal, current().frame_bytes, name, type, count);
  }
  VariableReference local(ScalarType type, uint32_t count = 0) {
    return local(numbered("l", current().variables), type, count);
  }
  VariableReference parameter(const std::string& name, ScalarType type) {
    const VariableReference reference = local(name, type);
    current().variables.back().is_parameter = true;
    current().parameters.push_back(reference);
    return reference;
  }
  VariableReference parameter(ScalarType type) { return parameter(numbered("l", current().variables), type); }
  VariableReference local_channel(const std::string& name, uint32_t capacity, std::vector<ScalarType> fields) {
    return local_channel(name, channel_type(capacity, std::move(fields)));
  }
  VariableReference local_channel(uint32_t type) { return local_channel(numbered("q", current().channels), type); }

  void activate(ProctypeId proctype, int count = 1, uint8_t priority = 1) {
    for (int i = 0; i < count; ++i) model.active.push_back({proctype, priority});
  }
  void initialize(const VariableReference& target, ExpressionId value) {
    initializers_of(target.space).push_back({target, value, -1});
  }
  void initialize(const VariableReference& target, int32_t value) { initialize(target, constant(value)); }

  // --- elements of arrays

  // Further calls add dimensions. stride 0: that of a plain array.
  static VariableReference element(VariableReference array, ExpressionId index, uint32_t count, uint32_t stride = 0) {
    array.indices.push_back({index, count, stride == 0 ? array.type.bytes : stride});
    return array;
  }
  // The same for a declared array.
  VariableReference indexed(const VariableReference& array, ExpressionId index) {
    const auto& variables = array.space == Space::kGlobal ? model.globals : current().variables;
    const Variable::Dimension& dimension = variables.at(array.variable).dimensions.at(0);
    return element(array, index, dimension.count, dimension.stride);
  }
  // By constant index.
  static VariableReference at(VariableReference reference, uint32_t index) {
    reference.offset += index * reference.type.bytes;
    return reference;
  }

  // --- expressions

  ExpressionId add(Expression expression) {
    model.expressions.push_back(std::move(expression));
    return static_cast<ExpressionId>(model.expressions.size()) - 1;
  }
  ExpressionId constant(int32_t value) {
    Expression e;
    e.value = value;
    return add(e);
  }
  ExpressionId read(const VariableReference& reference) {
    Expression e;
    e.op = Operator::kVariable;
    e.reference = reference;
    return add(e);
  }
  ExpressionId op(Operator op, std::vector<ExpressionId> operands = {}) {
    Expression e;
    e.op = op;
    e.operands = std::move(operands);
    return add(e);
  }
  ExpressionId equal(const VariableReference& reference, int32_t value) {
    return op(Operator::kEqual, {read(reference), constant(value)});
  }
  ExpressionId poll(ExpressionId channel, std::vector<ReceiveArgument> arguments, bool random = false) {
    Expression e;
    e.op = Operator::kPoll;
    e.operands = {channel};
    e.arguments = std::move(arguments);
    e.flag = random;
    return add(e);
  }
  ExpressionId run(ProctypeId proctype, std::vector<ExpressionId> arguments = {}, int32_t priority = 0) {
    Expression e;
    e.op = Operator::kRun;
    e.proctype = proctype;
    e.value = priority;
    e.operands = std::move(arguments);
    return add(e);
  }

  // --- statements

  StatementId add(Statement statement) {
    statement.place.line = static_cast<uint32_t>(model.statements.size()) + 1;
    model.statements.push_back(std::move(statement));
    return static_cast<StatementId>(model.statements.size()) - 1;
  }
  StatementId simple(StatementKind kind, ExpressionId value = kNoExpression) {
    Statement s;
    s.kind = kind;
    s.expression = value;
    return add(s);
  }
  StatementId skip() { return simple(StatementKind::kSkip); }
  StatementId otherwise() { return simple(StatementKind::kElse); }
  StatementId condition(ExpressionId value) { return simple(StatementKind::kCondition, value); }
  StatementId assertion(ExpressionId value) { return simple(StatementKind::kAssert, value); }
  StatementId assign(const VariableReference& target, ExpressionId value) {
    Statement s;
    s.kind = StatementKind::kAssign;
    s.target = target;
    s.expression = value;
    return add(s);
  }
  StatementId assign(const VariableReference& target, int32_t value) { return assign(target, constant(value)); }
  StatementId increment(const VariableReference& target, int32_t by = 1) {
    return assign(target, op(Operator::kAdd, {read(target), constant(by)}));
  }
  StatementId set_priority(ExpressionId pid, ExpressionId priority) {
    Statement s;
    s.kind = StatementKind::kSetPriority;
    s.operands = {pid, priority};
    return add(s);
  }
  StatementId send(ExpressionId channel, std::vector<ExpressionId> values, bool sorted = false) {
    Statement s;
    s.kind = StatementKind::kSend;
    s.channel = channel;
    s.operands = std::move(values);
    s.flag = sorted;
    return add(s);
  }
  StatementId send(const VariableReference& channel, std::vector<ExpressionId> values, bool sorted = false) {
    return send(read(channel), std::move(values), sorted);
  }
  StatementId receive(ExpressionId channel, std::vector<ReceiveArgument> arguments, bool random = false,
                      bool poll = false) {
    Statement s;
    s.kind = StatementKind::kReceive;
    s.channel = channel;
    s.arguments = std::move(arguments);
    s.flag = random;
    s.poll = poll;
    return add(s);
  }
  StatementId receive(const VariableReference& channel, std::vector<ReceiveArgument> arguments, bool random = false,
                      bool poll = false) {
    return receive(read(channel), std::move(arguments), random, poll);
  }
  static ReceiveArgument into(const VariableReference& target) {
    return {ReceiveArgument::Kind::kStore, kNoExpression, target};
  }
  static ReceiveArgument match(ExpressionId value) { return {ReceiveArgument::Kind::kMatch, value, {}}; }
  static ReceiveArgument ignore() { return {}; }
  // Straight-line d_step.
  StatementId block(ExpressionId guard, const std::vector<StatementId>& body) {
    Statement s;
    s.kind = StatementKind::kAtomicBlock;
    s.guard = guard;
    for (size_t i = 0; i < body.size(); ++i) {
      const bool last = i + 1 == body.size();
      s.body.push_back({{{body[i], last ? DeterministicNode::kDone : static_cast<uint32_t>(i) + 1}}});
    }
    return add(s);
  }

  // --- control

  Location& location(LocationId id) {
    if (id >= current().locations.size()) current().locations.resize(size_t{id} + 1);
    return current().locations[id];
  }
  Edge& edge(LocationId from, LocationId to, StatementId statement, bool atomic = false, LocationId escape = 0) {
    if (to > 0) location(to);
    if (escape > 0) location(escape);
    Edge edge;
    edge.statement = statement;
    edge.target = to;
    edge.escape = escape;
    edge.atomic = atomic;
    location(from).edges.push_back(edge);
    return location(from).edges.back();
  }
  // A valid end location with the edge that ends the process.
  void end(LocationId at) {
    location(at).valid_end = true;
    current().end = at;
    edge(at, 0, simple(StatementKind::kEndProcess));
  }
  // The statements one after the other, then the end.
  void sequence(const std::vector<StatementId>& statements) {
    LocationId at = current().start;
    for (const StatementId statement : statements) {
      edge(at, static_cast<LocationId>(at + 1), statement);
      ++at;
    }
    end(at);
  }

 private:
  template <class T>
  static std::string numbered(const char* prefix, const std::vector<T>& declared) {
    return prefix + std::to_string(declared.size());
  }
  static VariableReference declare(std::vector<Variable>& variables, Space space, uint32_t& used,
                                   const std::string& name, ScalarType type, uint32_t count) {
    Variable variable;
    variable.name = name;
    variable.type = type;
    variable.space = space;
    variable.offset = used;
    if (count > 0) variable.dimensions = {{count, type.bytes, ""}};
    used += type.bytes * std::max(count, 1u);
    variables.push_back(variable);
    VariableReference reference;
    reference.space = space;
    reference.offset = variable.offset;
    reference.type = type;
    reference.variable = static_cast<uint32_t>(variables.size()) - 1;
    return reference;
  }
  VariableReference channel(const std::string& name, uint32_t type) {
    const VariableReference variable = global(name, kChanType);
    add_channel(model.channels, Space::kGlobal, model.global_bytes, variable, name, type);
    return variable;
  }
  VariableReference local_channel(const std::string& name, uint32_t type) {
    const VariableReference variable = local(name, kChanType);
    add_channel(current().channels, Space::kLocal, current().frame_bytes, variable, name, type);
    return variable;
  }
  void add_channel(std::vector<ChannelInstance>& channels, Space space, uint32_t& used,
                   const VariableReference& variable, const std::string& name, uint32_t type) {
    channels.push_back({name, type, used});
    used += model.channel_types.at(type).bytes();
    initializers_of(space).push_back({variable, kNoExpression, static_cast<int32_t>(channels.size()) - 1});
  }
  std::vector<Initializer>& initializers_of(Space space) {
    return space == Space::kGlobal ? model.initializers : current().initializers;
  }

  uint32_t hidden_used_ = 0;
  ProctypeId selected_ = 0;
};

}  // namespace cmc::test
