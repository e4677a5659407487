#include "checker/keys/futures.h"

#include <algorithm>
#include <set>

#include "ir/arithmetic.h"
#include "ir/effects.h"
#include "ir/scalar.h"

namespace cmc {

namespace {

uint32_t extent(const VariableReference& reference) {
  uint32_t bytes = reference.type.bytes;
  for (const VariableReference::Index& index : reference.indices) bytes += (index.count - 1) * index.stride;
  return bytes;
}

void mark_written(const VariableReference& reference, std::vector<bool>& written) {
  for (uint32_t i = 0; i < extent(reference); ++i) written[reference.offset + i] = true;
}

bool is_embedded(const Statement& statement) { return statement.kind == StatementKind::kEmbeddedC; }

bool sees_others(const Expression& expression) {
  return expression.op == Operator::kEnabled || expression.op == Operator::kLocationOf ||
         expression.op == Operator::kRemoteLocation || expression.op == Operator::kRemoteVariable;
}

// Both ends of a channel, and everything between.
constexpr Access kOfChannels[] = {Access::kSend,         Access::kReceive, Access::kTestNotFull,
                                  Access::kTestNotEmpty, Access::kLook,    Access::kChange};

}  // namespace

struct Futures::Frame {
  const Proctype& proctype;
  uint8_t pid;
  Components::Range range;           // of what is known, in the frame
  ByteView content;                  // of that range
  const std::vector<bool>* unknown;  // by offset in the frame; null: none
  // By offset: the variable names a channel that does not exist yet. Null: none does.
  const std::vector<bool>* fresh = nullptr;

  [[nodiscard]] LocationId location() const {
    return load<LocationId>(content.data() + kFrameLocation - range.offset);
  }
};

// Adds what expressions and statements of one process use to a Future.
class Futures::Reader {
 public:
  Reader(const Futures& futures, const Processes& processes, const Frame& frame, Future& out)
      : futures_(futures), model_(futures.model_), processes_(processes), frame_(frame), out_(out) {}

  void location(const Location& location, bool inside) {
    const bool tests = std::ranges::any_of(location.edges, [&](const Edge& edge) {
      return edge.escape != 0 || model_.statements[edge.statement].kind == StatementKind::kElse;
    });
    for (const Edge& edge : location.edges) statement(model_.statements[edge.statement], inside, tests);
    if (frame_.proctype.provided != kNoExpression) expression(frame_.proctype.provided, false);
  }

