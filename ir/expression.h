#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

// Expressions and statements of the IR. Both live in arenas of the Model and are named by index, so that a model is
// copied, compared and dumped as plain data. Arithmetic is C's int: 32 bits, wrapping; shift counts are taken modulo
// 32 (what SPIN's verifier does on x86); `/` truncates.

namespace cmc {

// A place in the model's text; file indexes Model::files. Line and column count from 1; line 0: unknown.
struct SourcePlace {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

using ExpressionId = uint32_t;
using StatementId = uint32_t;
inline constexpr ExpressionId kNoExpression = 0xffffffff;
inline constexpr StatementId kNoStatement = 0xffffffff;

enum class BasicType : uint8_t { kBit, kByte, kMtype, kPid, kChan, kShort, kInt, kUnsigned };

// A stored scalar. An assignment keeps the low `bits` bits, sign-extended when read iff is_signed.
// (As in SPIN's verifier, an element of a bit array, and the field of a channel with just one bit field, keep 8
// bits.)
struct ScalarType {
  BasicType basic = BasicType::kInt;
  uint8_t bits = 32;      // 1..32
  uint8_t bytes = 4;      // 1, 2 or 4 in the state vector
  uint8_t mtype_set = 0;  // for kMtype: index into Model::mtype_sets
  [[nodiscard]] bool is_signed() const { return basic == BasicType::kShort || basic == BasicType::kInt; }
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

enum class Space : uint8_t {
  kGlobal,  // offset from the start of the state vector
  kLocal,   // offset from the start of a frame
};

// A scalar in the state vector: offset + sum of index*stride. An index outside 0..count-1 is a run-time error.
struct VariableReference {
  struct Index {
    ExpressionId expression = kNoExpression;
    uint32_t count = 0;
    uint32_t stride = 0;  // bytes
  };
  Space space = Space::kGlobal;
  uint32_t offset = 0;
  ScalarType type;
  std::vector<Index> indices;  // constant indices within bounds are folded into offset
  uint32_t variable = 0;       // index into Model::globals or Proctype::variables
};

// Operators that a model writes, each with its name and how it is written.
#define CMC_UNARY_OPERATORS(X) X(kNegate, "-"), X(kNot, "!"), X(kComplement, "~")
#define CMC_BINARY_OPERATORS(X)                                                                           \
  X(kAdd, "+"), X(kSubtract, "-"), X(kMultiply, "*"), X(kDivide, "/"), X(kModulo, "%"), X(kBitAnd, "&"),  \
      X(kBitOr, "|"), X(kBitXor, "^"), X(kShiftLeft, "<<"), X(kShiftRight, ">>"), X(kLess, "<"),          \
      X(kLessEqual, "<="), X(kGreater, ">"), X(kGreaterEqual, ">="), X(kEqual, "=="), X(kNotEqual, "!="), \
      X(kAnd, "&&"), X(kOr, "||")
#define CMC_CHANNEL_QUERIES(X) \
  X(kLength, "len"), X(kFull, "full"), X(kEmpty, "empty"), X(kNotFull, "nfull"), X(kNotEmpty, "nempty")

#define CMC_NAME(name, text) name
enum class Operator : uint8_t {
  // leaves
  kConstant,      // value
  kVariable,      // reference (own frame or global)
  kOwnPid,        // _pid
  kProcessCount,  // _nr_pr
  kLast,          // _last
  kOwnPriority,   // _priority
  kTimeout,       // 1 iff no process can move otherwise
  kNonProgress,   // np_: 1 iff no process is at a progress label
  kNoRendezvous,  // only in the guard of a d_step: 1 iff no rendezvous is under way
  kElseGuard,     // only in the guard of a d_step: 1 iff no earlier edge of this process was executable here
  kEmbeddedC,     // c_expr: text; no engine decides it
  // unary: operands[0]
  CMC_UNARY_OPERATORS(CMC_NAME),
  // binary; && and || are short-circuit
  CMC_BINARY_OPERATORS(CMC_NAME),
  kConditional,  // operands: condition, then, else
  // channels: operands[0] is the channel id
  CMC_CHANNEL_QUERIES(CMC_NAME),
  kPoll,        // q?[...]: 1 iff the message would be received; arguments; `flag`: random (??), then, if there is
                // something to match, the number of the message, from 1
  kReceivable,  // only in the guard of a d_step: 1 iff the receive statement `statement` is executable
  // processes
  kRun,             // creates a process: proctype, operands are the arguments, value is the priority (0: none given)
  kEnabled,         // enabled(pid)
  kLocationOf,      // pc_value(pid)
  kPriorityOf,      // get_priority(pid)
  kRemoteLocation,  // P[pid]@L: 1 iff process operands[0] (none: the first of proctype) is at location `value`
  kRemoteVariable,  // P[pid]:x: reference in the frame of process operands[0] (none: the first of proctype)
  // solver guards (SolverGuard)
  kExists,     // 1 iff guard number `value` has a witness
  kTarget,     // only in the condition of a guard: the value of target number `value`
  kParameter,  // only in the condition of a guard: parameter number `value` + sum of index*stride (reference.indices)
};
#undef CMC_NAME

[[nodiscard]] constexpr bool is_comparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }

// One argument of a receive or poll.
struct ReceiveArgument {
  enum class Kind : uint8_t { kMatch, kStore, kDiscard } kind = Kind::kDiscard;
  ExpressionId match = kNoExpression;  // kMatch: constant or eval(...)
  VariableReference store;             // kStore

