#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/base/check.h"
#include "checker/model/model.h"

// Builds small models by hand, for tests that must not depend on the front end.

namespace cmc::test {

inline constexpr ScalarType kBitType{BasicType::kBit, 1, 1, 0};
inline constexpr ScalarType kByteType{BasicType::kByte, 8, 1, 0};
inline constexpr ScalarType kMtypeType{BasicType::kMtype, 8, 1, 0};
inline constexpr ScalarType kPidType{BasicType::kPid, 8, 1, 0};
inline constexpr ScalarType kChanType{BasicType::kChan, 8, 1, 0};
inline constexpr ScalarType kShortType{BasicType::kShort, 16, 2, 0};
inline constexpr ScalarType kIntType{BasicType::kInt, 32, 4, 0};

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

  // Globals first, then channels, then proctypes.
  VariableReference global(const std::string& name, ScalarType type, uint32_t count = 0) {
    return declare(model.globals, Space::kGlobal, model.global_bytes, name, type, count);
  }
  VariableReference hidden_global(const std::string& name, ScalarType type) {
    VariableReference reference = declare(model.globals, Space::kGlobal, hidden_used_, name, type, 0);
    model.globals.back().hidden = true;
    return reference;
  }
  // Element of an array, by computed or by constant index.
  VariableReference indexed(VariableReference reference, ExpressionId index) const {
    const auto& variables = reference.space == Space::kGlobal ? model.globals : model.proctypes.back().variables;
    const Variable::Dimension& dimension = variables[reference.variable].dimensions.at(0);
    reference.indices = {{index, dimension.count, dimension.stride}};
    return reference;
  }
  static VariableReference at(VariableReference reference, uint32_t index) {
    reference.offset += index * reference.type.bytes;
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

  // A global channel and the variable that names it.
  VariableReference channel(const std::string& name, uint32_t capacity, std::vector<ScalarType> fields) {
    const VariableReference variable = global(name, kChanType);
    const uint32_t type = channel_type(capacity, std::move(fields));
    pending_channels_.push_back({name, type, 0});
    model.initializers.push_back({variable, kNoExpression, static_cast<int32_t>(pending_channels_.size()) - 1});
    return variable;
  }

  ExpressionId expression(Expression value) {
    model.expressions.push_back(std::move(value));
    return static_cast<ExpressionId>(model.expressions.size()) - 1;
  }
  ExpressionId constant(int32_t value) {
    Expression e;
    e.value = value;
    return expression(e);
  }
  ExpressionId read(const VariableReference& reference) {
    Expression e;
    e.op = Operator::kVariable;
    e.reference = reference;
    return expression(e);
  }
  ExpressionId apply(Operator op, std::vector<ExpressionId> operands = {}) {
    Expression e;
    e.op = op;
    e.operands = std::move(operands);
    return expression(e);
  }
  ExpressionId run(ProctypeId proctype, std::vector<ExpressionId> arguments = {}, int32_t priority = 0) {
    Expression e;
    e.op = Operator::kRun;
    e.proctype = proctype;
    e.value = priority;
    e.operands = std::move(arguments);
    return expression(e);
  }
  ExpressionId equal(const VariableReference& reference, int32_t value) {
    return apply(Operator::kEqual, {read(reference), constant(value)});
  }

  StatementId statement(Statement value) {
    value.place.line = static_cast<uint32_t>(model.statements.size()) + 1;
    model.statements.push_back(std::move(value));
    return static_cast<StatementId>(model.statements.size()) - 1;
  }
  StatementId simple(StatementKind kind, ExpressionId value = kNoExpression) {
    Statement s;
    s.kind = kind;
    s.expression = value;
    return statement(s);
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
    return statement(s);
  }
  StatementId assign(const VariableReference& target, int32_t value) { return assign(target, constant(value)); }
  StatementId send(const VariableReference& channel, std::vector<ExpressionId> values, bool sorted = false) {
    Statement s;
    s.kind = StatementKind::kSend;
    s.channel = read(channel);
    s.operands = std::move(values);
    s.flag = sorted;
    return statement(s);
  }
  StatementId receive(const VariableReference& channel, std::vector<ReceiveArgument> arguments, bool random = false,
                      bool poll = false) {
    Statement s;
    s.kind = StatementKind::kReceive;
    s.channel = read(channel);
    s.arguments = std::move(arguments);
    s.flag = random;
    s.poll = poll;
    return statement(s);
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
    return statement(s);
  }

  // Starts a proctype; the calls below belong to it until the next one. Locations are 1, 2, ... in the order of
  // their first mention; location 1 is the start.
  ProctypeId proctype(const std::string& name) {
    place_channels();
    Proctype type;
    type.name = name;
    type.locations.resize(2);
    type.start = 1;
    model.proctypes.push_back(type);
    return static_cast<ProctypeId>(model.proctypes.size() - 1);
  }
  Proctype& current() { return model.proctypes.back(); }
  VariableReference local(const std::string& name, ScalarType type, uint32_t count = 0) {
    return declare(current().variables, Space::kLocal, current().frame_bytes, name, type, count);
  }
  VariableReference parameter(const std::string& name, ScalarType type) {
    const VariableReference reference = local(name, type);
    current().variables.back().is_parameter = true;
    current().parameters.push_back(reference);
    return reference;
  }
  // After the locals.
  VariableReference local_channel(const std::string& name, uint32_t capacity, std::vector<ScalarType> fields) {
    const VariableReference variable = local(name, kChanType);
    const uint32_t type = channel_type(capacity, std::move(fields));
    current().channels.push_back({name, type, current().frame_bytes});
    current().frame_bytes += model.channel_types[type].bytes();
    current().initializers.push_back({variable, kNoExpression, static_cast<int32_t>(current().channels.size()) - 1});
    return variable;
  }
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
  void active(ProctypeId proctype, uint8_t priority = 1) { model.active.push_back({proctype, priority}); }

 private:
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
  void place_channels() {
    for (ChannelInstance& channel : pending_channels_) {
      channel.offset = model.global_bytes;
      model.global_bytes += model.channel_types[channel.type].bytes();
      model.channels.push_back(channel);
    }
    pending_channels_.clear();
  }

  uint32_t hidden_used_ = 0;
  std::vector<ChannelInstance> pending_channels_;
};

}  // namespace cmc::test
