#include <utility>

#include <fmt/format.h>

#include "checker/native/marked_text.h"
#include "checker/native/writer.h"
#include "ir/print.h"

namespace cmc::native {

std::string describe(const Model& model, const Statement& statement) {
  const std::string text = place_text(model, statement.place, "", ": ") + statement.text;
  return marked_comment(fmt::format("/* {} */", comment_text(text)));
}

void Writer::test(const Statement& statement) {
  const auto otherwise = "return CMC_BLOCKED;";
  switch (statement.kind) {
    case StatementKind::kCondition:
      require(statement.expression, true, otherwise);
      write_refusals();
      line("return CMC_EXECUTABLE;");
      break;
    case StatementKind::kSend: {
      const std::string channel = find_channel(in_variable(value(statement.channel)).text);
      line(fmt::format("if ({}.type->capacity == 0) return CMC_RENDEZVOUS;", channel));
      line(fmt::format("return is_full(&{}) ? CMC_BLOCKED : CMC_EXECUTABLE;", channel));
      break;
    }
    case StatementKind::kReceive: test_receive(statement); break;
    default: unsupported(); break;
  }
}

void Writer::test_guard(ExpressionId guard) {
  if (guard != kNoExpression) require(guard, true, "return CMC_BLOCKED;");
  write_refusals();
  line("return CMC_EXECUTABLE;");
}

// Leaves by the C statement `otherwise` unless the expression is true.
void Writer::require(ExpressionId id, bool sense, const std::string& otherwise) {
  const Expression& e = model_.expressions[id];
  if (const std::optional<int32_t> folded = constant(id)) {
    if ((*folded != 0) != sense) line(otherwise);
  } else if (e.op == Operator::kNot) {
    require(e.operands[0], !sense, otherwise);
  } else if (e.op == (sense ? Operator::kAnd : Operator::kOr)) {
    require(e.operands[0], sense, otherwise);
    require(e.operands[1], sense, otherwise);
  } else if (quiet_) {
    refuse(id, sense);
  } else {
    const Value truth = value(id);
    line(fmt::format("if ({}) {}", sense ? "!" + truth.text : bare(truth.text), otherwise));
  }
}

// As require(), in a test: it is blocked unless the expression is true. A processor foresees one branch for several
// conditions better than a branch for each. Only what later conditions compute without an error is computed too
// early.
void Writer::refuse(ExpressionId id, bool sense) {
  constexpr size_t kMostTogether = 4;
  CText before = std::exchange(code_, CText(code_.depth()));
  const Value truth = value(id);
  const CText code = std::exchange(code_, std::move(before));
  if (!code.empty() || refusals_.size() == kMostTogether) write_refusals();
  code_.append(code);
  refusals_.push_back(sense ? "!" + truth.text : truth.text);
}

void Writer::write_refusals() {
  if (refusals_.empty()) return;
  const std::string condition = fmt::format("{}", fmt::join(refusals_, " | "));
  refusals_.clear();
  line(fmt::format("if ({}) return CMC_BLOCKED;", bare(condition)));
}

void Writer::execute(StatementId id) {
  const Statement& statement = model_.statements[id];
  if (statement.kind == StatementKind::kAtomicBlock) return block(id);
  effect(statement);
  line("return CMC_EXECUTABLE;");
}

// What executing a basic statement changes.
void Writer::effect(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kAssign: assign(statement); break;
    case StatementKind::kSend: send(statement); break;
    case StatementKind::kReceive: receive(statement); break;
    case StatementKind::kAssert: assertion(statement); break;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) evaluate_for_errors(operand);
      break;
    case StatementKind::kPrintm: evaluate_for_errors(statement.expression); break;
    case StatementKind::kSetPriority: set_priority(statement); break;
    case StatementKind::kSkip:
    case StatementKind::kElse: break;
    default: unsupported(); break;
  }
}

void Writer::assign(const Statement& statement) {
  if (statement.discard_target) return evaluate_for_errors(statement.expression);
  const Value source = value(statement.expression);
  store(statement.target.type, place(statement.target), source);
}

void Writer::assertion(const Statement& statement) {
  const Value truth = value(statement.expression);
  ++faults_;
  line(fmt::format("if (UNLIKELY(!{})) call->fault(call, CMC_ASSERTION, 0);", truth.text));
}

void Writer::set_priority(const Statement& statement) {
  const std::string pid = in_variable(value(statement.operands[0])).text;
  const std::string priority = in_variable(value(statement.operands[1])).text;
  begin_conditional(fmt::format("if (is_process(call, {}))", pid));
  fail_if(fmt::format("{0} < 1 || {0} > 255", priority), "CMC_PRIORITY_RANGE", priority);
  const std::string header = fmt::format("state + call->frames[{}]", pid);
  touch(header);
  line(fmt::format("put_8({} + {}u, {});", header, kFramePriority, priority));
  end_conditional();
}

}  // namespace cmc::native
