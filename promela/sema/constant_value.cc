#include "promela/sema/constant_value.h"

#include "base/check.h"
#include "ir/arithmetic.h"

namespace cmc::promela {

using ast::ExpressionKind;

Operator ir_operator(ast::Op op) {
  switch (op) {
    case ast::Op::kNegate: return Operator::kNegate;
    case ast::Op::kNot: return Operator::kNot;
    case ast::Op::kComplement: return Operator::kComplement;
    case ast::Op::kAdd: return Operator::kAdd;
    case ast::Op::kSubtract: return Operator::kSubtract;
    case ast::Op::kMultiply: return Operator::kMultiply;
    case ast::Op::kDivide: return Operator::kDivide;
    case ast::Op::kModulo: return Operator::kModulo;
    case ast::Op::kBitAnd: return Operator::kBitAnd;
    case ast::Op::kBitOr: return Operator::kBitOr;
    case ast::Op::kBitXor: return Operator::kBitXor;
    case ast::Op::kShiftLeft: return Operator::kShiftLeft;
    case ast::Op::kShiftRight: return Operator::kShiftRight;
    case ast::Op::kLess: return Operator::kLess;
    case ast::Op::kLessEqual: return Operator::kLessEqual;
    case ast::Op::kGreater: return Operator::kGreater;
    case ast::Op::kGreaterEqual: return Operator::kGreaterEqual;
    case ast::Op::kEqual: return Operator::kEqual;
    case ast::Op::kNotEqual: return Operator::kNotEqual;
    case ast::Op::kAnd: return Operator::kAnd;
    case ast::Op::kOr: return Operator::kOr;
    case ast::Op::kLen: return Operator::kLength;
    case ast::Op::kFull: return Operator::kFull;
    case ast::Op::kEmpty: return Operator::kEmpty;
    case ast::Op::kNfull: return Operator::kNotFull;
    case ast::Op::kNempty: return Operator::kNotEmpty;
    default: break;
  }
  CHECK(!"an operator that is not temporal");
  return Operator::kConstant;
}

std::optional<int32_t> constant_value(const ast::Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNumber:
    case ExpressionKind::kMtypeConstant: return e.value;
    case ExpressionKind::kUnary: {
      const std::optional<int32_t> operand = constant_value(*e.operands[0]);
      return operand ? std::optional(apply(ir_operator(e.op), *operand)) : std::nullopt;
    }
    case ExpressionKind::kBinary: {
      if (e.op == ast::Op::kAnd || e.op == ast::Op::kOr) return std::nullopt;
      const std::optional<int32_t> left = constant_value(*e.operands[0]);
      const std::optional<int32_t> right = left ? constant_value(*e.operands[1]) : std::nullopt;
      return right ? apply(ir_operator(e.op), *left, *right) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace cmc::promela
