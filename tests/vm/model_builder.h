#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checker/model/model.h"

// Builds small models by hand: variables get their offsets in the order in which they are declared, statements are
// named by what they do. All places are line 0 and texts are empty unless set.

namespace cmc::vm::test {

inline constexpr ScalarType kBitType{BasicType::kBit, 1, 1, 0};
inline constexpr ScalarType kByteType{BasicType::kByte, 8, 1, 0};
inline constexpr ScalarType kShortType{BasicType::kShort, 16, 2, 0};
inline constexpr ScalarType kIntType{BasicType::kInt, 32, 4, 0};
inline constexpr ScalarType kChanType{BasicType::kChan, 8, 1, 0};
constexpr ScalarType unsigned_type(uint8_t bits) {
  return {BasicType::kUnsigned, bits, static_cast<uint8_t>(bits <= 8 ? 1 : bits <= 16 ? 2 : 4), 0};
}

class ModelBuilder {
 public:
  Model model;

  ModelBuilder() {
    model.files = {"model"};
    model.mtype_sets = {{}};
    model.mtype_set_names = {""};
    model.global_bytes = kHeaderBytes;
  }

  // --- declarations

  VariableReference global(ScalarType type, uint32_t count = 1) {
    VariableReference reference;
    reference.type = type;
    reference.offset = model.global_bytes;
    model.global_bytes += type.bytes * count;
    model.globals.push_back(Variable{"g" + std::to_string(model.globals.size()),
                                     type,
                                     Space::kGlobal,
                                     reference.offset,
                                     dimensions(type, count),
                                     false,
                                     false,
                                     {}});
    return reference;
  }

  ProctypeId proctype(std::string name) {
    Proctype& proctype = model.proctypes.emplace_back();
    proctype.name = std::move(name);
    proctype.locations.resize(1);
    return static_cast<ProctypeId>(model.proctypes.size() - 1);
  }

  VariableReference local(ProctypeId proctype, ScalarType type, uint32_t count = 1) {
    Proctype& owner = model.proctypes[proctype];
    VariableReference reference;
    reference.space = Space::kLocal;
    reference.type = type;
    reference.offset = owner.frame_bytes;
    owner.frame_bytes += type.bytes * count;
    owner.variables.push_back(Variable{"l" + std::to_string(owner.variables.size()),
                                       type,
                                       Space::kLocal,
                                       reference.offset,
                                       dimensions(type, count),
                                       false,
                                       false,
                                       {}});
    return reference;
  }

  VariableReference parameter(ProctypeId proctype, ScalarType type) {
    const VariableReference reference = local(proctype, type);
    model.proctypes[proctype].parameters.push_back(reference);
    return reference;
  }

  uint32_t channel_type(uint32_t capacity, std::vector<ScalarType> fields) {
    ChannelType& type = model.channel_types.emplace_back();
    type.capacity = capacity;
    for (const ScalarType& field : fields) {
      type.field_offsets.push_back(type.message_bytes);
      type.message_bytes += field.bytes;
    }
    type.fields = std::move(fields);
    return static_cast<uint32_t>(model.channel_types.size() - 1);
  }

  // A variable that holds the channel that is declared with it.
  VariableReference channel(uint32_t type) {
    const VariableReference variable = global(kChanType);
    model.channels.push_back(ChannelInstance{"q" + std::to_string(model.channels.size()), type, model.global_bytes});
    model.global_bytes += model.channel_types[type].bytes();
    model.initializers.push_back(
        Initializer{variable, kNoExpression, static_cast<int32_t>(model.channels.size() - 1)});
    return variable;
  }
  VariableReference local_channel(ProctypeId proctype, uint32_t type) {
    const VariableReference variable = local(proctype, kChanType);
    Proctype& owner = model.proctypes[proctype];
    owner.channels.push_back(ChannelInstance{"q" + std::to_string(owner.channels.size()), type, owner.frame_bytes});
    owner.frame_bytes += model.channel_types[type].bytes();
    owner.initializers.push_back(
        Initializer{variable, kNoExpression, static_cast<int32_t>(owner.channels.size() - 1)});
    return variable;
  }

  void initialize(const VariableReference& target, int32_t value) {
    model.initializers.push_back(Initializer{target, constant(value), -1});
  }
  void activate(ProctypeId proctype, int count = 1) {
    for (int i = 0; i < count; ++i) model.active.push_back(ActiveProcess{proctype, 1});
  }

  // --- expressions

