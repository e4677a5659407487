#include "tests/vm/model_builder.h"

namespace cmc::vm::test {

Model peterson(int32_t processes) {
  ModelBuilder b;
  const uint32_t n = static_cast<uint32_t>(processes);
  const VariableReference flag = b.global(kByteType, n);
  const VariableReference turn = b.global(kByteType, n);
  const VariableReference ncrit = b.global(kByteType);
  const ProctypeId user = b.proctype("user");
  const VariableReference j = b.local(user, kByteType);
  const VariableReference k = b.local(user, kByteType);
  const auto own_pid = [&] { return b.op(Operator::kOwnPid); };
  const auto at = [&](const VariableReference& array, ExpressionId index) {
    return ModelBuilder::element(array, index, n);
  };
  const auto condition = [&](Operator op, ExpressionId left, ExpressionId right) {
    return b.condition(b.op(op, {left, right}));
  };

  enum : LocationId {
    kAgain = 1,
    kOuter,
    kFlag,
    kTurn,
    kInner,
    kScan,
    kSkipSelf,
    kBound,
    kWait,
    kNext,
    kUp,
    kEnter,
    kCritical,
    kLeave,
    kReset
  };
  for (int i = kAgain; i <= kReset; ++i) b.location(user);
  b.model.proctypes[user].start = kAgain;
  b.edge(user, kAgain, b.assign(k, 0), kOuter);
  b.edge(user, kOuter, condition(Operator::kLess, b.read(k), b.constant(processes - 1)), kFlag);
  b.edge(user, kOuter, b.simple(StatementKind::kElse), kEnter);
  b.edge(user, kFlag, b.assign(at(flag, own_pid()), b.read(k)), kTurn);
  b.edge(user, kTurn, b.assign(at(turn, b.read(k)), own_pid()), kInner);
  b.edge(user, kInner, b.assign(j, 0), kScan);
  b.edge(user, kScan, condition(Operator::kEqual, b.read(j), own_pid()), kSkipSelf);
  b.edge(user, kScan, condition(Operator::kNotEqual, b.read(j), own_pid()), kBound);
  b.edge(user, kSkipSelf, b.increment(j), kScan);
  b.edge(user, kBound, condition(Operator::kLess, b.read(j), b.constant(processes)), kWait);
  b.edge(user, kBound, condition(Operator::kGreaterEqual, b.read(j), b.constant(processes)), kUp);
  const ExpressionId lower = b.op(Operator::kLess, {b.read(at(flag, b.read(j))), b.read(k)});
  const ExpressionId later = b.op(Operator::kNotEqual, {b.read(at(turn, b.read(k))), own_pid()});
  b.edge(user, kWait, b.condition(b.op(Operator::kOr, {lower, later})), kNext);
  b.edge(user, kNext, b.increment(j), kScan);
  b.edge(user, kUp, b.increment(k), kOuter);
  b.edge(user, kEnter, b.increment(ncrit), kCritical);
  b.edge(user, kCritical, b.assertion(b.op(Operator::kEqual, {b.read(ncrit), b.constant(1)})), kLeave);
  b.edge(user, kLeave, b.increment(ncrit, -1), kReset);
  b.edge(user, kReset, b.assign(at(flag, own_pid()), 0), kAgain);
  b.activate(user, processes);
  return b.model;
}

}  // namespace cmc::vm::test
