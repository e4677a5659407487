#include "checker/por/futures_reader.h"

#include <algorithm>

#include "ir/arithmetic.h"
#include "ir/effects.h"
#include "ir/scalar.h"

namespace cmc {

Futures::Reader::Reader(const Futures& futures, const Processes& processes, const Frame& frame, Future& out)
    : futures_(futures), model_(futures.model_), processes_(processes), frame_(frame), out_(out) {}

void Futures::Reader::location(const Location& location, bool inside) {
  const bool tests = std::ranges::any_of(location.edges, [&](const Edge& edge) {
    return edge.escape != 0 || model_.statements[edge.statement].kind == StatementKind::kElse;
  });
  for (const Edge& edge : location.edges) statement(model_.statements[edge.statement], inside, tests);
  if (frame_.proctype.provided != kNoExpression) expression(frame_.proctype.provided, false);
}

void Futures::Reader::statement(const Statement& statement, bool inside, bool tests) {
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse: break;
    case StatementKind::kCondition: expression(statement.expression, !inside && !tests); break;
    case StatementKind::kAssert:
    case StatementKind::kPrintm:
    case StatementKind::kAssign: expression(statement.expression, false); break;
    case StatementKind::kSend:
      use(statement.channel, inside || statement.flag ? Access::kChange : Access::kSend, tests || inside);
      break;
    case StatementKind::kReceive:
      use(statement.channel,
          statement.poll ? Access::kLook : (inside || statement.flag ? Access::kChange : Access::kReceive),
          tests || inside);
      arguments(statement.arguments);
      break;
    case StatementKind::kPrintf: break;
    case StatementKind::kSetPriority:
    case StatementKind::kEmbeddedC: out_.sees_all = true; break;
    case StatementKind::kAtomicBlock:
      if (statement.guard != kNoExpression) expression(statement.guard, false);
      for (const DeterministicNode& node : statement.body) {
        for (const DeterministicNode::Alternative& alternative : node.alternatives) {
          this->statement(model_.statements[alternative.statement], true, true);
        }
      }
      break;
    case StatementKind::kEndProcess: out_.ends = true; break;
    case StatementKind::kChoose: guard(model_.guards[statement.guard_number]); break;
  }
  for (const ExpressionId operand : statement.operands) expression(operand, false);
  if (statement.kind == StatementKind::kAtomicBlock) return;
  for_each_written(model_, statement, [&](const VariableReference& reference) {
    indices(reference);
    if (reference.space == Space::kGlobal) elements(reference, Access::kWrite);
  });
}

void Futures::Reader::expression(ExpressionId id, bool grows) {
  if (id == kNoExpression) return;
  const Expression& expression = model_.expressions[id];
  const bool passes_on = expression.op == Operator::kAnd || expression.op == Operator::kOr;
  switch (expression.op) {
    case Operator::kVariable:
      indices(expression.reference);
      if (expression.reference.space == Space::kGlobal) elements(expression.reference, Access::kRead);
      break;
    case Operator::kProcessCount: out_.sees_processes = true; break;
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty: use(expression.operands[0], Access::kLook, false); return;
    case Operator::kNotFull: use(expression.operands[0], grows ? Access::kTestNotFull : Access::kLook, false); return;
    case Operator::kNotEmpty:
      use(expression.operands[0], grows ? Access::kTestNotEmpty : Access::kLook, false);
      return;
    case Operator::kPoll:
      use(expression.operands[0], Access::kLook, false);
      arguments(expression.arguments);
      return;
    case Operator::kReceivable:
      use(model_.statements[expression.statement].channel, Access::kLook, true);
      arguments(model_.statements[expression.statement].arguments);
      break;
    case Operator::kRun:
      out_.creates = true;
      created(expression);
      break;
    case Operator::kEnabled:
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable:
    case Operator::kOwnPriority:
    case Operator::kLast:
    case Operator::kEmbeddedC: out_.sees_all = out_.sees_processes = true; break;
    case Operator::kExists: guard(model_.guards[static_cast<size_t>(expression.value)]); break;
    default: break;
  }
  // Whether the right operand of && and || is evaluated depends on the left one.
  const bool right_fails = passes_on && may_fail(expression.operands[1]);
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    this->expression(expression.operands[i], grows && passes_on && (i == 1 || !right_fails));
  }
}