  ExpressionId add(Expression expression) {
    model.expressions.push_back(std::move(expression));
    return static_cast<ExpressionId>(model.expressions.size() - 1);
  }
  ExpressionId constant(int32_t value) {
    Expression expression;
    expression.value = value;
    return add(expression);
  }
  ExpressionId op(Operator op, std::vector<ExpressionId> operands = {}) {
    Expression expression;
    expression.op = op;
    expression.operands = std::move(operands);
    return add(expression);
  }
  ExpressionId read(const VariableReference& reference) {
    Expression expression;
    expression.op = Operator::kVariable;
    expression.reference = reference;
    return add(expression);
  }
  // Element of an array; further calls add dimensions. stride 0: that of a plain array.
  static VariableReference element(VariableReference array, ExpressionId index, uint32_t count, uint32_t stride = 0) {
    array.indices.push_back({index, count, stride == 0 ? array.type.bytes : stride});
    return array;
  }
  ExpressionId poll(ExpressionId channel, std::vector<ReceiveArgument> arguments, bool random = false) {
    Expression expression;
    expression.op = Operator::kPoll;
    expression.operands = {channel};
    expression.arguments = std::move(arguments);
    expression.flag = random;
    return add(expression);
  }
  ExpressionId run(ProctypeId proctype, std::vector<ExpressionId> arguments = {}, int32_t priority = 0) {
    Expression expression;
    expression.op = Operator::kRun;
    expression.proctype = proctype;
    expression.operands = std::move(arguments);
    expression.value = priority;
    return add(expression);
  }

  // --- statements

  StatementId add(Statement statement) {
    model.statements.push_back(std::move(statement));
    return static_cast<StatementId>(model.statements.size() - 1);
  }
  StatementId simple(StatementKind kind) {
    Statement statement;
    statement.kind = kind;
    return add(statement);
  }
  StatementId condition(ExpressionId expression) { return with_expression(StatementKind::kCondition, expression); }
  StatementId assertion(ExpressionId expression) { return with_expression(StatementKind::kAssert, expression); }
  StatementId assign(const VariableReference& target, ExpressionId expression) {
    Statement statement;
    statement.kind = StatementKind::kAssign;
    statement.target = target;
    statement.expression = expression;
    return add(statement);
  }
  StatementId assign(const VariableReference& target, int32_t value) { return assign(target, constant(value)); }
  StatementId increment(const VariableReference& target, int32_t by = 1) {
    return assign(target, op(Operator::kAdd, {read(target), constant(by)}));
  }
  StatementId send(ExpressionId channel, std::vector<ExpressionId> operands, bool sorted = false) {
    Statement statement;
    statement.kind = StatementKind::kSend;
    statement.channel = channel;
    statement.operands = std::move(operands);
    statement.flag = sorted;
    return add(statement);
  }
  StatementId receive(ExpressionId channel, std::vector<ReceiveArgument> arguments, bool random = false,
                      bool poll = false) {
    Statement statement;
    statement.kind = StatementKind::kReceive;
    statement.channel = channel;
    statement.arguments = std::move(arguments);
    statement.flag = random;
    statement.poll = poll;
    return add(statement);
  }
  static ReceiveArgument into(const VariableReference& target) {
    return {ReceiveArgument::Kind::kStore, kNoExpression, target};
  }
  static ReceiveArgument equal_to(ExpressionId value) { return {ReceiveArgument::Kind::kMatch, value, {}}; }
  static ReceiveArgument any() { return {}; }

  // --- control

  LocationId location(ProctypeId proctype) {
    model.proctypes[proctype].locations.emplace_back();
    return static_cast<LocationId>(model.proctypes[proctype].locations.size() - 1);
  }
  Edge& edge(ProctypeId proctype, LocationId from, StatementId statement, LocationId to) {
    Edge& edge = model.proctypes[proctype].locations[from].edges.emplace_back();
    edge.statement = statement;
    edge.target = to;
    return edge;
  }
  // A process that executes the statements one after the other and ends. Returns the last location.
  LocationId sequence(ProctypeId proctype, const std::vector<StatementId>& statements) {
    LocationId at = location(proctype);
    model.proctypes[proctype].start = at;
    for (const StatementId statement : statements) {
      const LocationId next = location(proctype);
      edge(proctype, at, statement, next);
      at = next;
    }
    finish(proctype, at);
    return at;
  }
  void finish(ProctypeId proctype, LocationId at) {
    model.proctypes[proctype].end = at;
    model.proctypes[proctype].locations[at].valid_end = true;
    edge(proctype, at, simple(StatementKind::kEndProcess), 0);
  }

 private:
  static std::vector<Variable::Dimension> dimensions(ScalarType type, uint32_t count) {
    if (count == 1) return {};
    return {Variable::Dimension{count, type.bytes, ""}};
  }
  StatementId with_expression(StatementKind kind, ExpressionId expression) {
    Statement statement;
    statement.kind = kind;
    statement.expression = expression;
    return add(statement);
  }
};

// models/peterson/peterson.pml for `processes` processes.
Model peterson(int32_t processes);

}  // namespace cmc::vm::test
