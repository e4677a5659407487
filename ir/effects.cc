#include "ir/effects.h"

#include <algorithm>

namespace cmc {

namespace {

void add_all(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  std::vector<uint32_t> both;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both));
  to = std::move(both);
}

void add(std::vector<uint32_t>& to, uint32_t value) {
  const auto at = std::lower_bound(to.begin(), to.end(), value);
  if (at == to.end() || *at != value) to.insert(at, value);
}

void merge(AccessSet& to, const AccessSet& from) {
  add_all(to.globals, from.globals);
  add_all(to.channels, from.channels);
  to.any_channel |= from.any_channel;
  to.other_locals |= from.other_locals;
  to.other_locations |= from.other_locations;
  to.priorities |= from.priorities;
  to.processes |= from.processes;
  to.last |= from.last;
  to.everything |= from.everything;
}

void merge(Effects& to, const Effects& from) {
  merge(to.reads, from.reads);
  merge(to.writes, from.writes);
  to.may_meet |= from.may_meet;
}

// What a channel expression can name.
struct ChannelTargets {
  bool unknown = false;          // any channel
  std::vector<uint32_t> global;  // Model::channels
  std::vector<uint32_t> own;     // Proctype::channels
};

class Analysis {
 public:
  explicit Analysis(const Model& model) : model_(model) {
    find_assigned_channel_variables();
    find_own_effects();
    close_enabled();
    close_rendezvous();
    add_priorities();
  }

  ModelEffects result() { return std::move(result_); }

 private:
  bool is_assigned(const VariableReference& reference, size_t proctype) const {
    const size_t row = reference.space == Space::kGlobal ? 0 : proctype + 1;
    return reference.variable >= assigned_[row].size() || assigned_[row][reference.variable];
  }
  void mark_assigned(const VariableReference& target, size_t proctype) {
    const size_t row = target.space == Space::kGlobal ? 0 : proctype + 1;
    if (target.variable < assigned_[row].size()) assigned_[row][target.variable] = true;
  }
  void find_assigned_channel_variables();

  void find_own_effects();
  void close_enabled();
  void close_rendezvous();
  void add_priorities();
  template <class Function>
  void for_each_location(Function function) {
    for (size_t p = 0; p < model_.proctypes.size(); ++p) {
      for (size_t l = 0; l < model_.proctypes[p].locations.size(); ++l) function(p, l);
    }
  }

  void read_expression(ExpressionId id, size_t proctype, Effects& effects);
  void read_indices(const VariableReference& reference, size_t proctype, Effects& effects);
  void read_reference(const VariableReference& reference, size_t proctype, Effects& effects);
  void write_reference(const VariableReference& reference, size_t proctype, Effects& effects);
  void read_arguments(const std::vector<ReceiveArgument>& arguments, size_t proctype, Effects& effects);
  void read_guard(const SolverGuard& guard, size_t proctype, Effects& effects);
  void create_process(const Expression& run, Effects& effects);
  ChannelTargets targets_of(ExpressionId channel, size_t proctype) const;
  void use_channel(ExpressionId channel, size_t proctype, bool writes, Effects& effects);
  bool may_be_rendezvous(ExpressionId channel, size_t proctype) const;
  void add_statement(StatementId id, size_t proctype, Effects& effects);
  // Can the statement take part in a rendezvous as the receiving side?
  bool may_receive_rendezvous(StatementId id, size_t proctype) const;

  const Model& model_;
  ModelEffects result_;
  std::vector<std::vector<bool>> assigned_;  // [0]: globals; [p + 1]: variables of proctype p
  std::vector<std::vector<bool>> asks_enabled_;
  std::vector<std::vector<bool>> offers_;
  bool location_asks_enabled_ = false;
  std::vector<bool> creating_;  // proctypes whose initializers are being followed
};