  [[nodiscard]] bool is_match() const { return kind == Kind::kMatch; }
};

struct Expression {
  Operator op = Operator::kConstant;
  bool flag = false;
  uint8_t proctype = 0;
  int32_t value = 0;
  std::vector<ExpressionId> operands;
  VariableReference reference;             // kVariable, kRemoteVariable
  std::vector<ReceiveArgument> arguments;  // kPoll
  uint32_t statement = 0xffffffff;         // kReceivable
  std::string text;                        // kEmbeddedC; kConstant: the name of an mtype constant, else empty
};

enum class StatementKind : uint8_t {
  kSkip,       // jump, skip, break, end of a block: always executable
  kElse,       // executable iff no earlier edge of this process was in this state
  kCondition,  // expression
  kAssign,     // target = expression
  kSend,       // channel ! operands; flag: sorted (!!). In a trace (Model::claims): channel ! arguments
  kReceive,    // channel ? arguments; flag: random (??); poll: <...>
  kAssert,     // expression; text for the message
  kPrintf,     // format, operands; kPrintm: expression, mtype_set
  kPrintm,
  kSetPriority,  // operands: pid, priority
  kAtomicBlock,  // d_step: guard, body
  kEmbeddedC,    // c_code: text; no engine executes it
  kEndProcess,   // executable iff the process is the youngest
  kChoose,  // one successor for each witness of the solver guard `guard_number`, with the targets assigned; flag: the
            // least witness only; most_witnesses: the so many least, 0: all
};

// The body of a d_step: a deterministic program. At a node the first executable alternative is taken; if there is
// none, the d_step blocks: a run-time error. Node 0 is the start; kDone leaves.
struct DeterministicNode {
  static constexpr uint32_t kDone = 0xffffffff;
  struct Alternative {
    StatementId statement = kNoStatement;  // kElse: always executable
    uint32_t next = kDone;
  };
  std::vector<Alternative> alternatives;
};

struct Statement {
  StatementKind kind = StatementKind::kSkip;
  bool flag = false;
  bool poll = false;
  uint8_t mtype_set = 0;
  ExpressionId expression = kNoExpression;
  ExpressionId channel = kNoExpression;
  VariableReference target;
  bool discard_target = false;  // kAssign to `_`
  std::vector<ExpressionId> operands;
  std::vector<ReceiveArgument> arguments;
  // kChoose. `targets` has one reference for each target of the guard.
  uint32_t guard_number = 0;  // index into Model::guards
  uint32_t most_witnesses = 0;
  std::vector<VariableReference> targets;
  // kAtomicBlock. `guard` decides whether it can start (kNoExpression: always, even in the middle of another
  // process's rendezvous, a trait of SPIN's verifier); body then runs to the end.
  ExpressionId guard = kNoExpression;
  std::vector<DeterministicNode> body;
  std::string text;    // as SPIN prints the statement
  std::string format;  // kPrintf: with escapes resolved
  SourcePlace place;
};

// A question that asks for values: which tuples, one value for each target within its range, meet the condition? Its
// witnesses are those for which the condition is defined (no division by zero, no index out of bounds) and not zero,
// in ascending lexicographic order. The condition is closed: constants, kTarget, kParameter, kConditional and the
// unary and binary operators are all that occurs in it. So the answer is a function of the values of `parameters` and
// of the ranges, which are evaluated in the state, and of nothing else.
//
// A parameter is as large a part of the written condition as does not depend on targets. One that cannot be evaluated
// makes those tuples undefined that look at it. An array that is indexed by a target has a parameter for each of its
// elements.
struct SolverGuard {
  struct Target {
    std::string name;
    ExpressionId low = kNoExpression;  // the range includes both; low > high: it is empty
    ExpressionId high = kNoExpression;
  };
  std::vector<Target> targets;
  std::vector<ExpressionId> parameters;
  ExpressionId condition = kNoExpression;
  std::string text;  // of the condition, as written
  SourcePlace place;
};

}  // namespace cmc