bool Futures::Reader::may_fail(ExpressionId id) const {
  const Expression& expression = model_.expressions[id];
  switch (expression.op) {
    case Operator::kDivide:
    case Operator::kModulo: {
      const Expression& divisor = model_.expressions[expression.operands[1]];
      if (divisor.op != Operator::kConstant || divisor.value == 0 || divisor.value == -1) return true;
      break;
    }
    case Operator::kVariable:
      if (!offset(expression.reference)) return true;
      break;
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty: return !channel(expression.operands[0]);
    case Operator::kPoll:
    case Operator::kReceivable:
    case Operator::kRun:
    case Operator::kEnabled:
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable:
    case Operator::kExists:
    case Operator::kEmbeddedC: return true;
    default: break;
  }
  return std::ranges::any_of(expression.operands, [&](ExpressionId operand) { return may_fail(operand); });
}

std::optional<int32_t> Futures::Reader::evaluate(ExpressionId id) const {
  const Expression& expression = model_.expressions[id];
  const auto operand = [&](size_t i) { return evaluate(expression.operands[i]); };
  switch (expression.op) {
    case Operator::kConstant: return expression.value;
    case Operator::kOwnPid: return frame_.pid != kNoProcess ? std::optional<int32_t>(frame_.pid) : std::nullopt;
    case Operator::kVariable: return value(expression.reference);
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kComplement: {
      const auto value = operand(0);
      return value ? std::optional(apply(expression.op, *value)) : std::nullopt;
    }
    case Operator::kAnd:
    case Operator::kOr: {
      const bool decides = expression.op == Operator::kOr;  // the value of an operand that decides
      const auto left = operand(0);
      const auto right = operand(1);
      if ((left && (*left != 0) == decides) || (right && (*right != 0) == decides)) return decides ? 1 : 0;
      return left && right ? std::optional<int32_t>(decides ? 0 : 1) : std::nullopt;
    }
    case Operator::kConditional: {
      const auto condition = operand(0);
      return condition ? operand(*condition != 0 ? 1 : 2) : std::nullopt;
    }
    case Operator::kAdd:
    case Operator::kSubtract:
    case Operator::kMultiply:
    case Operator::kDivide:
    case Operator::kModulo:
    case Operator::kBitAnd:
    case Operator::kBitOr:
    case Operator::kBitXor:
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
    case Operator::kEqual:
    case Operator::kNotEqual: {
      const auto left = operand(0);
      const auto right = operand(1);
      return left && right ? apply(expression.op, *left, *right) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

bool Futures::Reader::is_false(const Statement& statement) const {
  return statement.kind == StatementKind::kCondition && evaluate(statement.expression) == 0;
}

void Futures::Reader::locals(const Statement& statement, std::vector<LocalUse>& uses) const {
  using Kind = LocalUse::Kind;
  if (statement.kind == StatementKind::kCondition) needs(statement.expression, uses);
  for_each_written(model_, statement, [&](const VariableReference& reference) {
    if (reference.space != Space::kLocal) return;
    const std::optional<uint32_t> at = offset(reference);
    if (!at) {
      for (uint32_t i = 0; i < extent(reference); ++i) uses.push_back({Kind::kChange, reference.offset + i, 0, 0});
      return;
    }
    LocalUse use{Kind::kChange, *at, 0, 0};
    if (statement.kind == StatementKind::kAssign) {
      if (const std::optional<int32_t> value = evaluate(statement.expression)) {
        use = {Kind::kSet, *at, truncate(reference.type, *value), 0};
      } else if (const std::optional<int32_t> more = added(statement.expression, *at); more && *more > 0) {
        const int32_t most = reference.type.bits >= 31
                                 ? INT32_MAX
                                 : (int32_t{1} << (reference.type.bits - (reference.type.is_signed() ? 1 : 0))) - 1;
        use = {Kind::kAdd, *at, *more, most};
      }
    }
    uses.push_back(use);
  });
}

std::optional<ComponentId> Futures::Reader::channel(ExpressionId id) const {
  if (is_fresh(id)) return kControlComponent;
  const std::optional<int32_t> number = evaluate(id);
  if (!number || *number < 1 || static_cast<size_t>(*number) >= processes_.channels.size()) return std::nullopt;
  return processes_.channels[static_cast<size_t>(*number)].component;
}

std::optional<uint32_t> Futures::Reader::offset(const VariableReference& reference) const {
  uint32_t at = reference.offset;
  for (const VariableReference::Index& index : reference.indices) {
    const std::optional<int32_t> number = evaluate(index.expression);
    if (!number || *number < 0 || static_cast<uint32_t>(*number) >= index.count) return std::nullopt;
    at += static_cast<uint32_t>(*number) * index.stride;
  }
  return at;
}

std::optional<int32_t> Futures::Reader::value(const VariableReference& reference) const {
  const std::optional<uint32_t> at = offset(reference);
  if (!at) return std::nullopt;
  if (reference.space == Space::kGlobal) {
    for (uint32_t i = 0; i < reference.type.bytes; ++i) {
      if (futures_.assigned_[*at + i]) return std::nullopt;
    }
    return load_scalar(reference.type, futures_.initial_.data() + *at);
  }
  if (*at < frame_.range.offset || *at + reference.type.bytes > frame_.range.offset + frame_.range.size)
    return std::nullopt;
  if (frame_.fresh != nullptr && (*frame_.fresh)[*at]) return std::nullopt;  // its number will be known, not yet
  for (uint32_t i = 0; i < reference.type.bytes && frame_.unknown != nullptr; ++i) {
    if ((*frame_.unknown)[*at + i]) return std::nullopt;
  }
  return load_scalar(reference.type, frame_.content.data() + (*at - frame_.range.offset));
}

std::optional<uint32_t> Futures::Reader::local(ExpressionId id) const {
  const Expression& expression = model_.expressions[id];
  if (expression.op != Operator::kVariable || expression.reference.space != Space::kLocal) return std::nullopt;
  return offset(expression.reference);
}

std::optional<int32_t> Futures::Reader::added(ExpressionId id, uint32_t at) const {
  const Expression& sum = model_.expressions[id];
  if (sum.op != Operator::kAdd) return std::nullopt;
  for (const size_t i : {0u, 1u}) {
    if (local(sum.operands[i]) == at) return evaluate(sum.operands[1 - i]);
  }
  return std::nullopt;
}

void Futures::Reader::needs(ExpressionId id, std::vector<LocalUse>& uses) const {
  using Kind = LocalUse::Kind;
  const Expression& condition = model_.expressions[id];
  if (condition.op == Operator::kAnd) {
    for (const ExpressionId operand : condition.operands) needs(operand, uses);
  } else if (const auto itself = local(id)) {
    uses.push_back({Kind::kIsNot, *itself, 0, 0});
  } else if (condition.op == Operator::kNot) {
    if (const auto at = local(condition.operands[0])) uses.push_back({Kind::kIs, *at, 0, 0});
  } else if (condition.operands.size() == 2) {
    const auto at = local(condition.operands[0]);
    const auto value = at ? evaluate(condition.operands[1]) : std::nullopt;
    if (!value) return;
    if (condition.op == Operator::kEqual) uses.push_back({Kind::kIs, *at, *value, 0});
    if (condition.op == Operator::kNotEqual) uses.push_back({Kind::kIsNot, *at, *value, 0});
    if (condition.op == Operator::kLessEqual) uses.push_back({Kind::kIsAtMost, *at, *value, 0});
    if (condition.op == Operator::kLess && *value > INT32_MIN) uses.push_back({Kind::kIsAtMost, *at, *value - 1, 0});
  }
}

void Futures::Reader::indices(const VariableReference& reference) {
  for (const VariableReference::Index& index : reference.indices) expression(index.expression, false);
}

void Futures::Reader::elements(const VariableReference& reference, Access access) {
  const std::optional<uint32_t> at = offset(reference);
  const uint32_t begin = at ? *at : reference.offset;
  const uint32_t bytes = at ? reference.type.bytes : extent(reference);
  for (uint32_t i = begin; i < begin + bytes; ++i) {
    out_.uses[access].add(futures_.components_.pieces().global_component[i]);
  }
}

void Futures::Reader::use(ExpressionId channel, Access access, bool tests) {
  expression(channel, false);
  out_.uses_channels = true;
  const std::optional<ComponentId> component = this->channel(channel);
  if (!component) {
    out_.any_channel = true;
    if (!tests) return;
    out_.tested_handshakes.add(kControlComponent);  // for one that does not exist yet
    for (const Channel& each : processes_.channels) {
      if (each.capacity == 0) out_.tested_handshakes.add(each.component);
    }
    return;
  }
  if (*component == kControlComponent) return;
  out_.uses[access].add(*component);
  if (!tests) return;
  out_.uses[Access::kLook].add(*component);
  if (processes_.channel_at(*component)->capacity == 0) out_.tested_handshakes.add(*component);
}

void Futures::Reader::arguments(const std::vector<ReceiveArgument>& arguments) {
  for (const ReceiveArgument& argument : arguments) {
    if (argument.kind == ReceiveArgument::Kind::kMatch) expression(argument.match, false);
  }
}

void Futures::Reader::guard(const SolverGuard& guard) {
  for (const ExpressionId parameter : guard.parameters) expression(parameter, false);
  for (const SolverGuard::Target& target : guard.targets) {
    expression(target.low, false);
    expression(target.high, false);
  }
}

bool Futures::Reader::is_fresh(ExpressionId id) const {
  const Expression& expression = model_.expressions[id];
  if (frame_.fresh == nullptr || expression.op != Operator::kVariable ||
      expression.reference.space != Space::kLocal) {
    return false;
  }
  const std::optional<uint32_t> at = offset(expression.reference);
  return at && (*frame_.fresh)[*at] && !(*frame_.unknown)[*at];
}

void Futures::Reader::created(const Expression& run) {
  const Proctype& proctype = model_.proctypes[run.proctype];
  Bytes content(proctype.frame_bytes);
  std::vector<bool> known(proctype.frame_bytes);
  std::vector<bool> fresh(proctype.frame_bytes);
  const bool few = std::ranges::count(creating_, run.proctype, &Created::proctype) < kMostKinds;
  for (size_t i = 0; few && i < proctype.parameters.size() && i < run.operands.size(); ++i) {
    const VariableReference& parameter = proctype.parameters[i];
    const std::optional<int32_t> value = evaluate(run.operands[i]);
    fresh[parameter.offset] = is_fresh(run.operands[i]);
    if (value) store_scalar(parameter.type, content.data() + parameter.offset, *value);
    for (uint32_t b = 0; b < parameter.type.bytes; ++b)
      known[parameter.offset + b] = value || fresh[parameter.offset];
  }
  if (!creating_.insert({run.proctype, content, known, fresh}).second) return;
  const std::vector<bool>& assigned = futures_.ahead(run.proctype, proctype.start).assigned;
  for (const Initializer& initializer : proctype.initializers) {
    if (initializer.channel < 0 || !initializer.target.indices.empty()) continue;
    fresh[initializer.target.offset] = known[initializer.target.offset] = true;
  }
  std::vector<bool> unknown(proctype.frame_bytes);
  for (size_t b = 0; b < unknown.size(); ++b) unknown[b] = !known[b] || assigned[b];
  const Frame frame{proctype, kNoProcess, {0, proctype.frame_bytes}, content, &unknown, &fresh};
  Reader reader(futures_, processes_, frame, out_);
  reader.creating_.swap(creating_);
  for (const Initializer& initializer : proctype.initializers) {
    if (initializer.channel < 0) reader.expression(initializer.value, false);
  }
  for (size_t i = 1; i < proctype.locations.size(); ++i) {
    reader.location(proctype.locations[i], futures_.inside_[run.proctype][i]);
  }
  creating_.swap(reader.creating_);
}

}  // namespace cmc
