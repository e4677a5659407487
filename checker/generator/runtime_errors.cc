#include "checker/generator/runtime_errors.h"

#include <fmt/format.h>

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
    case RuntimeErrorKind::kEmbeddedC: return "embedded C";
    case RuntimeErrorKind::kUndecidedGuard: return "undecided guard";
    case RuntimeErrorKind::kMoreWitnesses: return "more witnesses";
    case RuntimeErrorKind::kPendingGuard: return "pending guard";
  }
  return "unknown";
}

bool runtime_error_continues(RuntimeErrorKind kind) {
  return kind == RuntimeErrorKind::kAssertion || kind == RuntimeErrorKind::kMessageFields ||
         (kind >= RuntimeErrorKind::kNondeterminism && kind <= RuntimeErrorKind::kNotraceMatched) ||
         kind == RuntimeErrorKind::kMoreWitnesses;
}

bool is_reason(RuntimeErrorKind kind) { return kind >= RuntimeErrorKind::kEmbeddedC; }

uint32_t pending_question(const SuccessorBatch& batch) {
  for (const RuntimeError& error : batch.errors) {
    if (error.kind == RuntimeErrorKind::kPendingGuard) return error.question;
  }
  return 0;
}

namespace {

std::string fields_text(size_t count) { return count == 1 ? "1 field" : fmt::format("{} fields", count); }

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
    case RuntimeErrorKind::kEndlessAtomicBlock: return "a d_step does not end within 1000000 statements";
    case RuntimeErrorKind::kTooManyProcesses: return "too many processes (255 is the limit)";
    case RuntimeErrorKind::kTooManyChannels: return "too many channels (255 is the limit)";
    case RuntimeErrorKind::kPriorityRange: return fmt::format("priority {} is outside 1..255", value);
    case RuntimeErrorKind::kEnabledOfSelf: return "enabled() of the process itself";
    case RuntimeErrorKind::kNondeterminism:
      return value == 0 ? "nondeterminism in a D_proctype" : "nondeterminism in the trace";
    case RuntimeErrorKind::kClaimEnd: return "the never claim reached its end";
    case RuntimeErrorKind::kTraceMismatch: return "the trace allows no such event";
    case RuntimeErrorKind::kNotraceMatched: return "all events of the notrace happened";
    case RuntimeErrorKind::kEmbeddedC: return "embedded C code is not executed";
    case RuntimeErrorKind::kUndecidedGuard: return "a solver guard could not be decided";
    case RuntimeErrorKind::kMoreWitnesses: return fmt::format("there are more than {} witnesses", value);
    case RuntimeErrorKind::kPendingGuard: return "a solver guard is not decided yet";
  }
  return "unknown";
}

}  // namespace

std::string error_message(const Model& model, RuntimeErrorKind kind, StatementId id, int32_t value) {
  std::string message = what_failed(model, kind, id, value);
  if (kind == RuntimeErrorKind::kAssertion || id == kNoStatement) return message;
  const std::string& text = model.statements[id].text;
  return text.empty() ? message : message + ": " + text;
}

}  // namespace cmc
