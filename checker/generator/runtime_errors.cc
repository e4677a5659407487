#include "checker/generator/runtime_errors.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/scalar.h"
#include "ir/state_printer.h"

namespace cmc {

const char* runtime_error_name(RuntimeErrorKind kind) {
  switch (kind) {
    case RuntimeErrorKind::kAssertion: return "assertion";
    case RuntimeErrorKind::kMessageFields: return "message fields";
    case RuntimeErrorKind::kIndexOutOfBounds: return "index";
    case RuntimeErrorKind::kDivisionByZero: return "division";
    case RuntimeErrorKind::kUninitializedChannel: return "uninitialized channel";
    case RuntimeErrorKind::kRendezvousPolled: return "rendezvous polled";
    case RuntimeErrorKind::kRendezvousInAtomicBlock: return "rendezvous in d_step";
    case RuntimeErrorKind::kAtomicBlockBlocks: return "blocked d_step";
    case RuntimeErrorKind::kEndlessAtomicBlock: return "endless d_step";
    case RuntimeErrorKind::kTooManyProcesses: return "too many processes";
    case RuntimeErrorKind::kTooManyChannels: return "too many channels";
    case RuntimeErrorKind::kPriorityRange: return "priority";
    case RuntimeErrorKind::kEnabledOfSelf: return "enabled";
    case RuntimeErrorKind::kNondeterminism: return "nondeterminism";
    case RuntimeErrorKind::kClaimEnd: return "end of claim";
    case RuntimeErrorKind::kTraceMismatch: return "trace";
    case RuntimeErrorKind::kNotraceMatched: return "notrace";
    case RuntimeErrorKind::kOverflow: return "overflow";
    case RuntimeErrorKind::kEmbeddedC: return "embedded C";
    case RuntimeErrorKind::kUndecidedGuard: return "undecided guard";
    case RuntimeErrorKind::kMoreWitnesses: return "more witnesses";
    case RuntimeErrorKind::kOverflowNote: return "overflow note";
    case RuntimeErrorKind::kPendingGuard: return "pending guard";
  }
  return "unknown";
}

bool runtime_error_continues(RuntimeErrorKind kind) {
  return kind == RuntimeErrorKind::kAssertion || kind == RuntimeErrorKind::kMessageFields ||
         (kind >= RuntimeErrorKind::kNondeterminism && kind <= RuntimeErrorKind::kOverflow) ||
         kind == RuntimeErrorKind::kMoreWitnesses || kind == RuntimeErrorKind::kOverflowNote;
}

bool is_reason(RuntimeErrorKind kind) {
  return kind >= RuntimeErrorKind::kEmbeddedC || kind == RuntimeErrorKind::kEndlessAtomicBlock;
}

uint32_t pending_question(const SuccessorBatch& batch) {
  for (const RuntimeError& error : batch.errors) {
    if (error.kind == RuntimeErrorKind::kPendingGuard) return error.question;
  }
  return 0;
}

namespace {

std::string fields_text(size_t count) { return count == 1 ? "1 field" : fmt::format("{} fields", count); }

// The type that the statement stores the value in, as far as the text tells: that of a channel's field, say, depends
// on which channel it is. Null: it does not tell.
const ScalarType* find_narrow_type(const Model& model, const Statement& statement, int32_t value) {
  const auto narrow = [&](const VariableReference& target) { return !fits(target.type, value); };
  if (statement.kind == StatementKind::kReceive) {
    for (const ReceiveArgument& argument : statement.arguments) {
      if (argument.kind == ReceiveArgument::Kind::kStore && narrow(argument.store)) return &argument.store.type;
    }
  }
  if (statement.kind == StatementKind::kAssign && narrow(statement.target)) return &statement.target.type;
  const bool evaluates = statement.kind == StatementKind::kAssign || statement.kind == StatementKind::kCondition;
  if (evaluates && model.expressions[statement.expression].op == Operator::kRun) {
    const Proctype& created = model.proctypes[model.expressions[statement.expression].proctype];
    const auto found = std::ranges::find_if(created.parameters, narrow);
    if (found != created.parameters.end()) return &found->type;
  }
  const auto found = std::ranges::find_if(statement.targets, narrow);
  return found == statement.targets.end() ? nullptr : &found->type;
}

std::string overflow_text(const Model& model, StatementId id, int32_t value) {
  if (id == kNoStatement) return fmt::format("{} does not fit in the variable that it initialises", value);
  const Statement& statement = model.statements[id];
  if (statement.kind == StatementKind::kSend)
    return fmt::format("{} does not fit in the field of the channel's messages", value);
  const ScalarType* const type = find_narrow_type(model, statement, value);
  if (type == nullptr) return fmt::format("{} does not fit in the variable", value);
  return overflow_text(model, *type, value);
}

std::string what_failed(const Model& model, RuntimeErrorKind kind, StatementId id, int32_t value) {
  const std::string text = id == kNoStatement ? "" : model.statements[id].text;
  switch (kind) {
    case RuntimeErrorKind::kAssertion: return "assertion violated: " + text;
    case RuntimeErrorKind::kMessageFields: {
      const Statement* const statement = id == kNoStatement ? nullptr : &model.statements[id];
      if (statement != nullptr && statement->kind == StatementKind::kSend) {
        return fmt::format("{} sent, but the channel's messages have {}", fields_text(statement->operands.size()),
                           value);
      }
      if (statement != nullptr && statement->kind == StatementKind::kReceive) {
        return fmt::format("{} received, but the channel's messages have {}",
                           fields_text(statement->arguments.size()), value);
      }
      return "the number of fields differs from that of the channel";
    }
    case RuntimeErrorKind::kIndexOutOfBounds: return fmt::format("array index {} is out of bounds", value);
    case RuntimeErrorKind::kDivisionByZero: return "division by zero, or a quotient that does not fit an int";
    case RuntimeErrorKind::kUninitializedChannel:
      return value == 0 ? "use of an uninitialized channel"
                        : fmt::format("use of a channel that does not exist (id {})", value);
    case RuntimeErrorKind::kRendezvousPolled: return "poll of a rendezvous channel";
    case RuntimeErrorKind::kRendezvousInAtomicBlock: return "rendezvous send inside d_step";
    case RuntimeErrorKind::kAtomicBlockBlocks: return "a statement inside d_step is not executable";
    case RuntimeErrorKind::kEndlessAtomicBlock: return "a d_step of more than 1,000,000 statements was cut";
    case RuntimeErrorKind::kTooManyProcesses: return "too many processes (255 is the limit)";
    case RuntimeErrorKind::kTooManyChannels: return "too many channels (255 is the limit)";
    case RuntimeErrorKind::kPriorityRange: return fmt::format("priority {} is outside 1..255", value);
    case RuntimeErrorKind::kEnabledOfSelf: return "enabled() of the process itself";
    case RuntimeErrorKind::kNondeterminism:
      return value == 0 ? "nondeterminism in a D_proctype" : "nondeterminism in the trace";
    case RuntimeErrorKind::kClaimEnd: return "the never claim reached its end";
    case RuntimeErrorKind::kTraceMismatch: return "the trace allows no such event";
    case RuntimeErrorKind::kNotraceMatched: return "all events of the notrace happened";
    case RuntimeErrorKind::kOverflow:
    case RuntimeErrorKind::kOverflowNote: return overflow_text(model, id, value);
    case RuntimeErrorKind::kEmbeddedC: return "embedded C code is not executed";
    case RuntimeErrorKind::kUndecidedGuard: return "a solver guard could not be decided";
    case RuntimeErrorKind::kMoreWitnesses: return fmt::format("there are more than {} witnesses", value);
    case RuntimeErrorKind::kPendingGuard: return "a solver guard is not decided yet";
  }
  return "unknown";
}

}  // namespace

std::string overflow_text(const Model& model, const ScalarType& type, int32_t value) {
  const std::string name = type_name(model, type);
  return fmt::format("{} does not fit in {} {}; {} is stored", value, name.starts_with('u') ? "an" : "a", name,
                     truncate(type, value));
}

std::string error_message(const Model& model, RuntimeErrorKind kind, StatementId id, int32_t value) {
  std::string message = what_failed(model, kind, id, value);
  if (kind == RuntimeErrorKind::kAssertion || id == kNoStatement) return message;
  const std::string& text = model.statements[id].text;
  if (text.empty()) return message;
  const bool overflow = kind == RuntimeErrorKind::kOverflow || kind == RuntimeErrorKind::kOverflowNote;
  return overflow ? text + ": " + message : message + ": " + text;
}

}  // namespace cmc
