#include "ir/validate.h"

#include <fmt/format.h>

#include "ir/print.h"

namespace cmc {

namespace {

constexpr size_t kMaxProblems = 100;

// The exact number of operands, or {fewest, most}.
struct Arity {
  size_t fewest = 0;
  size_t most = 0;
};

Arity arity_of(Operator op) {
  switch (op) {
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
    case Operator::kEmbeddedC:
    case Operator::kReceivable:
    case Operator::kExists:
    case Operator::kTarget:
    case Operator::kParameter: return {0, 0};
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kComplement:
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty:
    case Operator::kPoll:
    case Operator::kEnabled:
    case Operator::kLocationOf:
    case Operator::kPriorityOf: return {1, 1};
    case Operator::kConditional: return {3, 3};
    case Operator::kRun: return {0, SIZE_MAX};
    case Operator::kRemoteLocation:
    case Operator::kRemoteVariable: return {0, 1};
    default: return {2, 2};
  }
}

// Constants and operators whose value is a function of those of their operands.
bool is_pure(Operator op) {
  return op == Operator::kConstant || (op >= Operator::kNegate && op <= Operator::kConditional);
}

class Validator {
 public:
  explicit Validator(const Model& model) : model_(model) {}

  std::vector<std::string> run() {
    check_sizes();
    if (expressions_are_trees()) {
      check_channel_types();
      check_globals();
      in_process_ = true;
      for (const Proctype& proctype : model_.proctypes) check_proctype(proctype);
      check_claims();
      check_formulas();
      check_active();
      check_properties();
    }
    return std::move(problems_);
  }

 private:
  // A part of the state vector, each byte of which has at most one owner.
  struct Region {
    std::string name;
    std::vector<uint32_t> owners;                 // by byte: index into owner_names
    std::vector<std::string> owner_names = {""};  // 0: the byte is free

    Region(std::string region_name, size_t bytes) : name(std::move(region_name)), owners(bytes) {}
    [[nodiscard]] uint32_t owner(std::string owner_name) {
      owner_names.push_back(std::move(owner_name));
      return static_cast<uint32_t>(owner_names.size() - 1);
    }
  };

  template <class... Arguments>
  void problem(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    if (problems_.size() < kMaxProblems) {
      problems_.push_back(where_ + fmt::format(text, std::forward<Arguments>(arguments)...));
    }
  }

  void check_sizes();
  bool expressions_are_trees();
  void check_channel_types();
  void check_globals();
  void check_active();
  void check_claims();
  void check_formulas();
  void check_properties();
  void check_proctype(const Proctype& proctype);
  void check_locations(const Proctype& proctype);
  void check_type(const ScalarType& type, const std::string& what);
  void claim(Region& region, size_t begin, size_t size, uint32_t owner);
  void claim_variable(Region& region, const Variable& variable);
  void claim_elements(Region& region, const Variable& variable, uint32_t owner, size_t dimension, size_t offset);
  void claim_channel(Region& region, const ChannelInstance& channel, size_t begin);
  void check_initializers(const std::vector<Initializer>& initializers, size_t channels);
  void check_reference(const VariableReference& reference, const Proctype* owner);
  void check_expression(ExpressionId id, bool run_allowed = false);
  void check_arguments(const std::vector<ReceiveArgument>& arguments);
  void check_statement(StatementId id, bool in_block = false);
  void check_body(const Statement& block);
  void check_guard(size_t number);
  void check_condition(const SolverGuard& guard, ExpressionId id);

