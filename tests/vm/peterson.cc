#include "tests/vm/peterson.h"

#include "tests/support/model_builder.h"

namespace cmc::test {

Model peterson(int32_t processes) {
  ModelBuilder b;
  const uint32_t n = static_cast<uint32_t>(processes);
  const VariableReference flag = b.global(kByteType, n);
  const VariableReference turn = b.global(kByteType, n);
  const VariableReference ncrit = b.global(kByteType);
  const ProctypeId user = b.proctype("user");
  const VariableReference j = b.local(kByteType);
  const VariableReference k = b.local(kByteType);
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
  b.edge(kAgain, kOuter, b.assign(k, 0));
  b.edge(kOuter, kFlag, condition(Operator::kLess, b.read(k), b.constant(processes - 1)));
  b.edge(kOuter, kEnter, b.simple(StatementKind::kElse));
  b.edge(kFlag, kTurn, b.assign(at(flag, own_pid()), b.read(k)));
  b.edge(kTurn, kInner, b.assign(at(turn, b.read(k)), own_pid()));
  b.edge(kInner, kScan, b.assign(j, 0));
  b.edge(kScan, kSkipSelf, condition(Operator::kEqual, b.read(j), own_pid()));
  b.edge(kScan, kBound, condition(Operator::kNotEqual, b.read(j), own_pid()));
  b.edge(kSkipSelf, kScan, b.increment(j));
  b.edge(kBound, kWait, condition(Operator::kLess, b.read(j), b.constant(processes)));
  b.edge(kBound, kUp, condition(Operator::kGreaterEqual, b.read(j), b.constant(processes)));
  const ExpressionId lower = b.op(Operator::kLess, {b.read(at(flag, b.read(j))), b.read(k)});
  const ExpressionId later = b.op(Operator::kNotEqual, {b.read(at(turn, b.read(k))), own_pid()});
  b.edge(kWait, kNext, b.condition(b.op(Operator::kOr, {lower, later})));
  b.edge(kNext, kScan, b.increment(j));
  b.edge(kUp, kOuter, b.increment(k));
  b.edge(kEnter, kCritical, b.increment(ncrit));
  b.edge(kCritical, kLeave, b.assertion(b.op(Operator::kEqual, {b.read(ncrit), b.constant(1)})));
  b.edge(kLeave, kReset, b.increment(ncrit, -1));
  b.edge(kReset, kAgain, b.assign(at(flag, own_pid()), 0));
  b.activate(user, processes);
  return b.model;
}

}  // namespace cmc::test
