#include "tests/vm/random_ir.h"

#include <random>

#include "tests/support/model_builder.h"

namespace cmc::test {
namespace {

class RandomIr {
 public:
  explicit RandomIr(uint32_t seed) : random_(seed) {}

  Model make() {
    b_.model.uses_timeout = true;
    b_.model.uses_priority = chance(3);
    b_.model.uses_last = chance(3);
    declare();
    for (ProctypeId proctype = 0; proctype < 2; ++proctype) fill(proctype);
    b_.activate(0, below(2) + 1);
    b_.activate(1);
    return b_.model;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool chance(int n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
  }

  void declare() {
    const std::vector<ScalarType> types = {kBitType, kByteType,        kShortType,
                                           kIntType, unsigned_type(5), unsigned_type(12)};
    for (const ScalarType& type : types) {
      globals_.push_back(b_.global(type));
      b_.initialize(globals_.back(), below(4));
    }
    for (const ScalarType& type : types) global_arrays_.push_back(b_.global(type, 3));
    const uint32_t pair = b_.channel_type(static_cast<uint32_t>(below(2) + 1), {kByteType, kShortType});
    const uint32_t rendezvous = b_.channel_type(0, {kByteType, unsigned_type(3)});
    channels_ = {b_.channel(pair), b_.channel(rendezvous), b_.channel(pair)};
    for (int i = 0; i < 2; ++i) {
      b_.proctype(i == 0 ? "a" : "b");
      std::vector<VariableReference>& locals = locals_[i];
      if (i == 1) locals = {b_.parameter(kByteType), b_.parameter(kShortType)};
      for (const ScalarType& type : {kByteType, kIntType}) locals.push_back(b_.local(type));
      local_arrays_[i] = {b_.local(kByteType, 3), b_.local(kIntType, 3)};
      if (chance(2)) local_channels_[i] = {b_.local_channel(chance(3) ? rendezvous : pair)};
      b_.location(2).valid_end = true;
      b_.location(3).progress = true;
    }
  }

  void fill(ProctypeId proctype) {
    current_ = proctype;
    b_.select(proctype);
    Proctype& type = b_.current();
    type.deterministic = chance(6);
    if (chance(6)) type.provided = expression(2);
    for (LocationId from = 1; from <= kLocations; ++from) {
      const int edges = below(3) + 1;
      for (int i = 0; i < edges; ++i) {
        const StatementId step = statement(true);
        Edge& edge = b_.edge(from, static_cast<LocationId>(below(kLocations) + 1), step);
        edge.atomic = chance(5);
        if (chance(8)) edge.escape = 1;
      }
      if (chance(3)) b_.edge(from, 1, b_.otherwise());
      if (chance(5)) b_.edge(from, 0, b_.simple(StatementKind::kEndProcess));
    }
  }

  VariableReference variable() {
    const size_t own = current_;
    switch (below(6)) {
      case 0:
      case 1: return pick(globals_);
      case 2:
      case 3: return pick(locals_[own]);
      case 4: return ModelBuilder::element(pick(global_arrays_), expression(1), 3);
      default:
        if (chance(2)) return ModelBuilder::element(pick(local_arrays_[own]), expression(1), 3);
        VariableReference nested = pick(global_arrays_);  // seen as a[2][2] of elements that overlap
        const uint8_t bytes = nested.type.bytes;
        nested = ModelBuilder::element(nested, expression(1), 2, bytes);
        return ModelBuilder::element(nested, expression(1), 2, bytes);
    }
  }

  ExpressionId channel() {
    if (chance(12)) return expression(1);
    const std::vector<VariableReference>& own = local_channels_[current_];
    return b_.read(!own.empty() && chance(3) ? own[0] : pick(channels_));
  }

  std::vector<ReceiveArgument> arguments(bool stores) {
    std::vector<ReceiveArgument> result;
    const int count = chance(8) ? below(4) : 2;
    for (int i = 0; i < count; ++i) {
      switch (below(3)) {
        case 0: result.push_back(ModelBuilder::match(expression(1))); break;
        case 1:
          if (stores) {
            result.push_back(ModelBuilder::into(variable()));
            break;
          }
          [[fallthrough]];
        default: result.push_back(ModelBuilder::ignore()); break;
      }
    }
    return result;
  }

  ExpressionId leaf() {
    switch (below(12)) {
      case 0: return b_.op(Operator::kOwnPid);
      case 1: return b_.op(Operator::kProcessCount);
      case 2: return b_.op(chance(2) && b_.model.uses_last ? Operator::kLast : Operator::kOwnPriority);
      case 3: return b_.op(chance(2) ? Operator::kTimeout : Operator::kNonProgress);
      case 4:
      case 5:
      case 6: {
        static const std::vector<int32_t> kConstants = {0, 0, 1, 1, 2, 3, -1, 127, 128, 200, 256, 40'000, -40'000};
        return b_.constant(pick(kConstants));
      }
      default: return b_.read(variable());
    }
  }

  ExpressionId expression(int depth) {
    if (depth == 0 || chance(4)) return leaf();
    static const std::vector<Operator> kBinary = {
        Operator::kAdd,       Operator::kSubtract,     Operator::kMultiply, Operator::kDivide,
        Operator::kModulo,    Operator::kBitAnd,       Operator::kBitOr,    Operator::kBitXor,
        Operator::kShiftLeft, Operator::kShiftRight,   Operator::kLess,     Operator::kLessEqual,
        Operator::kGreater,   Operator::kGreaterEqual, Operator::kEqual,    Operator::kNotEqual,
        Operator::kAnd,       Operator::kOr,           Operator::kAdd,      Operator::kLess,
        Operator::kEqual,     Operator::kNotEqual};
    static const std::vector<Operator> kUnary = {Operator::kNegate, Operator::kNot, Operator::kNot,
                                                 Operator::kComplement};
    static const std::vector<Operator> kOfChannel = {Operator::kLength, Operator::kFull, Operator::kEmpty,
                                                     Operator::kNotFull, Operator::kNotEmpty};
    static const std::vector<Operator> kOfProcess = {Operator::kEnabled, Operator::kLocationOf,
                                                     Operator::kPriorityOf};
    switch (below(12)) {
      case 0: return b_.op(pick(kUnary), {expression(depth - 1)});
      case 1:
        return b_.op(Operator::kConditional, {expression(depth - 1), expression(depth - 1), expression(depth - 1)});
      case 2: return b_.op(pick(kOfChannel), {channel()});
      case 3: return b_.op(pick(kOfProcess), {expression(depth - 1)});
      case 4: return b_.poll(channel(), arguments(false), chance(2));
      case 5: return remote(depth);
      default: return b_.op(pick(kBinary), {expression(depth - 1), expression(depth - 1)});
    }
  }

  ExpressionId remote(int depth) {
    Expression remote;
    remote.op = chance(2) ? Operator::kRemoteLocation : Operator::kRemoteVariable;
    remote.proctype = static_cast<ProctypeId>(below(2));
    remote.value = below(kLocations) + 1;
    if (chance(2)) {
      remote.reference = pick(locals_[remote.proctype]);
    } else {
      remote.reference = ModelBuilder::element(pick(local_arrays_[remote.proctype]), expression(depth - 1), 3);
    }
    if (chance(2)) remote.operands = {expression(depth - 1)};
    return b_.add(remote);
  }

  ExpressionId run() {
    if (chance(2)) return b_.run(0);
    return b_.run(1, {expression(1), expression(1)}, below(3));
  }

  StatementId statement(bool may_block) {
    Statement other;
    switch (below(may_block ? 13 : 10)) {
      case 0: return b_.skip();
      case 1:
      case 2: return b_.condition(expression(3));
      case 3: return b_.send(channel(), {expression(2), expression(1)}, chance(3));
      case 4: return b_.receive(channel(), arguments(true), chance(3), chance(5));
      case 5: return b_.assertion(expression(2));
      case 6:
        other.kind = chance(2) ? StatementKind::kPrintf : StatementKind::kSetPriority;
        other.operands = {expression(1), expression(1)};
        return b_.add(other);
      case 10: return b_.send(channel(), {expression(1)}, false);
      case 11:
        if (!chance(3)) return b_.condition(expression(2));
        return chance(2) ? b_.condition(run()) : b_.assign(variable(), run());
      case 12: return block();
      default: return chance(4) ? b_.increment(pick(globals_), below(5) - 2) : b_.assign(variable(), expression(3));
    }
  }

  StatementId block() {
    Statement block;
    block.kind = StatementKind::kAtomicBlock;
    if (chance(2)) {
      block.guard =
          b_.op(Operator::kAnd, {b_.op(chance(2) ? Operator::kNoRendezvous : Operator::kElseGuard), expression(1)});
    } else if (chance(3)) {
      Expression receivable;
      receivable.op = Operator::kReceivable;
      receivable.statement = b_.receive(channel(), arguments(true), chance(3));
      block.guard = b_.add(receivable);
      block.body = {DeterministicNode{{{receivable.statement, 1}}}};
    }
    const uint32_t nodes = static_cast<uint32_t>(block.body.size()) + static_cast<uint32_t>(below(3)) + 1;
    while (block.body.size() < nodes) {
      DeterministicNode node;
      const uint32_t next = static_cast<uint32_t>(block.body.size()) + 1;
      const uint32_t target = next < nodes ? next : DeterministicNode::kDone;
      node.alternatives.push_back({statement(false), target});
      if (chance(2)) node.alternatives.push_back({statement(false), DeterministicNode::kDone});
      if (!chance(3)) node.alternatives.push_back({b_.otherwise(), target});
      block.body.push_back(node);
    }
    return b_.add(block);
  }

  static constexpr int kLocations = 5;

  std::mt19937 random_;
  ModelBuilder b_;
  ProctypeId current_ = 0;
  std::vector<VariableReference> globals_, global_arrays_, channels_;
  std::vector<VariableReference> locals_[2], local_arrays_[2], local_channels_[2];
};

}  // namespace

Model random_ir(uint32_t seed) { return RandomIr(seed).make(); }

}  // namespace cmc::test