// A channel variable that no statement writes, no initializer sets to a computed value, and that is no parameter,
// names what its initializer says.
void Analysis::find_assigned_channel_variables() {
  assigned_.resize(model_.proctypes.size() + 1);
  assigned_[0].resize(model_.globals.size());
  for (const Initializer& initializer : model_.initializers) {
    if (initializer.channel < 0) mark_assigned(initializer.target, 0);
  }
  for (size_t p = 0; p < model_.proctypes.size(); ++p) {
    const Proctype& proctype = model_.proctypes[p];
    assigned_[p + 1].resize(proctype.variables.size());
    for (const VariableReference& parameter : proctype.parameters) mark_assigned(parameter, p);
    for (const Initializer& initializer : proctype.initializers) {
      if (initializer.channel < 0) mark_assigned(initializer.target, p);
    }
  }
  for_each_location([&](size_t p, size_t l) {
    for (const Edge& edge : model_.proctypes[p].locations[l].edges) {
      for_each_written(model_, model_.statements[edge.statement],
                       [&](const VariableReference& reference) { mark_assigned(reference, p); });
    }
  });
}

void Analysis::read_indices(const VariableReference& reference, size_t proctype, Effects& effects) {
  for (const VariableReference::Index& index : reference.indices)
    read_expression(index.expression, proctype, effects);
}

void Analysis::read_reference(const VariableReference& reference, size_t proctype, Effects& effects) {
  read_indices(reference, proctype, effects);
  if (reference.space == Space::kGlobal) add(effects.reads.globals, reference.variable);
}

void Analysis::write_reference(const VariableReference& reference, size_t proctype, Effects& effects) {
  read_indices(reference, proctype, effects);
  if (reference.space != Space::kGlobal) return;
  add(effects.writes.globals, reference.variable);
}

void Analysis::read_arguments(const std::vector<ReceiveArgument>& arguments, size_t proctype, Effects& effects) {
  for (const ReceiveArgument& argument : arguments) {
    if (argument.kind == ReceiveArgument::Kind::kMatch) read_expression(argument.match, proctype, effects);
  }
}

ChannelTargets Analysis::targets_of(ExpressionId channel, size_t proctype) const {
  ChannelTargets targets;
  const Expression& expression = model_.expressions[channel];
  if (expression.op != Operator::kVariable || is_assigned(expression.reference, proctype)) {
    targets.unknown = true;
    return targets;
  }
  const bool global = expression.reference.space == Space::kGlobal;
  const std::vector<Initializer>& initializers =
      global ? model_.initializers : model_.proctypes[proctype].initializers;
  for (const Initializer& initializer : initializers) {
    const bool same = initializer.target.space == expression.reference.space &&
                      initializer.target.variable == expression.reference.variable;
    const bool element = !expression.reference.indices.empty() || !initializer.target.indices.empty() ||
                         initializer.target.offset == expression.reference.offset;
    if (!same || !element || initializer.channel < 0) continue;
    add(global ? targets.global : targets.own, static_cast<uint32_t>(initializer.channel));
  }
  return targets;
}

void Analysis::use_channel(ExpressionId channel, size_t proctype, bool writes, Effects& effects) {
  read_expression(channel, proctype, effects);
  const ChannelTargets targets = targets_of(channel, proctype);
  const auto note = [&](AccessSet& set) {
    add_all(set.channels, targets.global);
    if (!targets.unknown) return;
    set.any_channel = true;
    for (uint32_t i = 0; i < model_.channels.size(); ++i) add(set.channels, i);
  };
  note(effects.reads);
  if (targets.unknown) effects.reads.processes = true;
  if (writes) note(effects.writes);
}

bool Analysis::may_be_rendezvous(ExpressionId channel, size_t proctype) const {
  if (!model_.has_rendezvous) return false;
  const ChannelTargets targets = targets_of(channel, proctype);
  const auto rendezvous = [&](const ChannelInstance& instance) {
    return model_.channel_types[instance.type].rendezvous();
  };
  return targets.unknown ||
         std::ranges::any_of(targets.global, [&](uint32_t i) { return rendezvous(model_.channels[i]); }) ||
         std::ranges::any_of(targets.own,
                             [&](uint32_t i) { return rendezvous(model_.proctypes[proctype].channels[i]); });
}