  // `inside`: not where the process was found, so that values on the way matter, and whether an atomic sequence stops
  // here. `tests`: it matters otherwise whether it cannot be executed.
  void statement(const Statement& statement, bool inside, bool tests) {
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

  // `grows`: it is a guard that is true for more values the more its channel tests are true.
  void expression(ExpressionId id, bool grows) {
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
      case Operator::kNotFull:
        use(expression.operands[0], grows ? Access::kTestNotFull : Access::kLook, false);
        return;
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
    for (const ExpressionId operand : expression.operands) this->expression(operand, grows && passes_on);
  }

  [[nodiscard]] std::optional<int32_t> evaluate(ExpressionId id) const {
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

  // Whether it is a guard that cannot be true any more.
  [[nodiscard]] bool is_false(const Statement& statement) const {
    return statement.kind == StatementKind::kCondition && evaluate(statement.expression) == 0;
  }
  // What the statement does with locals, and needs to know of them.
  void locals(const Statement& statement, std::vector<LocalUse>& uses) const {
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

  // The channel of an operation; control: one that does not exist yet; none: it is not known.
  [[nodiscard]] std::optional<ComponentId> channel(ExpressionId id) const {
    if (is_fresh(id)) return kControlComponent;
    const std::optional<int32_t> number = evaluate(id);
    if (!number || *number < 1 || static_cast<size_t>(*number) >= processes_.channels.size()) return std::nullopt;
    return processes_.channels[static_cast<size_t>(*number)].component;
  }

 private:
  // Where the element is that the reference names; none: it is not known.
  [[nodiscard]] std::optional<uint32_t> offset(const VariableReference& reference) const {
    uint32_t at = reference.offset;
    for (const VariableReference::Index& index : reference.indices) {
      const std::optional<int32_t> number = evaluate(index.expression);
      if (!number || *number < 0 || static_cast<uint32_t>(*number) >= index.count) return std::nullopt;
      at += static_cast<uint32_t>(*number) * index.stride;
    }
    return at;
  }
  [[nodiscard]] std::optional<int32_t> value(const VariableReference& reference) const {
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
    for (uint32_t i = 0; i < reference.type.bytes && frame_.unknown != nullptr; ++i) {
      if ((*frame_.unknown)[*at + i]) return std::nullopt;
    }
    return load_scalar(reference.type, frame_.content.data() + (*at - frame_.range.offset));
  }

  // The local that the expression is; none: it is none that is known.
  [[nodiscard]] std::optional<uint32_t> local(ExpressionId id) const {
    const Expression& expression = model_.expressions[id];
    if (expression.op != Operator::kVariable || expression.reference.space != Space::kLocal) return std::nullopt;
    return offset(expression.reference);
  }
  // What is added, if the expression is the sum of the local and something known.
  [[nodiscard]] std::optional<int32_t> added(ExpressionId id, uint32_t at) const {
    const Expression& sum = model_.expressions[id];
    if (sum.op != Operator::kAdd) return std::nullopt;
    for (const size_t i : {0u, 1u}) {
      if (local(sum.operands[i]) == at) return evaluate(sum.operands[1 - i]);
    }
    return std::nullopt;
  }
  // Of a condition that is true.
  void needs(ExpressionId id, std::vector<LocalUse>& uses) const {
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
      if (condition.op == Operator::kLess && *value > INT32_MIN)
        uses.push_back({Kind::kIsAtMost, *at, *value - 1, 0});
    }
  }
  void indices(const VariableReference& reference) {
    for (const VariableReference::Index& index : reference.indices) expression(index.expression, false);
  }
  // Of a global variable.
  void elements(const VariableReference& reference, Access access) {
    const std::optional<uint32_t> at = offset(reference);
    const uint32_t begin = at ? *at : reference.offset;
    const uint32_t bytes = at ? reference.type.bytes : extent(reference);
    for (uint32_t i = begin; i < begin + bytes; ++i) {
      out_.uses[access].add(futures_.components_.pieces().global_component[i]);
    }
  }
  void use(ExpressionId channel, Access access, bool tests) {
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
  void arguments(const std::vector<ReceiveArgument>& arguments) {
    for (const ReceiveArgument& argument : arguments) {
      if (argument.kind == ReceiveArgument::Kind::kMatch) expression(argument.match, false);
    }
  }
  void guard(const SolverGuard& guard) {
    for (const ExpressionId parameter : guard.parameters) expression(parameter, false);
    for (const SolverGuard::Target& target : guard.targets) {
      expression(target.low, false);
      expression(target.high, false);
    }
  }
  [[nodiscard]] bool is_fresh(ExpressionId id) const {
    const Expression& expression = model_.expressions[id];
    if (frame_.fresh == nullptr || expression.op != Operator::kVariable ||
        expression.reference.space != Space::kLocal) {
      return false;
    }
    const std::optional<uint32_t> at = offset(expression.reference);
    return at && (*frame_.fresh)[*at] && !(*frame_.unknown)[*at];
  }
  // What the new process, and those that it creates, may do. Arguments whose values are known are its parameters as
  // long as it does not assign them.
  void created(const Expression& run) {
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

  // A kind of process that is created: its proctype and what is known of its parameters.
  struct Created {
    ProctypeId proctype;
    Bytes content;
    std::vector<bool> known;
    std::vector<bool> fresh;
    friend auto operator<=>(const Created&, const Created&) = default;
  };
  static constexpr int kMostKinds = 8;  // of one proctype; then nothing is known

  const Futures& futures_;
  const Model& model_;
  const Processes& processes_;
  const Frame& frame_;
  Future& out_;
  std::set<Created> creating_;  // that were followed
};

Futures::Futures(const Components& components, ByteView initial)
    : components_(components), model_(components.model()), initial_(initial.begin(), initial.end()) {
  assigned_.resize(model_.global_bytes);
  for (const Statement& statement : model_.statements) {
    for_each_written(model_, statement, [&](const VariableReference& reference) {
      if (reference.space == Space::kGlobal) mark_written(reference, assigned_);
    });
  }
  for (const Expression& expression : model_.expressions) frames_seen_ = frames_seen_ || sees_others(expression);
  for (const Proctype& proctype : model_.proctypes) {
    std::vector<bool>& inside = inside_.emplace_back(proctype.locations.size());
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) {
        if (edge.atomic) inside[edge.target] = true;
      }
    }
  }
  for (const Proctype& proctype : model_.proctypes) {
    std::vector<Behind>& behind = behind_.emplace_back(proctype.locations.size());
    const auto found_at = [&](LocationId location) {
      Future found;
      const Frame frame{proctype, kNoProcess, {}, {}, nullptr};
      const Processes nobody;
      Reader(*this, nobody, frame, found).location(proctype.locations[location], true);
      return found;
    };
    for (bool changed = true; changed;) {  // backwards
      changed = false;
      for (size_t i = 1; i < proctype.locations.size(); ++i) {
        Behind all = behind[i];
        for (const Edge& edge : proctype.locations[i].edges) {
          if (!edge.atomic) continue;
          const Future next = found_at(edge.target);
          all.uses_channels |= behind[edge.target].uses_channels || next.uses_channels;
          all.sees_processes |= behind[edge.target].sees_processes || next.sees_processes || next.sees_all;
          all.creates |= behind[edge.target].creates || next.creates;
        }
        changed = changed || !(all == behind[i]);
        behind[i] = all;
      }
    }
  }
}

const char* Futures::obstacle(const Model& model) {
  if (model.uses_priority) return "the model has priorities";
  if (model.uses_last) return "the model uses _last";
  if (model.trace.exists()) return "a trace observes the channels";
  if (std::ranges::any_of(model.statements, is_embedded)) return "the model has embedded C code";
  if (reads_hidden_variable(model)) return "the model reads hidden variables";
  const auto creates = [](const Expression& expression) { return expression.op == Operator::kRun; };
  if (model.active.size() < 2 && std::ranges::none_of(model.expressions, creates)) return "there is one process only";
  return nullptr;
}

const Futures::Channel* Futures::Processes::channel_at(ComponentId component) const {
  const auto found = std::ranges::find(channels, component, &Channel::component);
  return found == channels.end() || component == kControlComponent ? nullptr : &*found;
}

Futures::Processes Futures::processes(ByteView control) const {
  Processes processes;
  const StatePieces& pieces = components_.pieces();
  processes.channels.emplace_back();
  for (const ChannelInstance& channel : model_.channels) {
    processes.channels.push_back(
        {pieces.global_component[channel.offset], channel.offset, model_.channel_types[channel.type].capacity});
  }
  uint32_t frame = model_.global_bytes;
  for (uint32_t pid = 0; pid < components_.process_count(control); ++pid) {
    const ProctypeId proctype = static_cast<ProctypeId>(control[Components::kControlProctypes + pid]);
    processes.proctypes.push_back(proctype);
    for (const ChannelInstance& channel : model_.proctypes[proctype].channels) {
      processes.channels.push_back({pieces.frame(pid, pieces.frame_piece[proctype][channel.offset]),
                                    frame + channel.offset, model_.channel_types[channel.type].capacity});
    }
    frame += model_.proctypes[proctype].frame_bytes;
  }
  return processes;
}

const Futures::Ahead& Futures::ahead(ProctypeId number, LocationId location) const {
  const auto [found, is_new] = ahead_.try_emplace({number, location});
  Ahead& ahead = found->second;
  if (!is_new) return ahead;
  const Proctype& proctype = model_.proctypes[number];
  ahead.reached.resize(proctype.locations.size());
  ahead.assigned.resize(proctype.frame_bytes);
  std::vector<bool> varies(proctype.frame_bytes);
  const auto note = [&](const Statement& statement, const VariableReference& reference) {
    if (reference.space != Space::kLocal) return;
    mark_written(reference, ahead.assigned);
    if (statement.kind == StatementKind::kAssign && reference.indices.empty() &&
        model_.expressions[statement.expression].op == Operator::kConstant) {
      const int32_t value = truncate(reference.type, model_.expressions[statement.expression].value);
      const auto known = ahead.constants.try_emplace(reference.offset, Ahead::Constant{reference.type, value}).first;
      if (known->second.value == value && known->second.type == reference.type) return;
    }
    mark_written(reference, varies);
  };
  std::vector<LocationId> open{location};
  ahead.reached[location] = true;
  while (!open.empty()) {
    const LocationId from = open.back();
    open.pop_back();
    for (const Edge& edge : proctype.locations[from].edges) {
      const Statement& statement = model_.statements[edge.statement];
      for_each_written(model_, statement, [&](const VariableReference& reference) { note(statement, reference); });
      if (edge.target == 0 || ahead.reached[edge.target]) continue;
      ahead.reached[edge.target] = true;
      open.push_back(edge.target);
    }
  }
  std::erase_if(ahead.constants, [&](const auto& each) {
    for (uint32_t i = 0; i < each.second.type.bytes; ++i) {
      if (varies[each.first + i]) return true;
    }
    return false;
  });
  return ahead;
}

// Locals that are assigned on the way are not known, but for those that have the value to which alone they may be
// set; and of these it matters only that they have.
Bytes Futures::what_matters(const Processes& processes, uint8_t pid, ByteView content) const {
  const ProctypeId number = processes.proctypes[pid];
  const Components::Range range = components_.frame(number)[0];
  const LocationId at = load<LocationId>(content.data() + kFrameLocation - range.offset);
  const Ahead& ahead = this->ahead(number, at);
  Bytes matters(content.begin(), content.end());
  for (uint32_t i = 0; i < range.size; ++i) {
    if (ahead.assigned[range.offset + i]) matters[i] = std::byte{0};
  }
  for (const auto& [offset, constant] : ahead.constants) {
    if (offset < range.offset || offset + constant.type.bytes > range.offset + range.size) continue;
    const uint32_t begin = offset - range.offset;
    matters.push_back(std::byte{load_scalar(constant.type, content.data() + begin) == constant.value});
  }
  matters.push_back(std::byte{pid});
  return matters;
}

// A local that has the value to which alone it may be set is as good as a constant.
Futures::Prospect Futures::prospect(const Processes& processes, Frame frame, bool of_cycles) const {
  const ProctypeId number = processes.proctypes[frame.pid];
  const LocationId at = frame.location();
  const Ahead& all = ahead(number, at);
  std::vector<bool> varies(frame.proctype.frame_bytes);
  const auto comes_back = [&](LocationId location) {
    return location != 0 && all.reached[location] && ahead(number, location).reached[at];
  };
  for (size_t i = 1; of_cycles && i < frame.proctype.locations.size(); ++i) {
    if (!comes_back(static_cast<LocationId>(i))) continue;
    for (const Edge& edge : frame.proctype.locations[i].edges) {
      if (!comes_back(edge.target)) continue;
      for_each_written(model_, model_.statements[edge.statement], [&](const VariableReference& reference) {
        if (reference.space == Space::kLocal) mark_written(reference, varies);
      });
    }
  }
  Prospect prospect{std::vector<bool>(all.reached.size()), all.assigned};
  for (const auto& [offset, constant] : all.constants) {
    if (offset < frame.range.offset || offset + constant.type.bytes > frame.range.offset + frame.range.size) continue;
    if (load_scalar(constant.type, frame.content.data() + (offset - frame.range.offset)) != constant.value) continue;
    for (uint32_t i = 0; i < constant.type.bytes; ++i) prospect.unknown[offset + i] = varies[offset + i];
  }
  frame.unknown = &prospect.unknown;
  Future nothing;
  const Reader reader(*this, processes, frame, nothing);
  std::vector<LocationId> open{frame.location()};
  prospect.reached[frame.location()] = true;
  while (!open.empty()) {
    const LocationId from = open.back();
    open.pop_back();
    for (const Edge& edge : frame.proctype.locations[from].edges) {
      if (edge.target == 0 || prospect.reached[edge.target] || reader.is_false(model_.statements[edge.statement]))
        continue;
      prospect.reached[edge.target] = true;
      open.push_back(edge.target);
    }
  }
  return prospect;
}

std::vector<CycleEdge> Futures::cycles(const Processes& processes, Frame frame) const {
  const Prospect prospect = this->prospect(processes, frame, true);
  frame.unknown = &prospect.unknown;
  const ProctypeId number = processes.proctypes[frame.pid];
  const LocationId from = frame.location();
  const auto in_component = [&](LocationId location) {
    return location != 0 && prospect.reached[location] && ahead(number, location).reached[from];
  };
  std::vector<CycleEdge> edges;
  for (size_t i = 1; i < frame.proctype.locations.size(); ++i) {
    const LocationId source = static_cast<LocationId>(i);
    if (!in_component(source)) continue;
    for (const Edge& edge : frame.proctype.locations[i].edges) {
      if (!in_component(edge.target)) continue;
      const Statement& statement = model_.statements[edge.statement];
      Future used;
      Reader reader(*this, processes, frame, used);
      if (reader.is_false(statement)) continue;
      reader.statement(statement, false, false);
      CycleEdge& cycle = edges.emplace_back();
      cycle.source = source;
      cycle.target = edge.target;
      cycle.shared = used.uses_channels || !(used.uses == AccessSets());
      cycle.creates = used.creates;
      reader.locals(statement, cycle.locals);
      if (!used.uses_channels) continue;
      const bool sends = statement.kind == StatementKind::kSend;
      const bool receives = statement.kind == StatementKind::kReceive && !statement.poll;
      const std::optional<ComponentId> channel = sends || receives ? reader.channel(statement.channel) : std::nullopt;
      const ComponentId known = channel.value_or(kControlComponent);
      if (sends && known != kControlComponent) {
        cycle.sends = known;
      } else if (receives && known != kControlComponent) {
        cycle.receives = known;
      } else if (sends || receives) {
        (sends ? cycle.sends_any : cycle.receives_any) = true;
      } else {
        cycle.sends_any = cycle.receives_any = statement.kind == StatementKind::kAtomicBlock;
      }
    }
  }
  return edges;
}

Future Futures::future(const Processes& processes, uint8_t pid, ByteView content) const {
  const ProctypeId number = processes.proctypes[pid];
  const Proctype& proctype = model_.proctypes[number];
  const StatePieces& pieces = components_.pieces();
  const Components::Range range = components_.frame(number)[0];
  Frame frame{proctype, pid, range, content, nullptr};
  const Prospect prospect = this->prospect(processes, frame, false);
  frame.unknown = &prospect.unknown;
  Future future;
  Reader reader(*this, processes, frame, future);
  for (size_t i = 1; i < proctype.locations.size(); ++i) {
    if (prospect.reached[i]) reader.location(proctype.locations[i], inside_[number][i]);
  }
  for (uint32_t piece = 0; piece < pieces.frame_pieces[number]; ++piece) {
    future.uses[Access::kWrite].add(pieces.frame(pid, piece));
  }
  if (future.ends) {  // then its channels go
    for (const ChannelInstance& channel : proctype.channels) {
      future.destroys.add(pieces.frame(pid, pieces.frame_piece[number][channel.offset]));
      future.uses_channels = true;
    }
  }
  future.cycles = cycles(processes, frame);
  return future;
}

Present Futures::present(const Processes& processes, uint8_t pid, ByteView content,
                         const StubbornChooser::Computed& computed) const {
  const ProctypeId number = processes.proctypes[pid];
  const StatePieces& pieces = components_.pieces();
  const Frame frame{model_.proctypes[number], pid, components_.frame(number)[0], content, nullptr};
  const LocationId at = frame.location();
  const Location& location = frame.proctype.locations[at];
  const Behind& behind = behind_[number][at];
  Future now;
  Reader(*this, processes, frame, now).location(location, false);

  Present present;
  present.any_channel = now.any_channel;
  present.uses_channels = now.uses_channels || behind.uses_channels;
  present.sees_processes = now.sees_processes || now.sees_all || behind.sees_processes;
  AccessSets& against = present.against;
  const auto add = [&](ComponentId channel, std::initializer_list<Access> accesses) {
    for (const Access access : accesses) against[access].add(channel);
  };
  const auto add_all = [&](ComponentId channel) {
    for (const Access access : kOfChannels) against[access].add(channel);
  };
  for (const ComponentId component : computed.touched) {
    if (component == kControlComponent) continue;
    if (const Channel* channel = processes.channel_at(component)) {
      present.uses_channels = true;
      const uint32_t length = load<uint16_t>(computed.state.data() + channel->offset);
      bool known = !behind.uses_channels && channel->capacity > 0;
      bool used = false;
      const auto uses = [&](Access access) {
        const bool it_does = now.uses[access].contains(component);
        used = used || it_does;
        return it_does;
      };
      if (uses(Access::kSend)) {
        if (length == channel->capacity) {
          add(component, {Access::kReceive, Access::kChange});
        } else {
          add(component, {Access::kSend, Access::kTestNotFull, Access::kLook, Access::kChange});
        }
      }
      if (uses(Access::kReceive)) {
        if (length == 0) {
          add(component, {Access::kSend, Access::kChange});
        } else {
          add(component, {Access::kReceive, Access::kTestNotEmpty, Access::kLook, Access::kChange});
        }
      }
      if (uses(Access::kTestNotFull)) {
        add(component, {length == channel->capacity ? Access::kReceive : Access::kSend, Access::kChange});
      }
      if (uses(Access::kTestNotEmpty)) {
        add(component, {length == 0 ? Access::kSend : Access::kReceive, Access::kChange});
      }
      if (uses(Access::kLook)) add(component, {Access::kSend, Access::kReceive, Access::kChange});
      known = known && !uses(Access::kChange) && used;
      if (!known) add_all(component);
    } else if (component <= pieces.global_pieces || frames_seen_) {
      against[Access::kWrite].add(component);
    }
  }
  // Whoever waits at a rendezvous channel has not touched it.
  for (const Channel& channel : processes.channels) {
    if (channel.component == kControlComponent || channel.capacity > 0) continue;
    const bool waits =
        std::ranges::any_of(kOfChannels, [&](Access access) { return now.uses[access].contains(channel.component); });
    if (waits) add_all(channel.component);
  }
  const bool goes = location.edges.size() == 1 &&
                    model_.statements[location.edges.front().statement].kind == StatementKind::kEndProcess;
  for (const ComponentId component : computed.changed) {
    if (component == kControlComponent) {
      (goes ? present.ends : present.creates) = true;
      continue;
    }
    present.writes.add(component);
    if (processes.channel_at(component) != nullptr) {
      if (goes) add_all(component);
      continue;
    }
    against[Access::kRead].add(component);
    against[Access::kWrite].add(component);
  }
  present.creates = present.creates || now.creates || behind.creates;
  present.waits_to_end = now.ends && !computed.moves;
  const auto note = [&](uint8_t who, LocationId left) {
    const Present::Place place{who, left};
    if (std::ranges::find(present.passes, place) == present.passes.end()) present.passes.push_back(place);
    if (who != pid && std::ranges::find(present.partners, who) == present.partners.end())
      present.partners.push_back(who);
  };
  for (const Step& step : computed.steps) {
    note(step.pid, step.location);
    if (step.partner != kNoProcess) note(step.partner, step.partner_location);
  }
  return present;
}

std::optional<ComponentSet> Futures::visible() const {
  ComponentSet visible;
  if (!model_.claim.exists()) return visible;
  Future seen;
  const Proctype& claim = model_.claims[model_.claim.claim];
  Bytes control;
  components_.control_of(initial_, control);
  const Processes everybody = processes(control);
  const Frame frame{claim, kNoProcess, {}, {}, nullptr};
  Reader reader(*this, everybody, frame, seen);
  for (const Location& location : claim.locations) reader.location(location, true);
  if (seen.any_channel || seen.sees_all || seen.sees_processes || seen.creates) return std::nullopt;
  for (const ComponentSet& each : seen.uses.sets) visible.add(each);
  return visible;
}

}  // namespace cmc