  const Model& model_;
  const Proctype* proctype_ = nullptr;  // whose expressions are being checked; it may be a claim
  bool in_process_ = false;
  bool inside_guard_ = false;
  std::string where_;
  std::vector<std::string> problems_;
};

void Validator::check_sizes() {
  if (model_.proctypes.size() > 256) problem("{} proctypes, at most 256 have a number", model_.proctypes.size());
  if (model_.channels.size() > kMaxChannels) problem("{} global channels", model_.channels.size());
  if (model_.global_bytes < model_.hidden_bytes + kHeaderBytes) {
    problem("global_bytes {} leaves no room for the header behind {} hidden bytes", model_.global_bytes,
            model_.hidden_bytes);
  }
  if (model_.mtype_set_names.size() != model_.mtype_sets.size())
    problem("mtype sets and their names differ in number");
}

// No cycle and no index out of range among expressions; without this nothing else can be checked safely.
bool Validator::expressions_are_trees() {
  enum class Color : uint8_t { kNew, kOpen, kDone };
  std::vector<Color> colors(model_.expressions.size(), Color::kNew);
  const auto children = [&](ExpressionId id) {
    const Expression& expression = model_.expressions[id];
    std::vector<ExpressionId> ids = expression.operands;
    for (const auto& index : expression.reference.indices) ids.push_back(index.expression);
    for (const ReceiveArgument& argument : expression.arguments) {
      if (argument.kind == ReceiveArgument::Kind::kMatch) ids.push_back(argument.match);
      for (const auto& index : argument.store.indices) ids.push_back(index.expression);
    }
    return ids;
  };
  for (ExpressionId root = 0; root < model_.expressions.size(); ++root) {
    if (colors[root] != Color::kNew) continue;
    std::vector<std::pair<ExpressionId, std::vector<ExpressionId>>> stack;
    stack.emplace_back(root, children(root));
    colors[root] = Color::kOpen;
    while (!stack.empty()) {
      if (stack.back().second.empty()) {
        colors[stack.back().first] = Color::kDone;
        stack.pop_back();
        continue;
      }
      const ExpressionId child = stack.back().second.back();
      stack.back().second.pop_back();
      if (child >= model_.expressions.size()) {
        problem("expression {} has the operand {}, which does not exist", stack.back().first, child);
        return false;
      }
      if (colors[child] == Color::kOpen) {
        problem("expression {} contains itself", child);
        return false;
      }
      if (colors[child] == Color::kDone) continue;
      colors[child] = Color::kOpen;
      stack.emplace_back(child, children(child));
    }
  }
  return true;
}

void Validator::check_type(const ScalarType& type, const std::string& what) {
  const bool known_size = type.bytes == 1 || type.bytes == 2 || type.bytes == 4;
  if (!known_size || type.bits < 1 || type.bits > 8 * type.bytes) {
    problem("{} has {} bits in {} bytes", what, type.bits, type.bytes);
  }
  if (type.basic == BasicType::kMtype && type.mtype_set >= std::max<size_t>(1, model_.mtype_sets.size())) {
    problem("{} belongs to mtype set {}, which does not exist", what, type.mtype_set);
  }
}

void Validator::check_channel_types() {
  for (size_t i = 0; i < model_.channel_types.size(); ++i) {
    const ChannelType& type = model_.channel_types[i];
    where_ = fmt::format("channel type {}: ", i);
    if (type.capacity > 0xffff) problem("capacity {} does not fit the length field", type.capacity);
    if (type.fields.size() != type.field_offsets.size()) {
      problem("{} fields, {} offsets", type.fields.size(), type.field_offsets.size());
      continue;
    }
    Region message(fmt::format("message of channel type {}", i), type.message_bytes);
    for (size_t field = 0; field < type.fields.size(); ++field) {
      const std::string name = fmt::format("field {}", field);
      check_type(type.fields[field], name);
      claim(message, type.field_offsets[field], type.fields[field].bytes, message.owner(name));
    }
  }
}

void Validator::claim(Region& region, size_t begin, size_t size, uint32_t owner) {
  if (begin > region.owners.size() || size > region.owners.size() - begin) {
    problem("{} at {} of {} bytes does not fit {} ({} bytes)", region.owner_names[owner], begin, size, region.name,
            region.owners.size());
    return;
  }
  for (size_t i = begin; i < begin + size; ++i) {
    if (region.owners[i] != 0) {
      problem("{} and {} overlap at byte {} of {}", region.owner_names[region.owners[i]], region.owner_names[owner],
              i, region.name);
      return;
    }
    region.owners[i] = owner;
  }
}

void Validator::claim_variable(Region& region, const Variable& variable) {
  claim_elements(region, variable, region.owner(variable.name), 0, variable.offset);
}

void Validator::claim_elements(Region& region, const Variable& variable, uint32_t owner, size_t dimension,
                               size_t offset) {
  if (dimension == variable.dimensions.size()) {
    claim(region, offset, variable.type.bytes, owner);
    return;
  }
  const Variable::Dimension& range = variable.dimensions[dimension];
  const size_t problems = problems_.size();
  for (uint32_t i = 0; i < range.count && problems_.size() == problems; ++i) {
    claim_elements(region, variable, owner, dimension + 1, offset + size_t{i} * range.stride);
  }
}

void Validator::claim_channel(Region& region, const ChannelInstance& channel, size_t begin) {
  if (channel.type >= model_.channel_types.size()) {
    problem("channel {} has type {}, which does not exist", channel.name, channel.type);
    return;
  }
  claim(region, begin, model_.channel_types[channel.type].bytes(), region.owner("channel " + channel.name));
}

void Validator::check_globals() {
  where_ = "globals: ";
  proctype_ = nullptr;
  Region region("the global part of the state", model_.global_bytes);
  claim(region, model_.header_offset(), kHeaderBytes, region.owner("the header"));
  for (const Variable& variable : model_.globals) {
    check_type(variable.type, variable.name);
    if (variable.space != Space::kGlobal) problem("{} is not in the global space", variable.name);
    if (variable.hidden != (variable.offset < model_.hidden_bytes)) {
      problem("{} is {}hidden but lies at {}, hidden bytes: {}", variable.name, variable.hidden ? "" : "not ",
              variable.offset, model_.hidden_bytes);
    }
    claim_variable(region, variable);
  }
  for (const ChannelInstance& channel : model_.channels) claim_channel(region, channel, channel.offset);
  check_initializers(model_.initializers, model_.channels.size());
}

void Validator::check_active() {
  where_ = "active processes: ";
  if (model_.active.size() > kMaxProcesses) problem("{} of them", model_.active.size());
  for (const ActiveProcess& process : model_.active) {
    if (process.proctype >= model_.proctypes.size()) problem("proctype {} does not exist", process.proctype);
  }
}

void Validator::check_claims() {
  in_process_ = false;
  for (const Proctype& claim : model_.claims) {
    check_proctype(claim);
    where_ = fmt::format("claim {}: ", claim.name);
    if (!claim.channels.empty() || !claim.parameters.empty()) problem("channels or parameters of its own");
  }
}

void Validator::check_formulas() {
  in_process_ = false;
  proctype_ = nullptr;
  for (size_t i = 0; i < model_.formulas.size(); ++i) {
    const Formula& formula = model_.formulas[i];
    where_ = fmt::format("formula {}: ", i);
    const bool atom = formula.op == Formula::Op::kAtom;
    const bool constant = formula.op == Formula::Op::kTrue || formula.op == Formula::Op::kFalse;
    const bool binary = formula.op == Formula::Op::kAnd || formula.op == Formula::Op::kOr ||
                        formula.op == Formula::Op::kImplies || formula.op == Formula::Op::kEquivalent ||
                        formula.op == Formula::Op::kUntil || formula.op == Formula::Op::kRelease ||
                        formula.op == Formula::Op::kWeakUntil;
    const auto check_child = [&](uint32_t child, bool wanted) {
      if (wanted ? child >= i : child != kNoFormula)
        problem("operator {} on formula {}", static_cast<int>(formula.op), child);
    };
    check_child(formula.left, !atom && !constant);
    check_child(formula.right, binary);
    if (atom) check_expression(formula.atom);
    if (!atom && formula.atom != kNoExpression) problem("an atom beside an operator");
  }
}

void Validator::check_properties() {
  where_ = "properties: ";
  for (const Property& property : model_.properties) {
    const bool has_claim = property.kind == Property::Kind::kNeverClaim || property.kind == Property::Kind::kTrace ||
                           property.kind == Property::Kind::kNotrace;
    if (property.claim == kNoClaim ? has_claim : property.claim >= model_.claims.size()) {
      problem("{}: claim {} of {}", info(property.kind).name, property.claim, model_.claims.size());
    }
    const bool has_formula = property.kind == Property::Kind::kLtl;
    if (has_formula ? property.formula >= model_.formulas.size() : property.formula != kNoFormula) {
      problem("{}: formula {} of {}", info(property.kind).name, property.formula, model_.formulas.size());
    }
  }
}

void Validator::check_initializers(const std::vector<Initializer>& initializers, size_t channels) {
  for (const Initializer& initializer : initializers) {
    check_reference(initializer.target, proctype_);
    if (initializer.channel >= 0) {
      if (static_cast<size_t>(initializer.channel) >= channels) {
        problem("initializer names channel {}, there are {}", initializer.channel, channels);
      }
    } else {
      check_expression(initializer.value, true);
    }
  }
}

void Validator::check_proctype(const Proctype& proctype) {
  where_ = fmt::format("proctype {}: ", proctype.name);
  proctype_ = &proctype;
  Region region("the frame", proctype.frame_bytes);
  claim(region, 0, kFrameHeaderBytes, region.owner("the frame header"));
  for (const Variable& variable : proctype.variables) {
    check_type(variable.type, variable.name);
    if (variable.space != Space::kLocal) problem("{} is not in the local space", variable.name);
    claim_variable(region, variable);
  }
  for (const ChannelInstance& channel : proctype.channels) claim_channel(region, channel, channel.offset);
  for (const VariableReference& parameter : proctype.parameters) {
    check_reference(parameter, proctype_);
    if (parameter.space != Space::kLocal || !parameter.indices.empty()) {
      problem("the parameter at {} is not a plain local", parameter.offset);
    }
  }
  check_initializers(proctype.initializers, proctype.channels.size());
  if (proctype.provided != kNoExpression) check_expression(proctype.provided);
  check_locations(proctype);
}

void Validator::check_locations(const Proctype& proctype) {
  const size_t count = proctype.locations.size();
  if (count > 0xffff) problem("{} locations", count);
  if (proctype.start == 0 || proctype.start >= count) problem("start location {} does not exist", proctype.start);
  if (proctype.end >= count) problem("end location {} does not exist", proctype.end);
  for (size_t location = 0; location < count; ++location) {
    for (const Edge& edge : proctype.locations[location].edges) {
      where_ = fmt::format("proctype {}, location {}: ", proctype.name, location);
      if (location == 0) problem("location 0 has an edge");
      if (edge.target >= count) problem("edge to location {}, which does not exist", edge.target);
      if (edge.escape >= count) problem("escape location {} does not exist", edge.escape);
      if (edge.statement >= model_.statements.size()) {
        problem("statement {} does not exist", edge.statement);
        continue;
      }
      const bool ends = model_.statements[edge.statement].kind == StatementKind::kEndProcess;
      if (ends != (edge.target == 0)) {
        problem("edge to location {} with statement kind {}", edge.target,
                static_cast<int>(model_.statements[edge.statement].kind));
      }
      check_statement(edge.statement);
    }
  }
}

void Validator::check_reference(const VariableReference& reference, const Proctype* owner) {
  check_type(reference.type, "a reference");
  for (const VariableReference::Index& index : reference.indices) check_expression(index.expression);
  if (reference.space == Space::kLocal && owner == nullptr) {
    problem("reference to local {} outside a proctype", reference.offset);
    return;
  }
  const bool local = reference.space == Space::kLocal;
  const size_t size = local ? owner->frame_bytes : model_.global_bytes;
  const size_t variables = local ? owner->variables.size() : model_.globals.size();
  size_t last = size_t{reference.offset} + reference.type.bytes;
  for (const VariableReference::Index& index : reference.indices) {
    if (index.count == 0)
      problem("reference at {} with an index that can have no value", reference.offset);
    else
      last += size_t{index.count - 1} * index.stride;
  }
  const bool in_header =
      local ? reference.offset < kFrameHeaderBytes
            : reference.offset >= model_.hidden_bytes && reference.offset < model_.hidden_bytes + kHeaderBytes;
  if (last > size || in_header) {
    problem("reference to bytes {}..{} of {} {} bytes", reference.offset, last, size, local ? "local" : "global");
  }
  if (reference.variable >= variables) problem("reference to variable {} of {}", reference.variable, variables);
}

void Validator::check_expression(ExpressionId id, bool run_allowed) {
  if (id >= model_.expressions.size()) {
    problem("expression {} does not exist", id);
    return;
  }
  const Expression& expression = model_.expressions[id];
  const Arity arity = arity_of(expression.op);
  if (expression.operands.size() < arity.fewest || expression.operands.size() > arity.most) {
    problem("expression {} has {} operands", expression_text(model_, proctype_, id), expression.operands.size());
  }
  for (const ExpressionId operand : expression.operands) check_expression(operand);
  const bool names_proctype = expression.op == Operator::kRun || expression.op == Operator::kRemoteLocation ||
                              expression.op == Operator::kRemoteVariable;
  if (names_proctype && expression.proctype >= model_.proctypes.size()) {
    problem("proctype {} does not exist", expression.proctype);
    return;
  }
  switch (expression.op) {
    case Operator::kVariable: check_reference(expression.reference, proctype_); break;
    case Operator::kRemoteVariable:
      check_reference(expression.reference, &model_.proctypes[expression.proctype]);
      if (expression.reference.space != Space::kLocal) problem("remote reference to a global variable");
      break;
    case Operator::kOwnPid:
    case Operator::kOwnPriority:
      if (!in_process_) problem("an operand that only a process has");
      break;
    case Operator::kLast:
      if (!model_.uses_last) problem("_last, which is no part of the state");
      break;
    case Operator::kElseGuard:
      if (proctype_ == nullptr) problem("an operand that only a statement has");
      break;
    case Operator::kPoll: check_arguments(expression.arguments); break;
    case Operator::kReceivable:
      if (expression.statement >= model_.statements.size() ||
          model_.statements[expression.statement].kind != StatementKind::kReceive) {
        problem("a test of statement {}, which is not a receive", expression.statement);
      } else {
        check_statement(expression.statement, true);
      }
      break;
    case Operator::kRun: {
      const Proctype& created = model_.proctypes[expression.proctype];
      if (!run_allowed) problem("run {} inside an expression", created.name);
      if (expression.value < 0 || expression.value > 255) problem("priority {}", expression.value);
      if (expression.operands.size() != created.parameters.size()) {
        problem("run {} with {} arguments for {} parameters", created.name, expression.operands.size(),
                created.parameters.size());
      }
      break;
    }
    case Operator::kExists: check_guard(static_cast<size_t>(expression.value)); break;
    case Operator::kTarget:
    case Operator::kParameter: problem("an operand that only the condition of a solver guard has"); break;
    default: break;
  }
}

void Validator::check_guard(size_t number) {
  if (number >= model_.guards.size()) {
    problem("solver guard {} does not exist", number);
    return;
  }
  if (inside_guard_) {
    problem("a solver guard inside another");
    return;
  }
  inside_guard_ = true;
  const SolverGuard& guard = model_.guards[number];
  if (guard.targets.empty()) problem("a solver guard without targets");
  for (const SolverGuard::Target& target : guard.targets) {
    check_expression(target.low);
    check_expression(target.high);
  }
  for (const ExpressionId parameter : guard.parameters) check_expression(parameter);
  check_condition(guard, guard.condition);
  inside_guard_ = false;
}

void Validator::check_condition(const SolverGuard& guard, ExpressionId id) {
  if (id >= model_.expressions.size()) {
    problem("expression {} does not exist", id);
    return;
  }
  const Expression& expression = model_.expressions[id];
  const Arity arity = arity_of(expression.op);
  if (expression.operands.size() < arity.fewest || expression.operands.size() > arity.most) {
    problem("expression {} has {} operands", id, expression.operands.size());
  }
  for (const ExpressionId operand : expression.operands) check_condition(guard, operand);
  if (expression.op == Operator::kTarget) {
    if (static_cast<size_t>(expression.value) >= guard.targets.size())
      problem("target {} does not exist", expression.value);
  } else if (expression.op == Operator::kParameter) {
    uint64_t last = static_cast<uint32_t>(expression.value);
    for (const VariableReference::Index& index : expression.reference.indices) {
      if (index.count == 0)
        problem("parameter {} with an index that can have no value", expression.value);
      else
        last += uint64_t{index.count - 1} * index.stride;
      check_condition(guard, index.expression);
    }
    if (expression.value < 0 || last >= guard.parameters.size()) {
      problem("parameters {}..{} of {}", expression.value, last, guard.parameters.size());
    }
  } else if (!is_pure(expression.op)) {
    problem("the condition of a solver guard is not closed: it has {}", expression_text(model_, proctype_, id));
  }
}

void Validator::check_arguments(const std::vector<ReceiveArgument>& arguments) {
  for (const ReceiveArgument& argument : arguments) {
    if (argument.kind == ReceiveArgument::Kind::kMatch) check_expression(argument.match);
    if (argument.kind == ReceiveArgument::Kind::kStore) check_reference(argument.store, proctype_);
  }
}

void Validator::check_statement(StatementId id, bool in_block) {
  const Statement& statement = model_.statements[id];
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse:
    case StatementKind::kEmbeddedC: break;
    case StatementKind::kCondition: check_expression(statement.expression, true); break;
    case StatementKind::kAssign:
      if (!statement.discard_target) check_reference(statement.target, proctype_);
      check_expression(statement.expression, true);
      break;
    case StatementKind::kSend:
      check_expression(statement.channel);
      for (const ExpressionId operand : statement.operands) check_expression(operand);
      check_arguments(statement.arguments);
      break;
    case StatementKind::kReceive:
      check_expression(statement.channel);
      check_arguments(statement.arguments);
      break;
    case StatementKind::kAssert:
    case StatementKind::kPrintm: check_expression(statement.expression); break;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) check_expression(operand);
      break;
    case StatementKind::kSetPriority:
      if (statement.operands.size() != 2) problem("set_priority with {} operands", statement.operands.size());
      for (const ExpressionId operand : statement.operands) check_expression(operand);
      break;
    case StatementKind::kAtomicBlock:
      if (in_block) {
        problem("a d_step inside a d_step");
      } else {
        check_body(statement);
      }
      break;
    case StatementKind::kEndProcess:
      if (in_block) problem("the end of the process inside a d_step");
      break;
    case StatementKind::kChoose:
      check_guard(statement.guard_number);
      if (in_block && !statement.flag) problem("a choice of one of several witnesses inside a d_step");
      if (statement.guard_number < model_.guards.size() &&
          statement.targets.size() != model_.guards[statement.guard_number].targets.size()) {
        problem("{} references for the targets of a solver guard", statement.targets.size());
      }
      for (const VariableReference& target : statement.targets) check_reference(target, proctype_);
      break;
  }
}

void Validator::check_body(const Statement& block) {
  if (block.guard != kNoExpression) check_expression(block.guard);
  if (block.body.empty()) problem("a d_step without a body");
  for (const DeterministicNode& node : block.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      if (alternative.next != DeterministicNode::kDone && alternative.next >= block.body.size()) {
        problem("d_step node {} does not exist", alternative.next);
      }
      if (alternative.statement >= model_.statements.size()) {
        problem("d_step statement {} does not exist", alternative.statement);
      } else {
        check_statement(alternative.statement, true);
      }
    }
  }
}

}  // namespace

std::vector<std::string> validate(const Model& model) { return Validator(model).run(); }

}  // namespace cmc