void Analysis::read_expression(ExpressionId id, size_t proctype, Effects& effects) {
  const Expression& expression = model_.expressions[id];
  for (const ExpressionId operand : expression.operands) read_expression(operand, proctype, effects);
  AccessSet& reads = effects.reads;
  switch (expression.op) {
    case Operator::kVariable: read_reference(expression.reference, proctype, effects); break;
    case Operator::kProcessCount: reads.processes = true; break;
    case Operator::kLast: reads.last = true; break;
    case Operator::kTimeout: reads.everything = true; break;
    case Operator::kNonProgress: reads.processes = reads.other_locations = true; break;
    case Operator::kEmbeddedC: reads.everything = effects.writes.everything = true; break;
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty: use_channel(expression.operands[0], proctype, false, effects); break;
    case Operator::kPoll:
      use_channel(expression.operands[0], proctype, false, effects);
      read_arguments(expression.arguments, proctype, effects);
      break;
    case Operator::kReceivable: {
      const Statement& statement = model_.statements[expression.statement];
      use_channel(statement.channel, proctype, false, effects);
      read_arguments(statement.arguments, proctype, effects);
      break;
    }
    case Operator::kRun: create_process(expression, effects); break;
    case Operator::kEnabled:
      reads.processes = true;
      location_asks_enabled_ = true;
      break;
    case Operator::kLocationOf:
    case Operator::kRemoteLocation: reads.processes = reads.other_locations = true; break;
    case Operator::kPriorityOf: reads.processes = reads.priorities = true; break;
    case Operator::kRemoteVariable:
      reads.processes = reads.other_locals = true;
      read_indices(expression.reference, proctype, effects);
      break;
    case Operator::kExists:
      read_guard(model_.guards[static_cast<size_t>(expression.value)], proctype, effects);
      break;
    default: break;
  }
}

void Analysis::read_guard(const SolverGuard& guard, size_t proctype, Effects& effects) {
  for (const ExpressionId parameter : guard.parameters) read_expression(parameter, proctype, effects);
  for (const SolverGuard::Target& target : guard.targets) {
    read_expression(target.low, proctype, effects);
    read_expression(target.high, proctype, effects);
  }
}

void Analysis::create_process(const Expression& run, Effects& effects) {
  effects.reads.processes = effects.writes.processes = true;
  if (creating_[run.proctype]) return;
  creating_[run.proctype] = true;
  for (const Initializer& initializer : model_.proctypes[run.proctype].initializers) {
    write_reference(initializer.target, run.proctype, effects);
    if (initializer.channel < 0) read_expression(initializer.value, run.proctype, effects);
  }
  creating_[run.proctype] = false;
}

void Analysis::add_statement(StatementId id, size_t proctype, Effects& effects) {
  const Statement& statement = model_.statements[id];
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse: break;
    case StatementKind::kCondition:
    case StatementKind::kAssert:
    case StatementKind::kPrintm: read_expression(statement.expression, proctype, effects); break;
    case StatementKind::kAssign:
      read_expression(statement.expression, proctype, effects);
      if (!statement.discard_target) write_reference(statement.target, proctype, effects);
      break;
    case StatementKind::kSend:
      use_channel(statement.channel, proctype, true, effects);
      for (const ExpressionId operand : statement.operands) read_expression(operand, proctype, effects);
      break;
    case StatementKind::kReceive:
      use_channel(statement.channel, proctype, !statement.poll, effects);
      read_arguments(statement.arguments, proctype, effects);
      for (const ReceiveArgument& argument : statement.arguments) {
        if (argument.kind == ReceiveArgument::Kind::kStore) write_reference(argument.store, proctype, effects);
      }
      break;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) read_expression(operand, proctype, effects);
      break;
    case StatementKind::kSetPriority:
      for (const ExpressionId operand : statement.operands) read_expression(operand, proctype, effects);
      effects.reads.processes = effects.writes.priorities = true;
      break;
    case StatementKind::kAtomicBlock:
      if (statement.guard != kNoExpression) read_expression(statement.guard, proctype, effects);
      for (const DeterministicNode& node : statement.body) {
        for (const DeterministicNode::Alternative& alternative : node.alternatives) {
          add_statement(alternative.statement, proctype, effects);
        }
      }
      break;
    case StatementKind::kEmbeddedC: effects.reads.everything = effects.writes.everything = true; break;
    case StatementKind::kEndProcess: effects.reads.processes = effects.writes.processes = true; break;
    case StatementKind::kChoose:
      read_guard(model_.guards[statement.guard_number], proctype, effects);
      for (const VariableReference& target : statement.targets) write_reference(target, proctype, effects);
      break;
  }
}

