#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expression.h"
#include "promela/text/source.h"

// The syntax tree of a Promela text, inlines already expanded. The parser fills everything except the fields marked
// "sema"; names are resolved by sema in the order of the text, because Promela declares before use.

namespace cmc::promela {

struct Symbol;
struct Structure;
struct LabelSymbol;

namespace ast {

struct Expression;
struct Statement;

// From the first token to the last one, with their places. Line 0: not known.
struct Extent {
  Location first, last;
};

using ExpressionPtr = std::unique_ptr<Expression>;
using StatementPtr = std::unique_ptr<Statement>;

// name [index] . field ...
struct VariableRef {
  std::string name;
  Location location;
  ExpressionPtr index;
  std::unique_ptr<VariableRef> field;
  const Symbol* symbol = nullptr;  // sema: of this name; for a field, the field's declaration in its structure
  int target = -1;                 // sema: in the condition of a solver guard, the target that this is
};

// What a solver guard looks for, and where: variable : low .. high
struct GuardTarget {
  std::unique_ptr<VariableRef> variable;  // of `exists`: a name of its own
  ExpressionPtr low, high;
};

enum class ExpressionKind : uint8_t {
  kNumber,         // value
  kMtypeConstant,  // name; value by sema
  kVariable,       // variable, also _pid, _nr_pr, _last, _priority, _
  kUnary,          // op: - ! ~
  kBinary,         // op, operands
  kConditional,    // three operands
  kChannelQuery,   // op: len full empty nfull nempty; variable
  kPoll,           // variable, arguments, random
  kRun,            // name, operands, value = priority (0: none)
  kEnabled,
  kPcValue,
  kGetPriority,
  kTimeout,
  kNonProgress,
  kRemoteLabel,     // name @ label, operands[0] = pid if given
  kRemoteVariable,  // name : variable, operands[0] = pid if given
  kEmbeddedC,       // text
  kTemporal,        // ltl only: op, operands
  kList,            // { a, b, c } as an array initializer
  kExists,          // targets, operands[0]
};

// Of LTL, each with its name and how it is written.
#define CMC_TEMPORAL_OPERATORS(X)                                                                              \
  X(kAlways, "[]"), X(kEventually, "<>"), X(kNext, "X"), X(kUntil, "U"), X(kWeakUntil, "W"), X(kRelease, "V"), \
      X(kImplies, "->"), X(kEquivalent, "<->")

#define CMC_NAME(name, text) name
enum class Op : uint8_t {
  kNone,
  CMC_UNARY_OPERATORS(CMC_NAME),
  CMC_BINARY_OPERATORS(CMC_NAME),
  CMC_CHANNEL_QUERIES(CMC_NAME),
  CMC_TEMPORAL_OPERATORS(CMC_NAME),
};
#undef CMC_NAME

struct ReceiveArg {
  enum class Kind : uint8_t { kVariable, kEval, kConstant } kind = Kind::kVariable;
  std::unique_ptr<VariableRef> variable;
  ExpressionPtr value;  // kEval, kConstant
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kNumber;
  Op op = Op::kNone;
  bool random = false;
  bool is_atom = false;  // sema: this part of a formula is an atom
  int32_t value = 0;
  uint32_t depth = 1;  // height of this tree: bounds every recursion over it
  Location location;
  Extent extent;  // with its parentheses
  std::string name;
  std::string label;
  std::vector<ExpressionPtr> operands;
  std::unique_ptr<VariableRef> variable;
  std::vector<ReceiveArg> arguments;
  std::vector<GuardTarget> targets;
};

// chan initializer: [capacity] of { types }
struct ChannelInit {
  struct Field {
    std::string type;  // "bit", "byte", ..., "mtype" or the name of a typedef
    std::string mtype_set;
    Location location;
  };
  int32_t capacity = 0;
  std::vector<Field> fields;
  Location location;
};

// One declared name with its array bound and initializer.
struct Declarator {
  std::string name;
  Location location;
  int32_t bits = 0;  // unsigned x : bits
  bool has_bits = false;
  bool is_array = false;
  int32_t count = 1;
  std::string count_name;  // `a[N]` where N is an initialised variable: SPIN takes its initial value
  ExpressionPtr initializer;
  std::unique_ptr<ChannelInit> channel;
  Symbol* symbol = nullptr;   // sema
  bool is_statement = false;  // sema: declared after a statement: the initialisation is a step of the process
};

struct Declaration {
  std::string type;       // basic type's keyword or the name of a typedef
  std::string mtype_set;  // mtype:set
  bool hidden = false, show = false, local = false;
  Location location;
  std::vector<Declarator> declarators;
};

struct Sequence {
  std::vector<StatementPtr> steps;
  Location location;
  Location end;
};

enum class StatementKind : uint8_t {
  kDeclaration,
  kExclusive,  // xr, xs: variables
  kLabel,      // label: body
  kAssign,     // variable = expression
  kSend,       // variable ! operands; sorted
  kReceive,    // variable ? arguments; random, poll
  kExpression,
  kElse,
  kAssert,
  kPrintf,       // text, operands
  kPrintm,       // expression
  kSetPriority,  // operands
  kIf,
  kDo,
  kFor,     // variable, from, to (range) or variable, over (array or channel); sequences[0]
  kSelect,  // variable, from, to
  kBreak,
  kGoto,  // label
  kAtomic,
  kDStep,
  kBlock,
  kUnless,  // body, escape
  kEmbeddedC,
  kChoose,  // targets, expression; least, most_witnesses (0: all)
};

struct Statement {
  StatementKind kind = StatementKind::kExpression;
  bool sorted = false, random = false, poll = false, least = false;
  uint32_t most_witnesses = 0;
  Location location;
  Extent extent;           // of an expanded inline: of its call
  bool is_inline = false;  // it is the body of one that is called here
  std::string label;
  std::string text;
  ExpressionPtr expression;  // also `from` of kFor and kSelect
  ExpressionPtr to;
  std::unique_ptr<VariableRef> variable;
  std::unique_ptr<VariableRef> over;
  std::vector<ExpressionPtr> operands;
  std::vector<ReceiveArg> arguments;
  std::vector<GuardTarget> targets;
  std::vector<Sequence> sequences;
  StatementPtr body, escape;
  Declaration declaration;
  std::vector<std::unique_ptr<VariableRef>> variables;
  LabelSymbol* label_symbol = nullptr;  // sema: kLabel, kGoto
  Symbol* counter = nullptr;            // sema: the hidden counter of `for (m in channel)`
};

struct Proctype {
  enum class Kind : uint8_t { kProctype, kInit, kNever, kTrace, kNotrace } kind = Kind::kProctype;
  std::string name;
  Location location;
  bool active = false;
  int32_t instances = 0;       // active [N]
  std::string instances_name;  // active [N] where N is an initialised variable
  bool deterministic = false;
  int32_t priority = 0;  // 0: none given
  std::vector<Declaration> parameters;
  ExpressionPtr provided;
  Sequence body;
};

struct Typedef {
  std::string name;
  Location location;
  std::vector<Declaration> fields;
  Structure* structure = nullptr;  // sema
};

struct MtypeDeclaration {
  std::string set;
  std::vector<std::pair<std::string, Location>> names;
  Location location;
};

struct LtlFormula {
  std::string name;
  Location location;
  ExpressionPtr formula;
  std::optional<std::string> scope;  // AppendedFormula::scope (promela/compile.h)
};

struct EmbeddedC {
  std::string keyword;  // c_decl, c_code, c_state, c_track
  std::string text;
  Location location;
};

// The units of a text, in order.
struct Unit {
  enum class Kind : uint8_t { kDeclaration, kTypedef, kMtype, kProctype, kLtl, kEmbeddedC } kind;
  std::unique_ptr<Declaration> declaration;
  std::unique_ptr<Typedef> type;
  std::unique_ptr<MtypeDeclaration> mtype;
  std::unique_ptr<Proctype> proctype;
  std::unique_ptr<LtlFormula> ltl;
  std::unique_ptr<EmbeddedC> c;
};

struct Program {
  std::vector<Unit> units;           // ltl formulas last: SPIN defers them to the end of the text
  std::vector<Location> embedded_c;  // places of c_code and c_expr
};

// Whether its operator is one of logic: && || ! -> <->, or temporal. The structure of a formula is made of these.
[[nodiscard]] bool is_connective(const Expression& expression);

// Deep copies, with what sema found out.
[[nodiscard]] std::unique_ptr<VariableRef> clone(const VariableRef& variable);
[[nodiscard]] ExpressionPtr clone(const Expression& expression);

// Whether a target of the solver guard whose condition this is a part of occurs in it; after sema.
[[nodiscard]] bool depends_on_target(const VariableRef& variable);
[[nodiscard]] bool depends_on_target(const Expression& expression);

}  // namespace ast

// The source form of an expression or variable, binary operators in parentheses, as SPIN prints statements.
[[nodiscard]] std::string to_text(const ast::Expression& expression);
[[nodiscard]] std::string to_text(const ast::VariableRef& variable);
[[nodiscard]] std::string to_text(const std::vector<ast::ReceiveArg>& arguments);
[[nodiscard]] std::string to_text(const std::vector<ast::GuardTarget>& targets);
[[nodiscard]] std::string_view spelling(ast::Op op);

}  // namespace cmc::promela