void Analysis::find_own_effects() {
  creating_.resize(model_.proctypes.size());
  result_.locations.resize(model_.proctypes.size());
  asks_enabled_.resize(model_.proctypes.size());
  offers_.resize(model_.proctypes.size());
  for (size_t p = 0; p < model_.proctypes.size(); ++p) {
    result_.locations[p].resize(model_.proctypes[p].locations.size());
    asks_enabled_[p].resize(model_.proctypes[p].locations.size());
    offers_[p].resize(model_.proctypes[p].locations.size());
  }
  for_each_location([&](size_t p, size_t l) {
    Effects& effects = result_.locations[p][l];
    location_asks_enabled_ = false;
    for (const Edge& edge : model_.proctypes[p].locations[l].edges) {
      add_statement(edge.statement, p, effects);
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind == StatementKind::kSend && may_be_rendezvous(statement.channel, p)) offers_[p][l] = true;
      if (may_receive_rendezvous(edge.statement, p)) effects.may_meet = true;
    }
    const ExpressionId provided = model_.proctypes[p].provided;
    if (provided != kNoExpression) read_expression(provided, p, effects);
    asks_enabled_[p][l] = location_asks_enabled_;
  });
}

bool Analysis::may_receive_rendezvous(StatementId id, size_t proctype) const {
  const Statement& statement = model_.statements[id];
  if (statement.kind == StatementKind::kReceive) {
    return !statement.poll && may_be_rendezvous(statement.channel, proctype);
  }
  return statement.kind == StatementKind::kAtomicBlock && model_.has_rendezvous;
}

// enabled() reads what any process may read, and where the others are. The union over all locations is its own
// closure: a location that asks enabled() adds what others read, and they are in the union.
void Analysis::close_enabled() {
  Effects all;
  for_each_location([&](size_t p, size_t l) { merge(all.reads, result_.locations[p][l].reads); });
  all.reads.other_locals = all.reads.other_locations = all.reads.processes = true;
  for_each_location([&](size_t p, size_t l) {
    if (asks_enabled_[p][l] || model_.uses_priority) merge(result_.locations[p][l].reads, all.reads);
  });
}

void Analysis::close_rendezvous() {
  Effects partners;
  for_each_location([&](size_t p, size_t l) {
    if (result_.locations[p][l].may_meet) merge(partners, result_.locations[p][l]);
  });
  partners.may_meet = true;
  partners.reads.processes = partners.reads.other_locals = partners.reads.other_locations = true;
  partners.writes.other_locals = partners.writes.other_locations = true;
  for_each_location([&](size_t p, size_t l) {
    if (offers_[p][l]) merge(result_.locations[p][l], partners);
  });
}

// With priorities, whether a process may move at all depends on what the others are and can do.
void Analysis::add_priorities() {
  if (!model_.uses_priority) return;
  for_each_location([&](size_t p, size_t l) {
    result_.locations[p][l].reads.priorities = true;
    result_.locations[p][l].reads.processes = true;
  });
}

}  // namespace

ModelEffects effects(const Model& model) { return Analysis(model).result(); }

uint32_t extent(const VariableReference& reference) {
  uint32_t bytes = reference.type.bytes;
  for (const VariableReference::Index& index : reference.indices) bytes += (index.count - 1) * index.stride;
  return bytes;
}

void for_each_written(const Model& model, const Statement& statement,
                      const std::function<void(const VariableReference&)>& visit) {
  if (statement.kind == StatementKind::kAssign && !statement.discard_target) visit(statement.target);
  if (statement.kind == StatementKind::kReceive) {
    for (const ReceiveArgument& argument : statement.arguments) {
      if (argument.kind == ReceiveArgument::Kind::kStore) visit(argument.store);
    }
  }
  for (const VariableReference& target : statement.targets) visit(target);
  for (const DeterministicNode& node : statement.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      for_each_written(model, model.statements[alternative.statement], visit);
    }
  }
}

bool reads_hidden_variable(const Model& model) {
  return std::any_of(model.expressions.begin(), model.expressions.end(), [&](const Expression& expression) {
    return expression.op == Operator::kVariable && expression.reference.space == Space::kGlobal &&
           expression.reference.offset < model.hidden_bytes;
  });
}

}  // namespace cmc
